"""Captions: how papers number their figures and tables, and where a text refers to one.

The words for figure and table are vocabulary of the languages, not of any paper; a label is one of them
with a number (`圖3`, `Figure 2a`, `Abb. 1`, `表二`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_FIGURE = (
    "figure|fig|diagram|graph|chart|map|illustration|picture|photo|cartoon|document|source|abbildung|abb|bild|schaubild|"
    "grafik|figura|gr[aá]fico|ilustra[cç][aã]o|ilustraci[oó]n|esquema|mapa|foto|texto|figur|hình|рисунок|рис|rysunek|rys|"
    "afbeelding|kuva|şekil|resim|schéma|carte"
)
_TABLE = "table|tabelle|tab|tabela|tabla|quadro|cuadro|tableau|tabell|bảng|таблица|табл|taulukko|tablo|tabel"
_CJK_FIGURE = "圖|图|図|그림|附圖|附图|照片"
_CJK_TABLE = "表|표|附表"
_NUMBER = r"(?P<number>[0-9]{1,3}(?:[-–.][0-9]{1,3})*(?:\s?[a-z]\b)?|[ivx]{1,5}\b|[a-z]\b)"
_CJK_NUMBER = r"(?P<number>[0-9]{1,3}(?:[-–][0-9]{1,3})*|[一二三四五六七八九十]{1,3}|[甲乙丙丁]|[a-z]\b)"
_LATIN_LABEL = re.compile(
    rf"(?<![^\W\d_])(?:(?P<figure>{_FIGURE})|(?P<table>{_TABLE}))s?\s?[.:]?\s?(?:n[º°o.]\s?)?\(?{_NUMBER}",
    re.IGNORECASE,
)
_CJK_LABEL = re.compile(
    rf"(?:(?P<figure>{_CJK_FIGURE})|(?P<table>{_CJK_TABLE}))\s?[（(]?\s?{_CJK_NUMBER}", re.IGNORECASE
)

# a number, a letter alone or a Chinese numeral: without one nothing is numbered
_HINT = re.compile(r"[0-9]|\b[a-zivx]{1,5}\b|[一二三四五六七八九十甲乙丙丁]")
_START = re.compile(rf"\s?(?:{_FIGURE}|{_TABLE}|{_CJK_FIGURE}|{_CJK_TABLE})", re.IGNORECASE)

Kind = Literal["figure", "table"]


@dataclass(frozen=True)
class Label:
    """A numbered reference to a figure or table. `printed` is the text of it, `number` folded for comparison."""

    kind: Kind
    number: str
    printed: str
    start: int
    end: int

    @property
    def key(self) -> tuple[Kind, str]:
        return self.kind, self.number


def labels_in(text: str) -> list[Label]:
    """Every numbered figure or table that the text names, in order; `圖2、3` and `Figures 2 and 3` name two."""
    plain = _fold(text)
    found: list[Label] = []
    if not _HINT.search(plain):
        return found
    for pattern in (_CJK_LABEL, _LATIN_LABEL):
        for match in pattern.finditer(plain):
            kind: Kind = "table" if match["table"] else "figure"
            number = match["number"].strip(" ").replace(" ", "")
            found.append(Label(kind, number, text[match.start() : match.end()].strip(), match.start(), match.end()))
            found.extend(_further(plain, text, kind, match.end()))
    return sorted(found, key=lambda label: label.start)


_FURTHER = re.compile(
    r"\s?(?:[、,，&~–-]|and|und|et|y|e|及|與|与|和|to|bis|à|至)\s?([0-9]{1,3})(?![0-9.a-z]|\s?[%°題题分年])"
)


def _further(plain: str, text: str, kind: Kind, at: int) -> list[Label]:
    found: list[Label] = []
    while match := _FURTHER.match(plain, at):
        found.append(Label(kind, match[1], text[match.start(1) : match.end(1)], match.start(1), match.end(1)))
        at = match.end()
    return found


def caption_label(text: str) -> Label | None:
    """The label that a caption begins with, or None where the text is none.

    A caption is the label alone, the label and a title, never a sentence that goes on about the figure
    (`圖3為…`, `Figure 2 shows that …`).
    """
    if not _START.match(text):
        return None
    found = labels_in(text.strip())
    if not found or found[0].start > 1 or found[0].end - found[0].start > 16:
        return None
    rest = text.strip()[found[0].end :].lstrip(")）").strip()
    if not rest or rest[0] in ".:：．。-–—)）":
        return found[0]
    return None if _GOES_ON.match(rest) or len(rest) > 120 else found[0]


_GOES_ON = re.compile(
    r"[為为是顯示所中的與与和、,，]|(?:shows?|is|are|depicts?|represents?|illustrates?|and|below|above|zeigt|ist|und|montre|"
    r"est|mostra|apresenta|representa|muestra|ilustra|e|y|et)\b|[은는이가의에을를와과]|는|が|は|に|の|を|と",
    re.IGNORECASE,
)


_WIDE = {0xFF01 + i: 0x21 + i for i in range(94)} | {0x3000: 0x20}


def _fold(text: str) -> str:
    """Full-width digits and letters as ASCII, lower case; the length is kept so that offsets stay true."""
    if text.isascii():
        return text.lower()
    lowered = text.translate(_WIDE).lower()
    return lowered if len(lowered) == len(text) else text
