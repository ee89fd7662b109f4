"""Scoring a run by a card: read each reply, mark it, put the marks together, in each of the views asked for.

Records are gone through once; all views mark a reply side by side, so what they make of it can be compared. What is
missing, unread or in doubt is counted and said.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ...schemas.errors import BundleError, UsageError
from ...schemas.printable import printable
from . import countqa
from .aggregations import grouped
from .boxes import Convention
from .card import OFFICIAL, ROBUST, Card, View
from .grounding_rules import fits, guessed_scale, is_inverted, raw_box, raw_values
from .predictions import Predictions, spans, told
from .registry import (
    AGGREGATIONS,
    EXTRACTORS,
    GUESSES_SCALE,
    MAKERS,
    METRICS,
    SCALE_NOTES,
    TAKES_CONVENTION,
    TAKES_DATA,
    TAKES_FILES,
    TAKES_TRIALS,
    TAKES_UNVERIFIED,
)

Record = Mapping[str, Any]
Row = dict[str, Any]
Policy = Literal["refuse", "wrong"]

HEAVY = frozenset({"question", "image", "images", "mask", "masks", "folder"})
"""Fields that no table is made by: they are not kept with the scored rows."""
_THINK = re.compile(r"<(think|thinking|reasoning)>(.*?)(</\1>|\Z)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Filter:
    """EvalScope's per-run filter, applied to a reply before the official view reads it."""

    pattern: str
    group_select: int = 0
    fallback: str = countqa.NO_MATCH

    def apply(self, reply: str) -> str:
        """Raises UsageError for a pattern that is none, and where a reply has too few matches for the selection."""
        try:
            return countqa.regex_filter(reply, self.pattern, self.group_select, self.fallback)
        except re.error as error:
            raise UsageError(f"the filter '{printable(self.pattern, 60)}' is no regular expression: {error}") from error
        except IndexError as error:
            raise UsageError(
                f"a reply has no match number {self.group_select} of '{printable(self.pattern, 60)}': "
                f"'{printable(reply, 60)}'"
            ) from error


@dataclass(frozen=True, slots=True)
class Settings:
    """How a run is scored. `convention`: how the replies write coordinates; `ks`: the k of pass@k; `scale_mix`: what
    becomes of coordinates that cannot be in the convention. `unverified`: of instructions without a verifier here.
    `folders`: where the files lie that records and predictions name."""

    convention: Convention | None = None
    filter: Filter | None = None
    ks: tuple[int, ...] = ()
    scale_mix: Policy = "refuse"
    unverified: Policy = "refuse"
    folders: tuple[str, str] = (".", ".")


@dataclass(slots=True)
class ViewScore:
    """One view's result. `table` is the aggregation's; `breakdowns`: field to value to count, unread and mean mark."""

    name: str
    view: View
    rows: list[Row] = field(default_factory=list)
    table: Mapping[str, Any] = field(default_factory=dict)
    column: str | None = None
    breakdowns: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)

    def headline(self) -> float:
        """The card's headline figure. Raises BundleError where the table does not have it."""
        value: Any = self.table
        for step in self.view.headline.key.split("/"):
            value = value.get(step) if isinstance(value, Mapping) else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BundleError(f"the {self.name} view has no figure {self.view.headline.key} for these records")
        return float(value)

    def unread(self) -> int:
        return sum(row["extracted"] is None and row["prediction"] is not None for row in self.rows)

    def missing(self) -> int:
        return sum(row["prediction"] is None for row in self.rows)


@dataclass(slots=True)
class Score:
    card: Card
    views: list[ViewScore]
    records: int
    think_blocks: int
    think_replies: int
    think_open: int
    notes: list[str]

    def differences(self) -> list[dict[str, Any]]:
        """Every reply that the official and the robust view mark or read differently."""
        by_name = {score.name: score for score in self.views}
        if OFFICIAL not in by_name or ROBUST not in by_name:
            return []
        pairs = zip(by_name[OFFICIAL].rows, by_name[ROBUST].rows, strict=True)
        return [_difference(ours, theirs, by_name) for ours, theirs in pairs if _differ(ours, theirs, by_name)]


def _differ(official: Row, robust: Row, views: Mapping[str, ViewScore]) -> bool:
    if official["prediction"] is None:
        return False
    ours, theirs = views[OFFICIAL].column, views[ROBUST].column
    if ours and theirs and official[ours] != robust[theirs]:
        return True
    first, second = official["extracted"], robust["extracted"]
    if first is None or second is None:
        return (first is None) != (second is None)
    short = isinstance(first, str) and isinstance(second, str) and max(len(first), len(second)) <= SHORT_READING
    return short and first.casefold() != second.casefold()


SHORT_READING = 4
"""Characters of a reading that two views should share (a letter, yes, a count); longer ones differ by form alone."""


def _difference(official: Row, robust: Row, views: Mapping[str, ViewScore]) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": official["id"], "prediction": official["prediction"]}
    if "trial" in official:
        entry["trial"] = official["trial"]
    for name, row in ((OFFICIAL, official), (ROBUST, robust)):
        column = views[name].column
        entry[name] = {"read": _shown(row["extracted"]), **({column: row[column]} if column else {})}
    if "answer" in official:
        entry["answer"] = official["answer"]
    return entry


def _shown(value: Any) -> Any:
    return value if isinstance(value, str | int | float | type(None)) else str(value)


@dataclass(slots=True)
class _Marker:
    """One view's rules with their settings, applied to reply after reply."""

    score: ViewScore
    settings: Settings
    misfits: list[str] = field(default_factory=list)
    scales: Counter[str] = field(default_factory=Counter)
    inverted: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        view = self.score.view
        for kind, known, name in (
            ("extractor", EXTRACTORS, view.extractor.name),
            ("metric", METRICS, view.metric.name),
            ("aggregation", AGGREGATIONS, view.aggregation.name),
        ):
            if name not in known:
                raise BundleError(f"the {self.score.name} view names the {kind} {printable(name)}, which there is not")

    def mark(self, record: Record, reply: Any, trial: str | None) -> None:
        metric = self.score.view.metric
        if self.score.view.extractor.name in TAKES_FILES:
            record = {**record, "folder": self.settings.folders[0]}
        read = self._read(record, reply)
        settings = {"unverified": self.settings.unverified} if metric.name in TAKES_UNVERIFIED else {}
        marks = METRICS[metric.name](read, record, **metric.params, **settings)
        if read is not None and metric.name in GUESSES_SCALE:
            self.scales[guessed_scale(read)] += 1
            if is_inverted(read):
                self.inverted.append(str(record["id"]))
        row = {key: value for key, value in record.items() if key not in HEAVY}
        if trial is not None:
            row["trial"] = trial
        self.score.rows.append({**row, "prediction": reply, "extracted": read, **marks})
        if self.score.column is None and marks:
            self.score.column = "hit" if "hit" in marks else next(iter(marks))

    def _read(self, record: Record, reply: Any) -> Any:
        """What the view's extractor reads in a reply; None for no reply, and for one of another convention."""
        name, params = self.score.view.extractor.name, dict(self.score.view.extractor.params)
        if reply is None or (name in TAKES_CONVENTION and not self._fits(record, reply)):
            return None
        if name in TAKES_CONVENTION:
            params["convention"] = self.settings.convention
        if name in TAKES_FILES:
            params["folder"] = self.settings.folders[1]
        if self.settings.filter and self.score.name == OFFICIAL and isinstance(reply, str):
            reply = self.settings.filter.apply(reply)
        if name not in TAKES_DATA and not isinstance(reply, str):
            # data for another view's sake: this one reads text
            reply = json.dumps(reply)
        return EXTRACTORS[name](reply, record, **params)

    def _fits(self, record: Record, reply: Any) -> bool:
        box = raw_box(reply)
        if box is not None and is_inverted(box):
            if not isinstance(reply, str):
                raise BundleError(f"the box of {printable(record['id'])} ends before it begins: {printable(reply, 60)}")
            self.inverted.append(str(record["id"]))
        assert self.settings.convention is not None, "chosen_views asks for it"
        if fits(raw_values(reply), self.settings.convention):
            return True
        self.misfits.append(str(record["id"]))
        return False

    def finish(self) -> list[str]:
        """Put the marks together; what there is to say about the view."""
        score, view = self.score, self.score.view
        notes = self._misfit_notes()
        params = dict(view.aggregation.params)
        if view.aggregation.name in TAKES_TRIALS and self.settings.ks:
            params["k"] = list(self.settings.ks)
        score.table = AGGREGATIONS[view.aggregation.name](score.rows, **params)
        score.headline()
        if view.aggregation.name in MAKERS:
            notes.append(f"the {score.name} figures are made by {MAKERS[view.aggregation.name]()}")
        unverified = sum(row.get("unverified", 0) for row in score.rows)
        if unverified:
            which = told(
                int(unverified),
                "instruction cannot be verified here and counts",
                "instructions cannot be verified here and count",
            )
            notes.append(f"{which} as not followed")
        if view.metric.name in SCALE_NOTES:
            notes.append(f"the {score.name} rule {SCALE_NOTES[view.metric.name]}")
        if self.inverted:
            what = "takes its corners in the other order" if self.scales else "reads nothing in it"
            which = told(len(self.inverted), "reply has", "replies have")
            notes.append(
                f"{which} a box that ends before it begins ({spans(self.inverted)}): the {score.name} view {what}"
            )
        if self.scales:
            found = ", ".join(f"{count:,} as {scale}" for scale, count in sorted(self.scales.items()))
            notes.append(f"the {score.name} rule guesses the scale of each reply: {found}")
        return notes

    def _misfit_notes(self) -> list[str]:
        if not self.misfits:
            return []
        convention = self.settings.convention
        replies = told(len(self.score.rows), "reply has", "replies have")
        which = (
            f"{len(self.misfits):,} of {replies} coordinates that cannot be {convention} "
            f"(first {printable(self.misfits[0], 60)})"
        )
        if self.settings.scale_mix == "refuse":
            raise BundleError(f"{which}: state the convention that they are in, or --scale-mix wrong counts them wrong")
        return [f"{which}, counted wrong"]


def chosen_views(card: Card, view: str | None, convention: Convention | None) -> tuple[list[str], list[str]]:
    """The views to score and what is to be said about the choice. None: official, and robust where it can be.

    Raises UsageError for a view that the card does not have, and for stated coordinates without their convention.
    """
    if convention is not None and not card.coordinates:
        raise UsageError(f"replies to {card.name} have no coordinates, so --convention says nothing")
    if convention is not None and convention not in card.coordinates:
        raise UsageError(f"{card.name} takes coordinates as {', '.join(card.coordinates)}, not as {convention}")
    wanted = [OFFICIAL, ROBUST] if view in (None, "both") else [view]
    notes: list[str] = []
    if ROBUST not in card.views and view is None:
        wanted = [OFFICIAL]
    elif view is None and card.views[ROBUST].extractor.name in TAKES_CONVENTION and convention is None:
        notes.append("no robust view: it needs --convention pixel, unit or thousandths, which is never guessed")
        wanted = [OFFICIAL]
    for name in wanted:
        if card.view(name).extractor.name in TAKES_CONVENTION and convention is None:
            raise UsageError(
                f"the {name} view of {card.name} needs --convention ({', '.join(card.coordinates) or 'pixel'}): "
                "how the replies write coordinates is stated, never guessed"
            )
    return wanted, notes


def takes(card: Card, views: Iterable[str], kind: frozenset[str]) -> bool:
    """Whether a rule of one of the views is of a kind (`registry.TAKES_…`)."""
    rules = [rule for name in views for view in [card.view(name)] for rule in (view.extractor, view.aggregation)]
    return any(rule.name in kind for rule in rules)


def score_run(
    card: Card, views: Sequence[str], records: Iterable[Record], predictions: Predictions, settings: Settings
) -> Score:
    """Score the replies of a run in the views named. Raises UsageError and BundleError, naming record and rule."""
    markers = [_Marker(ViewScore(name, card.view(name)), settings) for name in views]
    count = blocks = replies_thinking = left_open = 0
    for record in records:
        count += 1
        for trial, reply in predictions.replies.get(str(record["id"]), {None: None}).items():
            if isinstance(reply, str) and "<" in reply:
                found = [match.group(3) for match in _THINK.finditer(reply)]
                blocks, replies_thinking = blocks + len(found), replies_thinking + bool(found)
                left_open += bool(found) and not found[-1]
            for marker in markers:
                marker.mark(record, reply, trial)
    notes = [note for marker in markers for note in marker.finish()]
    for marker in markers:
        marker.score.breakdowns = _breakdowns(card, marker.score)
    if predictions.nan_texts:
        which = told(predictions.nan_texts, "reply is", "replies are")
        notes.append(f'{which} the text "nan", which tables write for a missing one')
    return Score(card, [marker.score for marker in markers], count, blocks, replies_thinking, left_open, notes)


def _breakdowns(card: Card, score: ViewScore) -> dict[str, dict[str, dict[str, float]]]:
    column = score.column
    tables: dict[str, dict[str, dict[str, float]]] = {}
    for name in card.breakdowns:
        if not any(row.get(name) is not None for row in score.rows):
            continue
        tables[name] = {
            value: {
                "replies": len(members),
                "unread": sum(row["extracted"] is None for row in members),
                **({column: math.fsum(float(row[column]) for row in members) / len(members)} if column else {}),
            }
            for value, members in grouped(score.rows, name).items()
        }
    return tables
