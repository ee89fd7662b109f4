"""A paper that is hard to write as XML: hostile texts, figures and tables in every place, keys that say little."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from exam2bench.schemas.bundle import Bundle, save_bundle
from exam2bench.schemas.exam import Exam
from exam2bench.schemas.grading import GradingSpec
from exam2bench.schemas.manifest import Manifest

from ..published import picture

# texts that a paper may hold and that an export has to survive
TEXTS = [
    "# Heading\n\nText with *stress*, **weight**, `code` and a line\\\nbreak.\n\n> a quotation with $x^2$\n\n---",
    "3. three\n4. four\n   - inside\n\n     7) deeper\n\nand\n\n1. one\n2. two\n\nand\n\n1. first\n3. third",
    "2019. It was a year. {{ 7 * 7 }} {{constructor}} $\\nothing{{x}}$",
    "| left | right | middle | plain |\n|:--|--:|:-:|---|\n| 1 | $\\frac{1}{2}$ | a **b** | |",
    "```python\nif a < b & c:\n    print('<x>')\n```\n\n    indented <code>\n\nTerm\n====",
    "<script>alert(1)</script> <img src=x onerror=y> &lt;b&gt; &#x3C; <!-- no --> ]]> <?php ?> [a](javascript:b)",
    "مرحبا بالعالم، ما هي $x$؟ \u202eabc\u202c שלום",
    "control \x00 \x01 \x0b \x1b[2J \ufffe \uffff \ue000 1\ue001 end",
    r"$$\begin{cases}a&b\\c&d\end{cases}$$ $\text{<b>x</b>}$ $\href{javascript:a}{x}$ $\style{color:red}{y}$",
    r"$a<b$ $\frac{1}$ $\newcommand{\a}{\b\b}\a$ $\unicode{3}$ 5$ or $6",
    r"$\color{orange}{x}$ $\fcolorbox{red}{#abc}{t}$ $\hspace{2 furlongs}x$",
    "",
]
TABLE = {
    "type": "table",
    "caption": "Tides & $x$",
    "header": ["a|b", "<c>"],
    "rows": [["1\n2", "$y^2$"], [], ["only one"]],
}
FIGURE = {"type": "image", "asset": "assets/a b#ü%.png", "alt": 'a "map" <1>', "caption": "Fig. 1"}


def text(markdown: str) -> dict[str, Any]:
    return {"type": "text", "markdown": markdown}


def hard_bundle(path: Path) -> Bundle:
    """Every question type with hostile texts, figures and tables in every place, and keys that say little."""
    everything = [
        *map(text, TEXTS),
        TABLE,
        {"type": "table", "rows": [["no head"]]},
        {"type": "table", "rows": []},
        FIGURE,
    ]
    options = [
        {"id": name, "content": everything if name == "1" else [FIGURE]} for name in ("1", "_1", "①", "a", "A", "b c")
    ]
    sides = {
        "left": [{"id": "1", "content": everything}, {"id": "_1", "content": [text("2. x")]}],
        "right": [{"id": "a:b", "content": [FIGURE]}, {"id": "é", "content": [text("")]}],
    }
    choices, both = {"options": options}, {"matching": sides}
    two = {"blanks": [{"id": "b1", "label": "<1>"}, {"id": "b2"}]}
    x, y = {"accepted": ["x"]}, {"accepted": ["Y"]}
    exact = {"all_or_nothing": True, "normalization": {"case_insensitive": False}}
    kinds: dict[str, tuple[str, dict[str, Any], str, dict[str, Any]]] = {
        "TEST": ("single_choice", choices, "choice", {"correct": ["①", "b c"], "negative_marking": -1}),
        "1": ("single_choice", choices, "choice", {"correct": []}),
        "_1": ("multiple_choice", choices, "per_option", {"correct": [], "ratio_by_errors": [1]}),
        "q a": ("multiple_choice", choices, "choice", {"correct": [], "partial_credit": True}),
        "Q_20a": ("multiple_choice", choices, "choice", {"correct": ["1", "_1", "none"], "partial_credit": True}),
        "tf": ("true_false", {}, "true_false", {"correct": False, "negative_marking": -0.25}),
        "m1": ("matching", both, "matching", {"correct_pairs": {"1": "a:b", "_1": "é", "x": "y"}}),
        "m2": ("matching", both, "matching", {"correct_pairs": {}}),
        "b1": ("fill_in_blank", two, "fill_in_blank", {"blanks": {"b1": {"accepted": ['a "<"\n\x02', ""]}, "b9": x}}),
        "b2": ("fill_in_blank", two, "fill_in_blank", {"blanks": {"b1": {"accepted": []}}, "all_or_nothing": True}),
        "b3": ("fill_in_blank", two, "fill_in_blank", {"blanks": {"b1": x, "b2": y}, **exact}),
        "n1": ("short_answer", {}, "numeric", {"value": "1e400"}),
        "n2": ("short_answer", {}, "numeric", {"value": 1 / 3, "rel_tolerance": 1 / 700, "unit": "<m>"}),
        "e": ("essay", {}, "judge", {"reference_answer": "<a> & \x03", "rubric": []}),
        "d": ("drawing", {}, "judge", {}),
    }
    leaves = [
        {"id": name, "number": f"{name} <&>", "type": kind, "points": 1 / 3, "prompt": everything, **more}
        for name, (kind, more, _, _) in kinds.items()
    ]
    inner = {"id": "g2", "type": "composite", "prompt": [text("inner")], "points": 2 / 3, "children": leaves[:2]}
    group = {"id": "g", "type": "composite", "prompt": everything, "points": 1, "children": [inner, leaves[2]]}
    sections = [
        {"id": "S", "title": "a\n<b> \x07", "instructions": everything, "questions": [group, *leaves[3:]]},
        {"id": "empty", "questions": []},
    ]
    record = {
        "exam_id": "2025 <é>",
        "title": 'T & "<x>"\x08',
        "language": "en us",
        "total_points": 5,
        "sections": sections,
    }
    entries = {
        name: {"question_id": name, "max_points": 1 / 3, "min_points": -1 / 7, "rule": {"kind": rule, **key}}
        for name, (_, _, rule, key) in kinds.items()
    }
    del entries["d"]
    grading = GradingSpec.model_validate({"exam_id": "2025 <é>", "questions": entries})
    manifest = Manifest(created_at="2026-01-01T00:00:00Z", tool_version="0")
    return save_bundle(path, Exam.model_validate(record), grading, manifest, {FIGURE["asset"]: picture("red")})
