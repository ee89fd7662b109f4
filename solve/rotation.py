"""How often a choice question is asked with its options moved on, and when they must stay where they are.

CircularEval (Liu et al. 2023, MMBench): N askings, the options' contents moved on under labels that stay. An option
that speaks of the others by their place ("all of the above", "both A and B", 以上皆是) says something else once they
move, and options that are nothing but the letters of a figure would change their meaning: such questions are asked
once, as printed, and the sheet says why.
"""

from __future__ import annotations

import re
import unicodedata

from ..models.paper_parts import block_text
from ..schemas.content import ImageBlock
from ..schemas.errors import UsageError
from ..schemas.exam import CHOICE_TYPES, Option, Question

# words by which an option speaks of the others' places, in the languages of exams; folded, so lower case and NFKC
_OF_THE_OTHERS = re.compile(
    r"""
    \b(?:all|none|any|each|both|neither|two|some|most|one|either)\s+(?:of\s+)?(?:the\s+)?(?:\w+\s+)?
        (?:above|below|preceding|previous|foregoing|following|aforementioned|listed|(?:other\s+)?(?:options|choices|answers|alternatives))\b
  | \b(?:all|none|both|neither)\s+of\s+(?:these|those|them|the\s+others)\b
  | \b(?:above|preceding|previous|other)\s+(?:options?|choices?|answers?|statements?|alternatives?)\b
  | \b(?:all|none|both|neither)(?:\s+(?:are|is)\s+\w+)?\s*\.?\s*$
  | 以上|上述|上列|前述|以下皆|以下都|(?:皆|都|均)(?:是|非|不是|對|对|正確|正确)\s*。?$
  | (?:其他|其它|其餘|其余)(?:選項|选项)
  | 上記|上の(?:すべて|全て|どれ)|(?:すべて|全て)(?:正しい|誤り|当てはまる)|いずれも|どれも
  | 위의|위\s*(?:모두|전부)|모두\s*(?:맞|옳|틀)|해당\s*없음|정답\s*없음
  | \b(?:todas?|todos?|ningun[ao]|ambas?|ambos|ninguém|nenhum[ao]?)\b.{0,30}
        \b(?:anterior(?:es)?|acima|opciones|opções|alternativas|respuestas|respostas)\b
  | \b(?:toutes?|tous|aucune?|les\s+deux)\b.{0,30}\b(?:ci-dessus|précédent(?:e?s)?|réponses?|propositions?|choix)\b
  | \b(?:tutt[ei]|nessun[ao]?|entramb[ei])\b.{0,30}\b(?:precedenti|sopra|risposte|opzioni|alternative)\b
  | \b(?:alle|kein[er]?s?|beide|sämtliche)\b.{0,30}
        \b(?:oben|obigen|genannten|vorstehenden|antworten|aussagen|möglichkeiten)\b
  | \b(?:alle|geen|geen\s+van)\b.{0,30}\b(?:bovenstaande|genoemde|antwoorden)\b
  | (?:все|вс[её]|ни\s+один|ни\s+одно|оба)\b.{0,20}(?:вышеперечисленн|перечисленн|вышеуказанн|вариант|ответ)
  | (?:wszystkie|żadn[ae]|żadne)\b.{0,30}(?:powyższ|odpowied)
  | (?:yukarıdakiler|hepsi|hiçbiri)
  | (?:جميع|كل|لا\s*شيء)\s*(?:ما|مما)\s*(?:سبق|ذكر)
  | (?:semua|tidak\s+ada)\b.{0,20}\bdi\s+atas\b|(?:tất\s+cả|không)\b.{0,20}(?:trên|đáp\s*án)
    """,
    re.VERBOSE,
)
_NAMED = (
    r"(?:option|choice|answer|alternative|statement|選項|选项|選択肢|보기"
    r"|opción|opção|réponse|risposta|antwort|вариант)"
)
_JOIN = r"(?:,|;|&|and|or|nor|und|oder|y|o|e|et|ou|и|или|和|與|与|及|或|跟|、|と|및|와|과)"


def rotation_shifts(question: Question, wanted: int | None) -> tuple[int, ...]:
    """The shifts to ask, spread evenly over the options: 0 is as printed. `wanted`: None for as many as options."""
    count = len(question.options or [])
    if question.type not in CHOICE_TYPES or fixed_because(question):
        return (0,)
    asked = count if wanted is None else min(wanted, count)
    return tuple(turn * count // asked for turn in range(asked))


def parse_rotate(text: str) -> int | None:
    """`all` as None, `3` as 3. Raises UsageError."""
    if text == "all":
        return None
    if text.isascii() and text.isdigit() and 2 <= int(text) <= 100:
        return int(text)
    raise UsageError(f"--rotate {text!r} is neither `all` nor a number of askings from 2 on")


def fixed_because(question: Question) -> str | None:
    """Why the options of a choice question must stay in place; None where they may move."""
    if question.type not in CHOICE_TYPES:
        return None
    options = question.options or []
    labels = [_folded(option.id).strip("().[] ") for option in options]
    for option in options:
        text = _folded(_text(option))
        pictured = any(isinstance(block, ImageBlock) for block in option.content)
        if text.strip("().[] ") in ("", *labels) and not pictured:
            return f"option {option.id} is only a letter, so the option itself stands elsewhere"
        if _OF_THE_OTHERS.search(text) or _names_labels(text, labels):
            return f"option {option.id} speaks of the other options by their place"
    return None


def _names_labels(text: str, labels: list[str]) -> bool:
    """Whether a text names options: two labels joined (`a and c`), one in brackets, one behind the word option."""
    label = "|".join(re.escape(one) for one in sorted(labels, key=len, reverse=True))
    one = rf"[(\[]?(?:{label})[)\].]?"
    # 1 and 2 are as often numbers as they are labels: joined digits count only in brackets or behind `option`
    joined = "" if all(name.isdigit() for name in labels) else rf"|(?<!\w){one}\s*{_JOIN}\s*{one}(?!\w)"
    return re.search(rf"(?<!\w)[(\[](?:{label})[)\]]|{_NAMED}s?\s*{one}(?!\w){joined}", text) is not None


def _text(option: Option) -> str:
    return " ".join(block_text(block) for block in option.content if not isinstance(block, ImageBlock))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()
