"""Counters of the world, labels, and the run that the solver takes."""

from __future__ import annotations

import pytest

from exam2bench.ingest.lines import Line
from exam2bench.ingest.page import Box, Word
from exam2bench.ingest.structure.labels import find_labels, parse_labels
from exam2bench.ingest.structure.linetext import LineText
from exam2bench.ingest.structure.numbering import han_value, read_counters, roman_text, roman_value
from exam2bench.ingest.structure.sequence import Surroundings, choose_run


@pytest.mark.parametrize(
    ("text", "system", "value"),
    [
        ("12.", "digit", 12),
        ("１２．", "digit", 12),
        ("٣)", "digit", 3),
        ("③", "circled digit", 3),
        ("❷", "filled digit", 2),
        ("⑵", "bracketed digit", 2),
        ("㈢", "bracketed han", 3),
        ("十二、", "han", 12),
        ("貳、", "han_formal", 2),
        ("丙", "stem", 3),
        ("ウ", "katakana", 3),
        ("다", "syllable", 3),
        ("㉢", "circled jamo", 3),
        ("㉰", "circled syllable", 3),
        ("Ⅳ", "roman_upper", 4),
        ("Б)", "cyrillic_upper", 2),
        ("ب", "arabic", 2),
        ("ג", "hebrew", 3),
        ("ข", "thai", 2),
        ("ख", "devanagari", 2),
        ("Ⓒ", "circled upper", 3),
    ],
)
def test_a_counter_reads_in_its_system(text: str, system: str, value: int) -> None:
    assert (system, value) in [(counter.system, counter.value) for counter in read_counters(text, 0)]


def test_one_letter_may_count_in_two_systems() -> None:
    assert [(c.system, c.value) for c in read_counters("i)", 0)] == [("roman_lower", 1), ("lower", 9)]


@pytest.mark.parametrize("text", ["is", "2024", "Chapter", "iiii", "VX"])
def test_what_is_no_counter(text: str) -> None:
    assert read_counters(text, 0) == []


def test_roman_numerals_there_and_back() -> None:
    assert [roman_value(roman_text(n)) for n in range(1, 90)] == list(range(1, 90))


def test_han_numerals() -> None:
    assert [han_value(t) for t in ("一", "十", "十五", "二十", "九十九", "廿")] == [1, 10, 15, 20, 99, None]


@pytest.mark.parametrize(
    ("text", "form", "role", "value"),
    [
        ("QUESTÃO 91", ("questão", "", "digit", ""), "question", 91),
        ("第1題", ("第", "", "digit", "題"), "question", 1),
        ("1번", ("", "", "digit", "번"), "question", 1),
        ("問３ 次の", ("問", "", "digit", ""), "question", 3),
        ("Aufgabe 2: Graphen", ("aufgabe", "", "digit", ":"), "question", 2),
        ("Part II", ("part", "", "roman_upper", ""), "section", 2),
        ("第貳部分、混合題", ("第", "", "han_formal", "部分,"), "section", 2),
        ("圖 3", ("圖", "", "digit", ""), "figure", 3),
        ("T1A07 (C)", ("", "", "code A9A99", ""), "question", 7),
        ("【12】設", ("", "[", "digit", "]"), "plain", 12),
        ("（b）判定", ("", "(", "lower", ")"), "plain", 2),
        ("[A]. text", ("", "[", "upper", "]"), "plain", 1),
        ("2.3 Show", ("", "", "path 2", ""), "plain", 3),
    ],
)
def test_a_label_is_decomposed(text: str, form: tuple[str, str, str, str], role: str, value: int) -> None:
    assert (form, role, value) in [(label.form, label.role, label.value) for label in parse_labels(text, 0)]


@pytest.mark.parametrize("text", ["1.5 V is", "問題の解答", "The result"])
def test_what_only_looks_like_a_label(text: str) -> None:
    assert [label for label in parse_labels(text, 0) if not label.path and label.role != "figure"] == []


def _page(lines: list[tuple[float, str]]) -> list[LineText]:
    """Lines at an indent, one below the other, as the layer would give them."""
    column, texts, index = Box(50, 50, 550, 800), [], 0
    for row, (indent, text) in enumerate(lines):
        x, y, words = 50 + indent, 60.0 + 20 * row, []
        for part in text.split(" "):
            words.append(Word(index, part, Box(x, y, x + 5 * len(part), y + 11), "Serif", 11.0, baseline=y + 9))
            x, index = x + 5 * len(part) + 3, index + 1
        box = Box(words[0].box.x0, y, words[-1].box.x1, y + 11)
        texts.append(LineText(Line(0, 0, tuple(words), box, 0, 0, column)))
    return texts


def _run(lines: list[tuple[float, str]]) -> list[str]:
    return [label.printed for label in choose_run(find_labels(_page(lines)), Surroundings())]


def test_a_list_inside_a_stem_is_not_numbering() -> None:
    stem = [(0.0, f"{n}. What is it?") for n in range(1, 4)]
    listed = [(20.0, f"{n}. a statement") for n in range(1, 4)]
    assert _run([*stem, (0.0, "4. Which are true?"), *listed, (0.0, "5. Why?"), (0.0, "6. How?")]) == [
        "1.", "2.", "3.", "4.", "5.", "6.",
    ]  # fmt: skip


def test_options_are_not_numbering_though_they_come_oftener() -> None:
    lines: list[tuple[float, str]] = []
    for n in range(1, 8):
        lines += [(0.0, f"{n} Which one is right?"), *((18.0, f"({k}) choice") for k in range(1, 5))]
    assert _run(lines) == [str(n) for n in range(1, 8)]


def test_an_outer_run_explains_restarts() -> None:
    lines: list[tuple[float, str]] = []
    for n in range(1, 4):
        lines += [(0.0, f"Exercice {n} (5 points)"), *((0.0, f"{k}. Calculer la limite.") for k in range(1, 9))]
    assert _run(lines) == ["Exercice 1", "Exercice 2", "Exercice 3"]


def test_numbering_may_begin_anywhere_and_in_any_language() -> None:
    assert _run([(0.0, f"Tehtävä {n}. Laske.") for n in range(31, 36)]) == [f"Tehtävä {n}." for n in range(31, 36)]
