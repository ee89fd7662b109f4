"""Plots of a bench as PNG and SVG, fit for a paper: intervals, cost against score, score by section and type.

Needs the extra [plots] (matplotlib). Text in an SVG is drawn, so it looks the same where its fonts are missing.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ...schemas.errors import UsageError
from ...schemas.printable import printable
from .grid import shortened
from .record import Bench, ModelRow, Slice
from .tables import short_names

INK, ACCENT, PALE, WARM = "#222222", "#1f5fa8", "#b9cbe0", "#c2571a"
# distinguishable in print and by colour-blind readers: Okabe & Ito 2008
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A5195", "#444444")
MARKS = ("o", "s", "D", "^", "v", "P", "X", "*")
LONGEST_LABEL = 34
NAME_PLACES = (
    (6, 5, "left"),
    (6, -12, "left"),
    (-6, 5, "right"),
    (-6, -12, "right"),
    (6, 17, "left"),
    (6, -24, "left"),
)
"""Where a point's name may stand: points to the right, up, and the side of the name that is nearest."""
MOST_LINES = 8
"""Models of a plot by section or type; more could not be told apart."""


def write_plots(bench: Bench, folder: Path) -> list[Path]:
    """The files written. Raises UsageError without matplotlib."""
    try:
        import matplotlib
    except ImportError as error:
        raise UsageError("plots need matplotlib: install exam2bench[plots]") from error
    rows = [row for row in bench.models if row.score is not None]
    names = {name: _label(short) for name, short in short_names([row.model for row in rows]).items()}
    _dress(matplotlib, [*names.values(), *(part.name for row in rows for part in (*row.sections, *row.types))])
    folder.mkdir(parents=True, exist_ok=True)
    files = _save(_intervals(rows, names, bench), folder / "scores")
    priced = [row for row in rows if row.cost_usd]
    if len(priced) > 1:
        files += _save(_cost(priced, names), folder / "cost")
    for name, parts in (("sections", lambda row: row.sections), ("types", lambda row: row.types)):
        if len({part.name for row in rows for part in parts(row)}) > 1:
            files += _save(_profile(rows, names, parts), folder / name)
    return files


def _dress(matplotlib: Any, labels: Sequence[str]) -> None:
    """Fonts for the labels and a quiet style; signs that no font has are told once."""
    from .fonts import families

    matplotlib.use("Agg")
    chosen, missing = families(labels)
    if missing:
        told = " ".join(f"{sign} (U+{ord(sign):04X})" for sign in missing[:6])
        print(f"no font here has {printable(told)}: the plots show boxes in their place", file=sys.stderr)
    # ids and dates in an SVG would differ from run to run
    matplotlib.rcParams.update({"svg.hashsalt": "exam2bench", "font.size": 9, "font.family": chosen})
    matplotlib.rcParams.update({"axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": INK})


def _label(text: str) -> str:
    # a dollar sign would begin a formula
    return printable(shortened(text, LONGEST_LABEL)).replace("$", r"\$")


def _figure(width: float, height: float) -> tuple[Any, Any]:
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, height), layout="constrained")


def _intervals(rows: Sequence[ModelRow], names: dict[str, str], bench: Bench) -> Any:
    """Scores best first with their 95 % intervals; models of one tie stand in one band."""
    figure, axes = _figure(6.4, 1.0 + 0.34 * len(rows))
    order = list(reversed(rows))
    ties = [row.tie for row in order]
    for place, tie in enumerate(ties):
        if ties.count(tie) > 1 and (tie or 0) % 2:
            axes.axhspan(place - 0.5, place + 0.5, color="#f1f4f8", zorder=0)
    for place, row in enumerate(order):
        assert row.score is not None
        value, low, high = 100 * row.score.value, row.score.low, row.score.high
        if low is not None and high is not None:
            axes.plot([100 * low, 100 * high], [place, place], color=PALE, linewidth=5, solid_capstyle="butt", zorder=1)
        axes.plot([value], [place], "o", color=ACCENT, markersize=5, zorder=2)
        axes.annotate(f"{value:.1f}", (value, place), (0, 6), textcoords="offset points", ha="center", fontsize=7.5)
    axes.set_yticks(range(len(order)), [names[row.model] for row in order])
    axes.set_ylim(-0.6, len(order) - 0.3)
    clusters = max((row.score.clusters for row in rows if row.score), default=0)
    axes.set_xlabel(f"score, % of the points, with 95 % interval over {clusters} {bench.clustered_by}s")
    return figure


def _cost(rows: Sequence[ModelRow], names: dict[str, str]) -> Any:
    """Cost against score; the front holds the models that no cheaper one beats."""
    figure, axes = _figure(6.4, 4.2)
    points = sorted((row.cost_usd or 0.0, 100 * row.score.value, row) for row in rows if row.score)  # type: ignore[type-var]
    front = pareto([(cost, score) for cost, score, _ in points])
    axes.step([cost for cost, _ in front], [score for _, score in front], where="post", color=WARM, linewidth=1.2)
    for cost, score, row in points:
        best = (cost, score) in front
        low, high = (row.score.low, row.score.high) if row.score else (None, None)
        if low is not None and high is not None:
            axes.plot([cost, cost], [100 * low, 100 * high], color=PALE, linewidth=2.5, zorder=1)
        axes.plot([cost], [score], "o", color=WARM if best else ACCENT, markersize=6, zorder=3)
    if points[0][0] > 0 and points[-1][0] / points[0][0] > 5:
        axes.set_xscale("log")
    axes.margins(x=0.2, y=0.08)
    axes.xaxis.set_major_formatter(lambda dollars, _: f"{dollars:g}")
    _name_points(figure, axes, [(cost, score, names[row.model]) for cost, score, row in points])
    axes.set_xlabel("cost of all sittings, US dollars")
    axes.set_ylabel("score, % of the points")
    axes.plot([], [], color=WARM, label="no cheaper model is better")
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    return figure


def _name_points(figure: Any, axes: Any, points: Sequence[tuple[float, float, str]]) -> None:
    """Names beside their points, each where it covers no other name and stays inside, if there is such a place."""
    figure.draw_without_rendering()
    taken: list[Any] = []
    for cost, score, name in points:
        for x, y, side in NAME_PLACES:
            text = axes.annotate(name, (cost, score), (x, y), textcoords="offset points", fontsize=8, ha=side)
            box = text.get_window_extent()
            free = not any(box.overlaps(other) for other in taken)
            if free and figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1:
                break
            text.remove()
        else:
            x, y, side = NAME_PLACES[0]
            text = axes.annotate(name, (cost, score), (x, y), textcoords="offset points", fontsize=8, ha=side)
        taken.append(text.get_window_extent())


def pareto(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The (cost, score) points that nothing cheaper or equally cheap equals or beats, cheapest first."""
    front: list[tuple[float, float]] = []
    for cost, score in sorted(points, key=lambda point: (point[0], -point[1])):
        if not front or score > front[-1][1]:
            front.append((cost, score))
    return front


def _profile(rows: Sequence[ModelRow], names: dict[str, str], parts: Callable[[ModelRow], list[Slice]]) -> Any:
    """Each model's score on each part of the exams, one row a part."""
    shown = rows[:MOST_LINES]
    order = list(dict.fromkeys(part.name for row in shown for part in parts(row)))
    step = 0.8 / max(len(shown), 1)
    figure, axes = _figure(6.4, 1.3 + len(order) * max(0.34, 0.17 * len(shown)))
    for number, row in enumerate(shown):
        scores = {part.name: part.score for part in parts(row)}
        places = [len(order) - 1 - order.index(name) + 0.4 - step * (number + 0.5) for name in order if name in scores]
        for place, name in zip(places, [name for name in order if name in scores], strict=True):
            low, high = scores[name].low, scores[name].high
            if low is not None and high is not None:
                axes.plot([100 * low, 100 * high], [place, place], color=COLOURS[number], linewidth=1.4, alpha=0.45)
        values = [100 * scores[name].value for name in order if name in scores]
        style = {"color": COLOURS[number], "marker": MARKS[number], "markersize": 5}
        axes.plot(values, places, linestyle="", label=names[row.model], **style)
    for place in range(1, len(order)):
        axes.axhline(place - 0.5, color="#dddddd", linewidth=0.6)
    axes.set_yticks(range(len(order)), [_label(name.replace("_", " ")) for name in reversed(order)])
    axes.set_ylim(-0.5, len(order) - 0.5)
    best = f"; the best {len(shown)} models" if len(rows) > len(shown) else ""
    axes.set_xlabel(f"score, % of the points, with 95 % interval{best}")
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def _save(figure: Any, stem: Path) -> list[Path]:
    from matplotlib import pyplot

    files = [stem.with_suffix(".png"), stem.with_suffix(".svg")]
    with warnings.catch_warnings():
        # signs without a font are told once, in our words
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        logging.getLogger("matplotlib").setLevel(logging.ERROR)
        figure.savefig(files[0], dpi=200, metadata={"Software": None})
        figure.savefig(files[1], metadata={"Date": None})
    pyplot.close(figure)
    return files
