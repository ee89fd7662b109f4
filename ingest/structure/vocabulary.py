"""What papers of the world call things: one place for the few words the layout engine knows.

Words only tip the balance where geometry and sequence leave a choice; a paper in a language that is not
here still reads by its numbering. Words are compared case-folded, without full stops.
"""

from __future__ import annotations

import re
import unicodedata


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


QUESTION_WORDS = _words(
    "q question questions no nr n° nº № problem task item exercise ex "
    "aufgabe frage exercice probleme problème pregunta ejercicio problema cuestión cuestion reactivo "
    "questão questao exercício exercicio domanda esercizio quesito vraag opgave opdracht uppgift fråga oppgave opgave "
    "tehtävä zadanie pytanie úloha otázka feladat kérdés soru задание вопрос задача завдання питання "
    "câu bài soal nomor ข้อ السؤال سؤال שאלה प्रश्न প্রশ্ন "
    "第 題 题 問 问 문제 문항 문 제"
)
"""Before a number: this is a question."""

QUESTION_TAILS = _words("題 题 問 问 번 문 문항 문제 小題 小题")
"""After a number: `第1題`, `1번`."""

NO_TAILS = _words("問題 问题 題組 题组 題目 题目 題型 题型 題材 题材 問い 문제 번째 部首 節目 节目 大題")
"""Words that begin like a tail but are none."""

SECTION_WORDS = _words(
    "part section paper unit component teil abschnitt partie parte sección seccion seção "
    "secao sezione deel del osa "
    "część часть раздел phần bagian ตอนที่ ตอน קטע פרק भाग खंड subelement module "
    "option opción opcion opção opzione elective bloque bloco bloc"
)
SECTION_TAILS = _words("部分 部份 部 大題 大题 大問 부 단원 卷 節 节 篇")

FIGURE_WORDS = _words(
    "figure fig figures table tab chart diagram graph map image photo "
    "picture illustration plate box exhibit appendix "
    "abbildung abb tabelle figura tabela tabla tableau gráfico grafico imagem imagen quadro hình bảng "
    "圖 图 図 表 그림 표 рис рисунок таблица "
    "document doc source text passage extract line lines step case speaker paragraph note "
    "footnote page p pp chapter "
    "example 例 註 注 文章 資料 史料 材料 texto texte fall beispiel étape schritt hinweis "
    "year grade form code version level"
)
"""Before a number: this counts something else."""


_INSTRUCTION_HEADS = re.compile(
    r"注意事項|注意事项|作答注意|考生須知|考生须知|答题须知|解答上の注意|受験上の注意|"
    r"注意\s*[:：]|유의\s*사항|확인\s*사항|"
    r"\binstructions?\b|\binstrucciones\b|\binstruções\b|\bleia atentamente\b|\bhinweise\b|\bconsignes?\b|"
    r"\binformation for candidates\b|\badvice (for|to) candidates\b|\bread (the following|"
    r"these) (instructions|carefully)\b|^(exam(ination)? )?rules\W*$|"
    r"^policies\b|\bgeneral directions\b|\blưu ý\b|\bhướng dẫn\b|\bинструкция\b|अनुदेश|निर्देश|تعليمات|הוראות|"
    r"\bnotes? to (the )?(candidates|students)\b|\bregeln\b|\bistruzioni\b|\bbemærk\b|\bpetunjuk\b|試験上の注意",
    re.IGNORECASE,
)
_REFERENCE_HEADS = re.compile(
    r"參考公式|参考公式|公式集|可能用到的|元素週期表|周期表|物理常數|参考データ|定数表|공식|"
    r"\bformula(e|s)? (sheet|booklet|list|table)|\blist of formula|\bformelsammlung\b|\bformulaire\b|\bformulario\b|"
    r"\bdata (sheet|booklet)\b|\bperiodic table of\b|\bconstants\b.{0,12}$|\breference (sheet|"
    r"table|formulas?|information)\b",
    re.IGNORECASE,
)
_CHOICE_HEADS = re.compile(
    r"選擇題|选择题|單選題|单选题|多選題|多选题|單一選擇|测驗題|測驗題|選択|선다형|객관식|"
    r"multiple[- ]choice|mehrfachauswahl|"
    r"\bq\.?c\.?m\b|choix multiple|opción múltiple|seleccion|objetiva|múltipla escolha|trắc nghiệm|objective",
    re.IGNORECASE,
)
_OPEN_HEADS = re.compile(
    r"非選擇題|非选择题|解答題|解答题|申論題|论述|問答題|简答|簡答|計算題|作文|記述|서답형|서술형|논술형|단답형|"
    r"free[- ]response|short[- ]answer|long[- ]answer|structured questions?|essay|tự luận|"
    r"dissertativ|discursiv|rédaction",
    re.IGNORECASE,
)
_SECTION_HEADS = re.compile(
    r"題\s*[（(:：]|題$|题$|题\s*[:：（(]|部分|測驗|测验|選擇|选择|填充|填空|閱讀|阅读|寫作|"
    r"写作|作文|翻譯|翻译|中譯英|英譯中|단답형|선다형|선택과목|"
    r"\b(comprehension|vocabulary|reading|listening|writing|grammar|multiple[- ]choice|"
    r"short[- ]answer|essay|translation)\b",
    re.IGNORECASE,
)


_NOTICES = re.compile(
    r"背面|[尚還还]有試題|試題[結结]束|試題完|以下空白|\bturn over\b|\bgo on to\b|\bnext page\b|"
    r"\bend of (the )?(test|"
    r"exam\w*|paper|section|part|questions?)\b|"
    r"^stop\b|이어서|확인 사항|\btournez\b|\bbitte wenden\b|裏面|問題は次のページ|\bblank page\b|\bdo not write\b|"
    r"\bfim da prova\b|^hết$|^\W*hết\W*$|\bbogen wenden\b",
    re.IGNORECASE,
)


def is_notice(text: str) -> bool:
    """Whether a short line only tells the candidate to turn the page or to stop."""
    return len(text) <= 60 and bool(_NOTICES.search(text.strip()))


def plain(word: str) -> str:
    """A word as the tables hold it."""
    return word.strip(" .:：,").casefold()


def heads_instructions(text: str) -> bool:
    """Whether a short line is the heading of instructions to candidates."""
    return len(text) <= 70 and may_head(text) and bool(_INSTRUCTION_HEADS.search(text))


def heads_reference(text: str) -> bool:
    """Whether a short line is the heading of a formula sheet or data table for the whole paper."""
    return len(text) <= 60 and may_head(text) and bool(_REFERENCE_HEADS.search(text))


def may_head(text: str) -> bool:
    """Whether a line can be a heading at all: no label at its head, not going on from another line, no sentence."""
    if not text or text[0] in "(（[①②③④⑤⑥" or (len(text) > 1 and text[1] in ".)）．、"):
        return False
    return not text[:1].islower() and text.rstrip()[-1:] not in (".", ",", ";", "，", "。", "；")


def heads_section(text: str) -> bool:
    """Whether a short text names a kind of questions, as section headings do."""
    return bool(_SECTION_HEADS.search(folded(text)))


def names_open(text: str) -> bool:
    """Whether directions speak of questions answered in writing."""
    return bool(_OPEN_HEADS.search(folded(text))) and not re.search(r"混合題|混合题|\bmixed\b", text)


def names_choice(text: str) -> bool:
    """Whether directions speak of choice questions."""
    plain_text = folded(text)
    return bool(_CHOICE_HEADS.search(plain_text)) and not re.search(r"非選擇題|非选择题", plain_text)


STIMULUS_WORDS = _words(
    "document doc source text passage extract texto texte quelle material fuente fonte documento document "
    "testo tekst текст источник 資料 史料 材料 文章 자료 지문"
)
"""Before a number or letter: this heads a stimulus (`Document 3`, `Text 1`, `Source B`)."""


def folded(text: str) -> str:
    """Text with compatibility characters (`㆒`, `２`) in their plain form."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)
