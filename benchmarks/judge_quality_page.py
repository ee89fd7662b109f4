"""The record of `benchmarks.judge_quality` as the tables of a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

BEGIN, END = "<!-- measured -->", "<!-- /measured -->"


def tables(record: dict[str, Any]) -> str:
    """Two Markdown tables: agreement beyond chance, and how far the marks lie apart."""
    head = (
        f"Judge: `{record['judge']}`. Asked were the first {record['typed_answers']} answers of each set in typed "
        f"questions, the first {record['text_answers']} in text; one half chose form and threshold, the other is shown."
    )
    kappa = [
        "| set | people | typed, chosen | typed, as shipped | text | length only |",
        "|---|---|---|---|---|---|",
    ]
    apart = [
        "| set | | n | exact | adjacent | ICC | mean difference |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, entry in record["sets"].items():
        typed, text = entry["typed"], entry["text"]
        ceiling = typed["chosen"]["human_human"]
        kappa.append(
            f"| {name} | {_span(ceiling, 'qwk')} | {_span(typed['chosen']['judge_human'], 'qwk')} "
            f"({typed['form']}, {typed['threshold']:g}) | {_span(typed['default']['judge_human'], 'qwk')} | "
            f"{_text(text)} | {_span(entry['baselines']['length']['judge_human'], 'qwk')} |"
        )
        sides = [("people", ceiling, typed["chosen"])] if ceiling else []
        sides.append(("typed", typed["chosen"]["judge_human"], typed["chosen"]))
        if text:
            sides.append(("text", text["judge_human"], text))
        for kind in ("length", "mode"):
            sides.append((f"{kind} only", entry["baselines"][kind]["judge_human"], entry["baselines"][kind]))
        for place, (side, found, whole) in enumerate(sides):
            shown = [_span(found, measure) for measure in ("exact", "adjacent", "icc", "mean_difference")]
            count = whole["answers"] - whole["without_verdict"]
            apart.append(f"| {name if not place else ''} | {side} | {count} | " + " | ".join(shown) + " |")
    left = [f"\nNot in the tables, for want of verdicts: {', '.join(record['missing'])}."] if record["missing"] else []
    titles = ("### Weighted kappa (QWK)", "### How far apart")
    return "\n".join([head, "", titles[0], "", *kappa, "", titles[1], "", *apart, *left])


def write_page(page: Path, record: dict[str, Any]) -> None:
    """Put the tables between the page's marks. Raises ValueError where it has none."""
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} has no {BEGIN} … {END}")
    page.write_text(f"{before}{BEGIN}\n\n{tables(record)}\n\n{END}{after}", encoding="utf-8")


def _text(found: dict[str, Any] | None) -> str:
    if not found:
        return "not run"
    lost = f", {found['without_verdict']} without" if found["without_verdict"] else ""
    return f"{_span(found['judge_human'], 'qwk')} (n {found['answers'] - found['without_verdict']}{lost})"


def _span(found: dict[str, Any] | None, measure: str) -> str:
    """The estimate with its interval; a dash where there is none (one rater, or marks that do not vary)."""
    one = (found or {}).get(measure)
    if not one or one["estimate"] is None:
        return "–"
    inside = "" if one["low"] is None else f" [{one['low']:.2f}, {one['high']:.2f}]"
    return f"{one['estimate']:.2f}{inside}"
