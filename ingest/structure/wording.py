"""Wording that tells a question's type, per language, in one place.

Small general tables: what papers of many countries say when they want several options, a drawing, an
essay, a gap filled. Used by `question_types` together with geometry and the section's directions.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from .vocabulary import folded as plain_text

TRUE_FALSE_PAIRS: tuple[tuple[str, str], ...] = (
    ("true", "false"), ("t", "f"), ("right", "wrong"), ("yes", "no"), ("correct", "incorrect"),
    ("richtig", "falsch"), ("wahr", "falsch"), ("ja", "nein"), ("r", "f"), ("w", "f"), ("trifft zu", "trifft nicht zu"),
    ("vrai", "faux"), ("oui", "non"), ("v", "f"), ("verdadero", "falso"), ("verdadeiro", "falso"), ("vero", "falso"),
    ("sí", "no"), ("sim", "não"), ("waar", "niet waar"), ("sant", "falskt"), ("sann", "usann"), ("prawda", "fałsz"),
    ("верно", "неверно"), ("да", "нет"), ("đúng", "sai"), ("đ", "s"), ("benar", "salah"), ("doğru", "yanlış"),
    ("是", "否"), ("對", "錯"), ("对", "错"), ("正確", "錯誤"), ("正确", "错误"),
    ("正", "誤"), ("○", "×"), ("o", "x"), ("√", "×"),
    ("참", "거짓"), ("예", "아니오"), ("はい", "いいえ"),
    ("सत्य", "असत्य"), ("صح", "خطأ"), ("نعم", "لا"), ("נכון", "לא נכון"),
)  # fmt: skip
"""What the two columns, or the two options, of a true/false question are called."""

_SEVERAL = re.compile(
    r"\bkreuzen sie\b[^.?!]{0,40}\b(aussagen|antworten|behauptungen|sätze)\b[^.?!]{0,20}\bsind\b|"
    r"多選題|多选题|複選題|复选题|多項選擇|多项选择|不定项|不定項|多[項项](?:是)?符合|"
    r"有(?:多[項项个個]|[两兩二]个或[两兩二]个以上)[^。]{0,8}(?:正確|正确|符合)|"
    r"\b(select|choose|tick|mark|check|circle|pick) (all|any|every)\b|\ball that apply\b|"
    r"\bone or more\b|\bmore than one (answer|option)\b|"
    r"\bmultiple[- ]response\b|\bmehrfachauswahl\b|\bmehrere antworten\b|"
    r"\bmehrere (sind )?richtig\b|\bplusieurs réponses\b|\btoutes les\b.*\bexactes\b|"
    r"\bvarias respuestas\b|\btodas las (opciones )?correctas\b|\bassinale todas\b|모두 고르|すべて選|全て選|"
    r"chọn tất cả|все верные|\bones that are true\b",
    re.IGNORECASE,
)
_SINGLE = re.compile(
    r"單選題|单选题|單一選擇|\bsingle[- ]choice\b|\beinfachauswahl\b|\bone (correct|best) answer\b", re.IGNORECASE
)
_COUNTS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "zwei": 2, "drei": 3, "vier": 4, "deux": 2, "trois": 3, "quatre": 4,
    "dos": 2, "tres": 3, "cuatro": 4, "duas": 2, "dois": 2, "três": 3, "due": 2, "tre": 3, "två": 2,
    "twee": 2, "drie": 3, "два": 2, "две": 2, "три": 3, "hai": 2, "ba": 3,
    "二": 2, "兩": 2, "两": 2, "三": 3, "四": 4, "두": 2, "세": 3,
}  # fmt: skip
_NUMBER = "|".join(sorted(_COUNTS, key=len, reverse=True))
_DEMANDED = re.compile(
    rf"應選\s*({_NUMBER}|\d)\s*[項个個]|选[出择]?\s*({_NUMBER}|\d)\s*[项個个]|"
    rf"\b(?:choose|select|tick|mark|circle|pick|shade|kreuzen sie|wählen sie|cochez|choisissez|"
    rf"marque|seleccione|elija|assinale|välj|kies|выберите|chọn)\s+(?:the |any |exactly |only |"
    rf"genau |las |les |as )?({_NUMBER}|[2-5])\b"
    rf"(?!\s*(?:of the (?:events|topics|questions)|questions|aufgaben|topics|essays|of the following questions))|"
    rf"({_NUMBER}|[2-5])\s*つ(?:を)?選|({_NUMBER}|[2-5])\s*개를?\s*고르",
    re.IGNORECASE,
)
_COMBINED = re.compile(r"\b(and|und|et|y|e|и|và)\b|[、,，和與与&]|^[甲乙丙丁戊ㄱ-ㅎ①-⑩IVX]{2,}$")
_WHICH_ONES = re.compile(r"哪些|어느 것들|\bwhich (two|three|four)\b", re.IGNORECASE)
_NAMES_SEVERAL = re.compile(
    r"\bwhich (two|three|four)\b|\bwelche (zwei|drei)\b|\bquelles? sont les (deux|trois)\b", re.IGNORECASE
)
_DRAWS = re.compile(
    r"繪製|繪出|畫出|画出|作圖|作图|繪圖|標示於圖|描け|図示|かけ|作図|그리시오|그려|"
    r"\b(sketch|draw|plot)\b(?! (a )?(conclusions?|inferences?|on|upon|from|attention))|"
    r"\b(zeichnen|skizzieren|zeichne|skizziere|skizze|ergänzen sie (das|die) (diagramm|"
    r"zeichnung))\b|"
    r"\b(dessiner|dessinez|tracer|tracez|esquisser|représenter graphiquement|représentez)\b|"
    r"\b(dibuje|dibuja|trace|represente gráficamente|esboce|desenhe)\b|"
    r"\b(disegna\w*|rita|skissa|teken|нарисуйте|изобразите|постройте график|vẽ)\b|environment diagram",
    re.IGNORECASE,
)
_CODES = re.compile(
    r"\b(pseudo-?code|code|function|funktion|programm?|algorithm\w*|method|class|sql|query)\b", re.IGNORECASE
)
_ESSAY = re.compile(
    r"作文|論述|论述|申論|寫一篇|写一篇|\bessay\b|\bcomposition\b|\bdissert\w+|\brédig\w+|\berörter\w+|"
    r"\baufsatz\b|\bredação\b|\bredacción\b|\bensayo\b|小論文|論じ|논술|서술하시오|"
    r"\b(write|answer in) (about |at least |around |no more than )?\d{3,4}\b|"
    r"\d{3,4}\s*[-–]?\s*(words|mots|palabras|palavras|wörter)|сочинение|\bviết (một )?bài văn\b|"
    r"證明|证明|\bprove\b|\bdiscuss\b",
    re.IGNORECASE,
)
_COMPOSITION = re.compile(
    r"作文|論述|论述|申論|寫一篇|写一篇|\bessay|\bcomposition\b|\brédaction\b|\baufsatz\b|\bredação\b|"
    r"\bredacción\b|\bensayo\b|小論文|논술|сочинение",
    re.IGNORECASE,
)
_FILLS = re.compile(
    r"填充題|填充|填空|選填題|选填|填入|\bfill[- ]in\b|\bfill (in )?the (blanks?|gaps?)\b|"
    r"\bcomplete the (sentence|table|passage|text|paragraph)|\bcloze\b|\blückentext\b|"
    r"\bcompléte[rz]?\b|\bcomplete (las?|los?|el)\b|空欄|空所|빈칸|\bđiền\b|\bзаполните\b|\bpreencha\b|\blacunas\b",
    re.IGNORECASE,
)
_MATCHES = re.compile(
    r"\bmatch(ing)?\b|配合題|配對|配对|連連看|連線|\bzuordn\w+|\bordnen sie\b.*\bzu\b|\bassociez\b|\brelier\b|"
    r"\brelacione\b|\bassocie\b|組合せ|연결",
    re.IGNORECASE,
)


_CHOOSING = (
    "choose", "select", "tick", "mark", "circle", "pick", "shade",
    "check", "apply", "one or more", "more than one",
    "response", "kreuz", "wähl", "mehr", "coch", "chois", "plusieurs", "toutes", "marqu", "selecc", "elij", "varias",
    "todas", "assinal", "välj", "kies", "выбер", "все", "chọn", "選", "选", "多", "有", "고르", "つ", "ones",
)  # fmt: skip
"""Pieces of words without which a text demands no number of options: a quick look before the careful one."""


def _holds(text: str, pieces: tuple[str, ...]) -> bool:
    low = text.casefold()
    return any(piece in low for piece in pieces)


@lru_cache(maxsize=512)
def demanded(text: str) -> int | None:
    """How many options the text demands (`應選3項`, `choose two`); None where it names no number."""
    if not _holds(text, _CHOOSING):
        return None
    match = _DEMANDED.search(plain_text(text))
    if not match:
        return None
    word = next(group for group in match.groups() if group).casefold()
    return int(word) if word.isdigit() else _COUNTS[word]


@lru_cache(maxsize=512)
def wants_several(text: str) -> bool:
    return _holds(text, _CHOOSING) and bool(_SEVERAL.search(plain_text(text)))


@lru_cache(maxsize=512)
def wants_one(text: str) -> bool:
    return bool(_SINGLE.search(plain_text(text)))


def asks_which_ones(text: str) -> bool:
    return bool(_WHICH_ONES.search(plain_text(text)))


_TRUE_OR_FALSE = re.compile(
    r"\b(true or false|true/false|right or wrong|richtig oder falsch|wahr oder falsch|"
    r"vrai ou faux|vrai/faux|verdadero o falso|verdadeiro ou falso|vero o falso|sant eller falskt|"
    r"juist of onjuist|prawda czy fałsz|верно ли|đúng hay sai)\b|是非題|○×|○か×|맞으면 ○",
    re.IGNORECASE,
)


def asks_true_or_false(text: str) -> bool:
    """Whether one statement is put as true or false."""
    return bool(_TRUE_OR_FALSE.search(text))


def names_several(text: str) -> bool:
    """Whether the question asks for a number of things (`which two`)."""
    return bool(_NAMES_SEVERAL.search(text))


def wants_drawing(text: str) -> bool:
    """Whether a drawing is demanded, and not a piece of code in outline."""
    match = _DRAWS.search(text)
    return bool(match) and not _CODES.search(text[match.end() : match.end() + 50] if match else "")


@lru_cache(maxsize=512)
def wants_essay(text: str) -> bool:
    return bool(_ESSAY.search(plain_text(text)))


def directs_essay(text: str) -> bool:
    """Whether a section's directions are those of a composition."""
    return bool(_COMPOSITION.search(plain_text(text)))


@lru_cache(maxsize=512)
def wants_filling(text: str) -> bool:
    return bool(_FILLS.search(plain_text(text)))


def wants_matching(text: str) -> bool:
    return bool(_MATCHES.search(plain_text(text)))


def cell_text(text: str) -> str:
    """A cell's text as the pairs above hold it."""
    return unicodedata.normalize("NFC", text).strip(" .:：()（）[]□☐○").casefold() or text.strip()


def true_false_pair(words: list[str]) -> tuple[str, str] | None:
    """The pair that two cells or option texts make, in the order printed; None where they are none."""
    cells = [cell_text(word) for word in words]
    for first, second in TRUE_FALSE_PAIRS:
        if cells in ([first, second], [second, first]):
            return words[0].strip(), words[1].strip()
    return None


def combines(options: list[str]) -> bool:
    """Whether most options are combinations (`A and B`, `甲丙`): then one of them is picked, whatever their number."""
    return sum(bool(_COMBINED.search(option.strip())) for option in options) >= 0.5 * len(options)
