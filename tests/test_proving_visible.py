"""What a reader sees of Markdown and LaTeX, and what is no LaTeX any more."""

from __future__ import annotations

import pytest

from exam2bench.ingest.formulas.visible import latex_faults, seen
from exam2bench.ingest.proving.letters import folded, letters_of


@pytest.mark.parametrize(
    ("markdown", "letters"),
    [
        (r"$\frac{a}{b}$", "ab"),
        (r"$\dfrac{x+1}{2}$", "x12"),
        (r"$\sqrt[3]{x}$", "3x"),
        (r"$\alpha\le\Omega$", "αω"),
        (r"$\sin\theta=\log_{10}x$", "sinθlog10x"),
        (r"$\overrightarrow{AB}\times\vec{v}$", "abv"),
        (r"$\begin{cases} ax+6y=6 \\ x+by=1 \end{cases}$", "ax6y6xby1"),
        (r"$\begin{array}{cc} 1 & 2 \\ 3 & 4 \end{array}$", "1234"),
        (r"$\text{if } x>0$", "ifx0"),
        (r"$\mathrm{H_2O}$ and H₂O", "h2oandh2o"),
        (r"$\hspace{1cm}y\phantom{123}$", "y"),
        (r"costs \$5 and 50\%", "costs5and50"),
        ("**bold** and _it_ and <u>11</u> <br> x", "boldanditand11x"),
        ('`printf("\\n")` shows $n$', "printfnshowsn"),
        ("![a tree](assets/q1.png) text", "text"),
        ("a < b and <iostream>", "abandiostream"),
        ("ｅｑｕａｌ ① Ⅱ ﬁne ½", "equal1iifine12"),
        ("e\u0301tude", "étude"),
        (r"\alpha outside", "αoutside"),
    ],
)
def test_visible_symbols(markdown: str, letters: str) -> None:
    assert letters_of(markdown).text == letters


def test_formulas_are_told_from_prose() -> None:
    assert [(run.text.strip(), run.math) for run in seen("Let $x=1$ be \\(y\\).")] == [
        ("Let", False),
        ("x=1", True),
        ("be", False),
        ("y", True),
        (".", False),
    ]


def test_words_and_signs_have_their_places() -> None:
    found = letters_of(r"If $x\le 10$, then 50%.")
    assert found.words == ("if", "x", "10", "then", "50")
    assert found.signs == {3: "≤"}
    assert [found.words[t] for t in found.tokens] == ["if"] * 2 + ["x"] + ["10"] * 2 + ["then"] * 4 + ["50"] * 2


def test_each_han_character_is_a_word() -> None:
    assert letters_of("光合作用2次").words == ("光", "合", "作", "用", "2", "次")


def test_page_words_and_claims_fold_alike() -> None:
    assert folded("∆ABC") == letters_of(r"$\Delta ABC$").text == "δabc"
    assert folded("ϕ") == letters_of(r"$\phi$").text


@pytest.mark.parametrize(
    "markdown",
    [
        "$\x0crac{1}{2}$",
        "$frac{1}{2}$",
        "$a imes b$",
        "$\\frac{1}{2$",
        "$}x{$",
        "x = \\frac{1}{2}",
        "$a leq b$",
    ],
)
def test_broken_latex_is_named(markdown: str) -> None:
    assert latex_faults(markdown)


@pytest.mark.parametrize(
    "markdown",
    [
        r"$\frac{1}{2}$ and $\text{the text (times two)}$",
        "`x\\frac{` in code is what it is",
        "no formula, 3 times a day, text {in braces}",
        r"$\left\{ x \right\}$ and $\{1,2\}$",
        "```\nbegin { text {\n```",
        "line\nbreak\tand tab",
    ],
)
def test_sound_text_is_left_alone(markdown: str) -> None:
    assert latex_faults(markdown) == []
