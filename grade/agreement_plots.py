"""Plots of an agreement card, as PNG and SVG, fit for a paper. Needs the extra [plots] (matplotlib)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..schemas.errors import UsageError
from .agreement import ConditionCard

INK, ACCENT, PALE = "#222222", "#1f5fa8", "#c9d6e6"


def write_plots(cards: Sequence[ConditionCard], folder: Path) -> list[Path]:
    """Writes the reliability, leniency and panel plots; returns the files. Raises UsageError without matplotlib."""
    try:
        import matplotlib
    except ImportError as error:
        raise UsageError("plots need matplotlib: install exam2bench[plots], or leave -o out") from error
    matplotlib.use("Agg")
    # ids and dates in an SVG would differ from run to run
    matplotlib.rcParams.update({"svg.hashsalt": "exam2bench", "font.size": 9, "axes.spines.top": False})
    matplotlib.rcParams.update({"axes.spines.right": False, "font.family": ["DejaVu Sans"]})
    folder.mkdir(parents=True, exist_ok=True)
    files = _save(_reliability(cards), folder / "reliability")
    for card in cards:
        name = card.condition or "all"
        files += _save(_leniency(card), folder / f"leniency-{_slug(name)}")
        if card.panel:
            files += _save(_panel(card), folder / f"panel-{_slug(name)}")
    return files


def _slug(name: str) -> str:
    return "".join(sign if sign.isalnum() else "-" for sign in name)


def _figure(rows: int) -> tuple[Any, Any]:
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(5.2, 0.9 + 0.32 * rows), layout="constrained")


def _reliability(cards: Sequence[ConditionCard]) -> Any:
    figure, axes = _figure(len(cards))
    for row, card in enumerate(reversed(cards)):
        low, high = card.icc_interval
        axes.plot([low, high], [row, row], color=PALE, linewidth=6, solid_capstyle="round")
        axes.plot([card.icc_single], [row], "o", color=ACCENT)
        axes.annotate(f"{card.icc_single:.3f}", (card.icc_single, row), (0, 7), textcoords="offset points", ha="center")
    axes.set_yticks(range(len(cards)), [card.condition or "all" for card in reversed(cards)])
    axes.set_ylim(-0.6, len(cards) - 0.4)
    axes.set_xlabel("ICC(2,1), single pass, with 95 % interval over questions")
    return figure


def _leniency(card: ConditionCard) -> Any:
    figure, axes = _figure(len(card.judge_cards))
    ordered = sorted(card.judge_cards, key=lambda judge: judge.leniency)
    axes.barh(range(len(ordered)), [judge.leniency for judge in ordered], color=ACCENT, height=0.6)
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set_yticks(range(len(ordered)), [judge.judge for judge in ordered])
    axes.set_xlabel("leniency: share of the points above the mean of all judges")
    return figure


def _panel(card: ConditionCard) -> Any:
    figure, axes = _figure(6)
    sizes = [size for size, _ in card.panel]
    axes.plot(sizes, [distance for _, distance in card.panel], "o-", color=ACCENT)
    axes.set_xticks(sizes)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("judges in the panel")
    axes.set_ylabel("mean distance from all judges")
    return figure


def _save(figure: Any, stem: Path) -> list[Path]:
    from matplotlib import pyplot

    files = [stem.with_suffix(".png"), stem.with_suffix(".svg")]
    figure.savefig(files[0], dpi=200, metadata={"Software": None})
    figure.savefig(files[1], metadata={"Date": None})
    pyplot.close(figure)
    return files
