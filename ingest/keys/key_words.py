"""What answer keys of the world call their columns, their files and their special answers."""

from __future__ import annotations

import re

ANSWER_HEAD = re.compile(
    r"答案|解答|正答|正解|정답|답안|gabarito|\banswers?\b|\bans\b|\bkeys?\b|\bcorrect\b|\bréponses?\b|"
    r"\brespuestas?\b|\brespostas?\b|"
    r"\blösung|\bantwort|\brisposta|\bsvar\b|\bđáp án\b|\bодповід|\bответ|الإجابة|उत्तर|\bjawaban\b|\bodpowied|"
    r"\bantwoord",
    re.IGNORECASE,
)
LABEL_HEAD = re.compile(
    r"題號|题号|題目|問題番号|設問|문항|번호|quest[aã]o|\bquestions?\b|\bq\b|\bno\b|\bnr\b|\bitem\b|"
    r"\baufgabe\b|\bfrage\b|\bpregunta\b|"
    r"\bcâu\b|\bsoal\b|\bзадани|\bвопрос|प्रश्न|\bnúm|^#$|^n[º°o]?\.?$",
    re.IGNORECASE,
)
POINTS_HEAD = re.compile(
    r"배점|配分|配點|配点|分值|分數|分数|점수|\bpoints?\b|\bpts?\b|\bmarks?\b|\bpunkte?\b|\bpuntos\b|"
    r"\bpontos\b|\bcredits?\b|\bđiểm\b|"
    r"\bбалл|\bscore\b|\bweight\b|\bpunti\b|\bpoäng\b",
    re.IGNORECASE,
)
OTHER_HEAD = re.compile(
    r"\bskill|\bstandard|\bdomain|\btopic|\bcontent|\bdifficult|\blevel\b|habilidad|compet[êe]ncia|難易|範圍|"
    r"出處|單元|考點|知识点|難度|통과율|"
    r"answer rate|答對率|得分率|\breference\b|\bpage\b|\brationale\b|\btype\b|\bconcept\b|\bobjective\b|"
    r"\bremarks?\b|備註|备注|비고",
    re.IGNORECASE,
)
VOID = re.compile(
    r"anulad|送分|一律給分|一律给分|均給分|均给分|皆給分|都給分|全部給分|全員正解|正解なし|모두\s*정답|"
    r"전원\s*정답|모두\s*맞|무효|본\s*문항|작廢|作廢|作废|"
    r"\bbonus\b|\bvoid(ed)?\b|\bdeleted?\b|\bwithdrawn\b|\bcancel|\bdropped\b|\bannul|\ball (answers?|options?|"
    r"correct|accepted)|"
    r"\bany answer|\bfree( credit| marks?| points?)?$|\bneutrali[sz]|entfällt|gestrichen|\bnula\b|\bmtv\b|"
    r"\bsupprim|無正確答案",
    re.IGNORECASE,
)
WRITTEN = re.compile(
    r"^[／/＼\\※*＊–—\-−~～]+$|非選擇|非选择|手寫|主觀題|主观题|서답|서술|논술|^略$|discursiv|"
    r"\bopen[- ]ended\b|\bwritten\b|\bessay\b|"
    r"\bsee (mark|rating|scoring|rubric|below|next)|\bn/?a\b|記述|freitext|siehe",
    re.IGNORECASE,
)
ALTERNATIVE = re.compile(
    r"\s*(?:\bor\b|\bou\b|\boder\b|\bhoặc\b|\bo\b(?=\s*[A-Z0-9①-⑳])|或者?|または|또는|／|/|\|)\s*", re.IGNORECASE
)
TRUE_WORDS = frozenset(
    [
        "t",
        "true",
        "對",
        "对",
        "是",
        "正确",
        "正確",
        "√",
        "✓",
        "✔",
        "○",
        "〇",
        "◯",
        "o",
        "맞음",
        "richtig",
        "wahr",
        "r",
        "w",
        "vrai",
        "v",
        "verdadero",
        "verdadeiro",
        "vero",
        "v.",
        "sí",
        "si",
        "ja",
        "yes",
        "y",
        "đúng",
        "đ",
        "верно",
        "да",
    ]
)
FALSE_WORDS = frozenset(
    [
        "f",
        "false",
        "錯",
        "错",
        "否",
        "非",
        "不正确",
        "错误",
        "錯誤",
        "×",
        "✗",
        "✘",
        "╳",
        "x",
        "틀림",
        "falsch",
        "faux",
        "falso",
        "fals",
        "no",
        "n",
        "nein",
        "sai",
        "s",
        "неверно",
        "нет",
    ]
)

KEY_NAMES = re.compile(
    r"answer[\s_-]*key|scoring[\s_-]*key|\bkeys?\b|gabarito|\bGB\b|標準答案|参考答案|參考答案|答案|正答|정답표|"
    r"정답|đáp án|clave|corrig[ée]|"
    r"answers?\b|\bans\b|klucz|ключ|schl[üu]ssel|sleutel|facit",
    re.IGNORECASE,
)
SCHEME_NAMES = re.compile(
    r"mark(ing)?[\s_-]*(scheme|guide)|rating[\s_-]*guide|scoring[\s_-]*(guide|rubric|key and rating)|"
    r"\brubric\b|評分(標準|原則|準則)|评分(标准|参考|细则)|"
    r"採点基準|채점\s*기준|bewertung(sschema|shorizont)|erwartungshorizont|bar[èe]me|"
    r"crit[ée]rios? de (classifica|corre)|"
    r"criterios de (correcci|calificaci)|\bms\b|hướng dẫn chấm|griglia di valutazione|bedömnings",
    re.IGNORECASE,
)
SOLUTION_NAMES = re.compile(
    r"\bsolutions?\b|\bsoln?s?\b|worked answers|解答|詳解|详解|解析|略解|풀이|해설|lösung(en)?\b|lsg\b|"
    r"corrig[ée]|soluci[óo]n(es)?|"
    r"solu[çc][ãa]o|resolu[çc][ãa]o|soluzion[ei]|lời giải|решени|lösningar?|lösningsförslag|opplosning|"
    r"uitwerking|løsning",
    re.IGNORECASE,
)
SHEET_NAMES = re.compile(
    r"answer[\s_-]*(sheet|booklet|card)|答案卡|答題卡|答题卡|答案紙|解答用紙|답안지|folha de resposta|"
    r"hoja de respuestas|antwortbogen|feuille de r[ée]ponse",
    re.IGNORECASE,
)
OTHER_NAMES = re.compile(
    r"conversion\s*chart|scale\s*score|raw\s*score|cover\s*sheet|framsida|försättsblad|score\s*report|"
    r"statistics|答對率|specifications?\s*(table)?$|"
    r"syllabus|information\s*(sheet|for)|converting",
    re.IGNORECASE,
)
FORM_WORDS = re.compile(
    r"(홀수|짝수)\s*\)?\s*형|\bcaderno\s*\d+|\b(azul|amarel[oa]|rosa|branc[oa]|cinza|verde|laranja)\b|"
    r"\b(?:set|series|booklet|form|version|variant|code|version code|test form|paper code|fassung|gruppe|"
    r"variante|modelo|tipo|mã đề(?: thi)?|вариант)\s*[-:№]?\s*[(\[]?(?-i:[A-Z]\d{0,2}|\d{1,4})\b|"
    r"[ABCD甲乙丙丁]\s*[卷型]",
    re.IGNORECASE,
)
