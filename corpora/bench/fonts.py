"""Fonts for labels in any script: the machine's own first, then those that PyMuPDF carries for every script.

matplotlib takes each sign from the first font of a list that has it, and shapes the line (from 3.11 on), so Arabic is
joined and written from the right. Fonts of PyMuPDF are handed over as files, which live as long as the process.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

BASE = "DejaVu Sans"
"""Comes with matplotlib: Latin, Greek, Cyrillic, Arabic, Hebrew and more."""
SCRIPTS = range(2, 112)
"""MuPDF's numbers of scripts that it may have a font for."""


def families(labels: Iterable[str]) -> tuple[list[str], list[str]]:
    """(fonts that together write the labels, signs that none of them has)."""
    from matplotlib import font_manager

    wanted = {sign for label in labels for sign in label if not _invisible(sign)}
    base = _cover(font_manager.findfont(BASE))
    missing = sorted(sign for sign in wanted if ord(sign) not in base)
    chosen = [BASE]
    for name, file in _candidates():
        if not missing:
            break
        cover = _cover(file)
        left = [sign for sign in missing if ord(sign) not in cover]
        if len(left) < len(missing):
            chosen.append(name)
            missing = left
    return chosen, missing


def _invisible(sign: str) -> bool:
    return sign.isspace() or unicodedata.category(sign) in ("Cc", "Cf", "Cs")


@lru_cache(maxsize=256)
def _cover(file: str) -> frozenset[int]:
    from matplotlib.ft2font import FT2Font

    return frozenset(FT2Font(file).get_charmap())


def _candidates() -> Iterable[tuple[str, str]]:
    """Fonts to try, as (family, file): sans serif fonts of the machine by name, then those of PyMuPDF."""
    from matplotlib import font_manager

    own = {(entry.name, entry.fname) for entry in font_manager.fontManager.ttflist if _plain(entry)}
    yield from sorted(own)
    yield from _carried()


def _plain(entry: object) -> bool:
    upright = getattr(entry, "style", "") == "normal" and str(getattr(entry, "weight", "")) in ("400", "normal", "book")
    return upright and "Sans" in getattr(entry, "name", "")


@lru_cache(maxsize=1)
def _carried() -> tuple[tuple[str, str], ...]:
    import pymupdf
    from matplotlib import font_manager

    folder = Path(tempfile.mkdtemp(prefix="exam2bench-fonts-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    found: dict[str, str] = {}
    for script in SCRIPTS:
        font = pymupdf.Font(script=script)
        if font.name in found or not font.buffer:
            continue
        file = folder / f"{script}.ttf"
        file.write_bytes(font.buffer)
        font_manager.fontManager.addfont(str(file))
        found[font.name] = str(file)
    return tuple((font_manager.FontProperties(fname=file).get_name(), file) for file in found.values())
