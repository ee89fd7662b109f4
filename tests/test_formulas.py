"""Formulas of a printed line: what reads as text, and what is said not to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from exam2bench.ingest.draft import DraftOption, DraftQuestion, Figure
from exam2bench.ingest.formulas.linearise import LineReader, linearise, needs_snapshot
from exam2bench.ingest.lines import Line
from exam2bench.ingest.page import Box, LayerTrust, Page, Stroke, Word
from exam2bench.ingest.pages.glyphs import decode


def word(text: str, x: float, baseline: float, size: float = 10, width: float | None = None, **more: Any) -> Word:
    """A word whose box is half its size a character wide."""
    wide = width if width is not None else 0.5 * size * len(text)
    box = Box(x, baseline - 0.9 * size, x + wide, baseline + 0.25 * size)
    return Word(0, text, box, size=size, baseline=baseline, **more)


def rule(x0: float, x1: float, y: float) -> Stroke:
    return Stroke("horizontal", Box(x0, y - 0.2, x1, y + 0.2))


def read(words: list[Word], strokes: tuple[Stroke, ...] = ()) -> tuple[str, bool]:
    line = LineReader(strokes).read(words)
    return line.text, line.certain


def test_a_plain_line_is_joined_as_prose() -> None:
    assert read([word("What", 0, 100), word("is", 23, 100), word("it?", 36, 100)]) == ("What is it?", True)


def test_scripts_become_unicode() -> None:
    words = [
        word("x", 0, 100),
        word("2", 5, 96, 7),
        word("+", 11, 100),
        word("H", 18, 100),
        word("2", 23, 102, 7),
        word("O", 27, 100),
    ]
    assert read(words) == ("x² + H₂O", True)


def test_scripts_without_a_character_of_their_own_become_mathematics() -> None:
    assert read([word("a", 0, 100), word("n", 5, 102, 7), word("=", 12, 100), word("7", 19, 100)])[0] == "a$_{n}$ = 7"


def test_an_ordinal_stays_as_it_is() -> None:
    assert read([word("19", 0, 100), word("th", 10, 96, 6), word("century", 20, 100)])[0] == "19th century"


def test_a_fraction_over_a_bar() -> None:
    words = [word("half", 0, 100), word("1", 31, 93), word("2", 31, 107), word("left", 45, 100)]
    assert read(words, (rule(30, 37, 96.5),)) == (r"half $\frac{1}{2}$ left", True)


def test_a_root_in_a_denominator() -> None:
    words = [word("−", 0, 100), word("1", 15, 92), word("√", 8, 108, width=6), word("3", 15, 108)]
    strokes = (rule(5.5, 22, 97), rule(14, 21, 99.5))
    assert read(words, strokes)[0] == r"−$\frac{1}{\sqrt{3}}$"


def test_a_root_whose_sign_is_drawn() -> None:
    words = [word("area", 0, 100), word("s(s−a)", 40, 100)]
    hook = Stroke("other", Box(31, 91, 39.5, 101))
    assert read(words, (rule(39, 70, 91.2), hook)) == (r"area $\sqrt{s(s−a)}$", True)


def test_a_word_that_runs_past_the_roof_is_cut_there() -> None:
    words = [word("2", 0, 100), word("√", 5, 100, width=6), word("3)", 11, 100)]
    assert read(words, (rule(11, 16.2, 92),))[0] == r"2$\sqrt{3}$)"


def test_overlines_name_segments_and_arrows_vectors() -> None:
    words = [word("AB", 0, 100), word("=", 15, 100), word("→", 24, 94, 6, width=6), word("u", 25, 100)]
    assert read(words, (rule(0, 10, 92),))[0] == r"$\overline{AB}$ = $\vec{u}$"


def test_the_limits_of_an_operator_come_behind_it() -> None:
    words = [word("k=1", 0, 108, 6), word("∑", 2, 101, 14, width=8), word("n", 4, 88, 6), word("k", 13, 100)]
    assert read(words)[0] == "∑$_{k=1}$ⁿ k"


def test_the_parts_of_a_tall_bracket_are_one_bracket() -> None:
    words = [
        word("⎛", 0, 93),
        word("⎝", 0, 103),
        word("x", 6, 93),
        word("z", 6, 107),
        word("⎞", 12.5, 93),
        word("⎠", 12.5, 103),
    ]
    assert read(words, (rule(5, 12, 96.5),))[0] == r"($\frac{x}{z}$)"


def test_a_bar_set_as_a_glyph_counts_as_a_bar() -> None:
    # equation fonts scale the bar's glyph to its width
    words = [word("37", 0, 93, 10), word("―", -1, 104, 17, width=13), word("4", 3, 107, 10)]
    assert read(words)[0] == r"$\frac{37}{4}$"


def test_a_line_that_is_only_a_roof_is_empty() -> None:
    assert read([word("―", 0, 100), word("―", 40, 100)]) == ("", True)


def test_a_table_rule_is_no_overline() -> None:
    walls = (Stroke("vertical", Box(-3, 85, -2.6, 110)), Stroke("vertical", Box(23, 85, 23.4, 110)))
    assert read([word("1111", 0, 100)], (rule(-3, 23.4, 91), *walls)) == ("1111", True)


def test_a_matrix_between_tall_brackets() -> None:
    words = [word("T=", 0, 100), word("⎡", 12, 95), word("⎣", 12, 105), word("3", 18, 94), word("0", 33, 94)]
    words += [word("a", 18, 107), word("1", 33, 107), word("⎤", 39, 95), word("⎦", 39, 105)]
    assert read(words) == (r"T= $\left[\matrix{3 & 0 \cr a & 1}\right]$", True)


def test_two_rows_behind_a_brace_are_cases() -> None:
    words = [word("⎧", 0, 90), word("⎨", 0, 100), word("⎩", 0, 110), word("x+y=6", 6, 94), word("x=1", 6, 107)]
    words.append(word("holds", 40, 100))
    assert read(words) == (r"$\cases{x+y=6 \cr x=1}$ holds", True)


def test_rows_without_brackets_are_said_not_to_read() -> None:
    words = [word("T=", 0, 100), word("3", 14, 94), word("0", 24, 94), word("a", 14, 106), word("1", 24, 106)]
    text, certain = read(words)
    assert certain is False
    assert sorted(ch for ch in text if ch.isalnum()) == sorted("T30a1")


def test_letters_and_digits_are_kept_one_for_one() -> None:
    words = [word("f", 0, 100), word("2", 6, 95, 6), word("3", 6, 105, 6), word("g", 12, 88), word("h", 12, 112)]
    text, _ = read(words, (rule(11, 18, 97),))
    assert sorted(ch for ch in text.replace("frac", "") if ch.isalnum() or ch in "²₃") == sorted("f²₃gh")


def test_ocr_words_have_no_scripts() -> None:
    words = [word("6", 0, 100, origin="ocr"), word("c)", 8, 104, 7, origin="ocr")]
    assert read(words) == ("6 c)", True)


def test_a_gloss_beside_a_character_is_no_exponent() -> None:
    assert read([word("第二", 0, 100), word("교시", 21, 96, 6)])[0].replace(" ", "") == "第二교시"


def test_linearise_takes_the_strokes_of_the_page() -> None:
    assert linearise([word("1", 1, 93), word("2", 1, 107)], (rule(0, 7, 96.5),)) == r"$\frac{1}{2}$"


def _page(*strokes: Stroke) -> Page:
    return Page(0, 0, 200, 200, 0, (), tuple(strokes), (), LayerTrust(True))


def _line(words: list[Word]) -> Line:
    return Line(0, 0, tuple(words), Box(0, 90, 100, 110), 0, 0, Box(0, 0, 200, 200))


def test_a_snapshot_is_needed_where_something_does_not_read() -> None:
    pages = {(0, 0): _page()}
    plain = DraftQuestion("1.", "1", stem=[_line([word("Why?", 0, 100)])])
    assert needs_snapshot(plain, pages) is False
    glyph = DraftOption("A", [_line([word("\ue123", 0, 100, readable=False)])])
    assert needs_snapshot(DraftQuestion("1.", "1", options=[glyph]), pages) is True
    drawn = DraftQuestion("1.", "1", unread=[Figure(0, 0, Box(0, 0, 9, 9), "formula")])
    assert needs_snapshot(drawn, pages) is True


@pytest.mark.parametrize(
    ("font", "text", "shown"),
    [
        ("ABCDEF+SymbolMT", "\uf0b4\uf061\uf0a3", "×α≤"),
        ("Wingdings-Regular", "\uf0fc\uf06f", "✓□"),
        ("HyhwpEQ", "\ue0ea\ue044\ue0fc\ue045\ue047\ue034\ue03d", "f(x)=10"),
        ("MT-Extra", "\uf04c", "⋯"),
        ("TimesNewRoman", "\uf0b4", "\uf0b4"),
        ("SymbolMT", "plain", "plain"),
    ],
)
def test_glyphs_of_symbol_fonts_read_as_what_they_show(font: str, text: str, shown: str) -> None:
    assert decode(font, text) == shown


def test_drawn_pages_read_the_same_way(tmp_path: Path) -> None:
    from exam2bench.tests.drawn import draw

    def paint(page: Any) -> None:
        page.insert_text((60, 100), "The share is", fontsize=11)
        page.insert_text((131, 93), "3", fontsize=11)
        page.draw_line((129, 96.5), (139, 96.5), width=0.5)
        page.insert_text((131, 108), "8", fontsize=11)
        page.insert_text((143, 100), "of it.", fontsize=11)

    drawn = draw(tmp_path / "a.pdf", paint)
    (line,) = drawn.reading.lines
    assert linearise(line.words, drawn.pages[0].strokes) == r"The share is $\frac{3}{8}$ of it."
