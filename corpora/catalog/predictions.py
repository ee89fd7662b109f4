"""Predictions of a run: one reply to each record, from one file or from shards.

A reply that is not there is missing (None), never an empty one. Ids that stand twice, that are no record's, another
benchmark's file, NaN and replies of another kind are refused in one sentence before anything is scored.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...schemas.errors import BundleError, UsageError
from ...schemas.printable import printable
from .card import Card
from .records import identity
from .tables import numbered_rows

REPLY_FIELDS = ("prediction", "response", "reply", "output")
"""Where a reply stands, unless the user names the field."""
OUTCOME_FIELDS = ("outcome", "resolved", "is_resolved", "passed", "valid", "is_correct", "correct", "reward", "score")
MAX_REPLY = 4_000_000
"""Characters of one reply; a longer one is no model's."""
SHOWN = 3

Trial = str | None


@dataclass(frozen=True, slots=True)
class Predictions:
    """`replies`: id to trial to reply, in the order of the files. `nan_texts`: replies that are the text "nan"."""

    replies: dict[str, dict[Trial, Any]]
    places: dict[str, str] = field(default_factory=dict)
    nan_texts: int = 0

    def __len__(self) -> int:
        return sum(len(trials) for trials in self.replies.values())


def told(count: int, one: str, many: str) -> str:
    """A number with its noun, and verb where there is one: told(1, "reply is", "replies are")."""
    return f"{count:,} {one if count == 1 else many}"


def spans(ids: Iterable[str]) -> str:
    """Ids in words: runs of whole numbers as `100 to 199`, the first three of anything else."""
    listed = list(ids)
    if not all(one.isascii() and one.isdigit() and len(one) < 16 for one in listed):
        more = f" and {len(listed) - SHOWN} more" if len(listed) > SHOWN else ""
        return ", ".join(printable(one, 60) for one in listed[:SHOWN]) + more
    runs: list[list[int]] = []
    for number in sorted(map(int, listed)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    words = [str(first) if first == last else f"{first} to {last}" for first, last in runs]
    more = f" and {len(words) - 2 * SHOWN} more runs" if len(words) > 2 * SHOWN else ""
    return ", ".join(words[: 2 * SHOWN]) + more


def read_predictions(
    card: Card,
    paths: Sequence[Path | str],
    *,
    id_field: str | None = None,
    reply_field: str | None = None,
    data: bool = False,
    trials: bool = False,
    outcomes: bool = False,
    grouped_by_image: bool = False,
) -> Predictions:
    """The replies of all files. Raises UsageError or BundleError, naming file and line.

    `data`: replies may be numbers, lists and objects, not text alone. `trials`: a record may have several replies,
    told apart by the field `trial`. `outcomes`: a reply may stand in a field that names an outcome (`resolved`, …).
    `grouped_by_image`: rows may be single detections, put together by `image_id`.
    """
    reader = _Reader(card, id_field, reply_field, data, trials, outcomes, grouped_by_image)
    for path in paths:
        for number, row in numbered_rows(path):
            reader.take(row, f"{printable(Path(path).name)} line {number}")
    if reader.twice:
        raise BundleError(_twice(reader.twice, trials))
    if not reader.replies:
        raise BundleError(f"{', '.join(printable(Path(path).name) for path in paths)} has no predictions")
    return Predictions(reader.replies, reader.places, reader.nan_texts)


def _twice(pairs: Sequence[tuple[str, str, str]], trials: bool) -> str:
    first = pairs[0]
    advice = "; several trials of one record are told apart by a field `trial`" if trials else ""
    if len(pairs) == 1:
        return f"the id {printable(first[0])} is predicted twice ({first[1]} and {first[2]}){advice}"
    which = spans(one[0] for one in pairs)
    return f"{len(pairs):,} ids are predicted twice: {which} (the first in {first[1]} and {first[2]}){advice}"


class _Reader:
    def __init__(
        self,
        card: Card,
        id_field: str | None,
        reply_field: str | None,
        data: bool,
        trials: bool,
        outcomes: bool,
        grouped_by_image: bool,
    ) -> None:
        self.card, self.data, self.trials, self.by_image = card, data, trials, grouped_by_image
        column = card.fields["id"].column if "id" in card.fields else None
        self.id_fields = [id_field] if id_field else list(dict.fromkeys(name for name in (column, "id") if name))
        self.reply_fields = [reply_field] if reply_field else [*REPLY_FIELDS, *(OUTCOME_FIELDS if outcomes else ())]
        self.replies: dict[str, dict[Trial, Any]] = {}
        self.places: dict[str, str] = {}
        self.twice: list[tuple[str, str, str]] = []
        self.nan_texts = 0

    def take(self, row: Mapping[str, Any], place: str) -> None:
        named = row.get("benchmark")
        if isinstance(named, str) and named != self.card.name:
            raise BundleError(f"{place} is of the benchmark {printable(named)}, not of {self.card.name}")
        if self.by_image and "bbox" in row and not any(name in row for name in self.reply_fields):
            self._take_detection(row, place)
            return
        key = self._id(row, place)
        trial = self._trial(row, place)
        known = self.replies.setdefault(key, {})
        if trial in known:
            self.twice.append((key, self.places[key], place))
            return
        self.places.setdefault(key, place)
        known[trial] = self._reply(row, key, place)

    def _take_detection(self, row: Mapping[str, Any], place: str) -> None:
        if "image_id" not in row:
            raise BundleError(f"{place}: a detection has no image_id")
        key = identity(row["image_id"], place)
        self.places.setdefault(key, place)
        found = self.replies.setdefault(key, {None: []})[None]
        if not isinstance(found, list):
            raise BundleError(f"{place}: the image {printable(key)} has a list of detections already")
        _no_nan(row, key, place)
        found.append({name: row[name] for name in ("category_id", "bbox", "score") if name in row})

    def _id(self, row: Mapping[str, Any], place: str) -> str:
        for name in self.id_fields:
            if row.get(name) is not None:
                return identity(row[name], place)
        raise BundleError(
            f"{place} has no id (looked for {' and '.join(map(printable, self.id_fields))}); --id-field names another"
        )

    def _trial(self, row: Mapping[str, Any], place: str) -> Trial:
        if not self.trials or row.get("trial") is None:
            return None
        return identity(row["trial"], place)

    def _reply(self, row: Mapping[str, Any], key: str, place: str) -> Any:
        present = [name for name in self.reply_fields if name in row]
        if not present:
            raise BundleError(
                f"{place} has no reply (looked for {', '.join(map(printable, self.reply_fields))}); "
                "--reply-field names another"
            )
        if len(present) > 1 and present[0] != REPLY_FIELDS[0]:
            raise BundleError(f"{place} has {' and '.join(present[:2])}: --reply-field says which is the reply")
        return self._checked(row[present[0]], key, place)

    def _checked(self, value: Any, key: str, place: str) -> Any:
        _no_nan(value, key, place)
        if value is None:
            return None
        if isinstance(value, str):
            if len(value) > MAX_REPLY:
                raise BundleError(f"{place}: the reply has {len(value):,} characters; at most {MAX_REPLY:,} are read")
            self.nan_texts += value.strip().lower() == "nan"
            return value
        if self.data:
            return value
        if isinstance(value, bool) or not isinstance(value, int | float):
            kind = "a truth value" if isinstance(value, bool) else f"a {type(value).__name__}"
            raise BundleError(f"{place}: the prediction of {printable(key)} is {kind}; {self.card.name} takes text")
        return str(value)


def _no_nan(value: Any, key: str, place: str) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise BundleError(f"{place}: the prediction of {printable(key)} holds {value}, which is no number to score")
    if isinstance(value, Mapping):
        for item in value.values():
            _no_nan(item, key, place)
    elif isinstance(value, list | tuple):
        for item in value:
            _no_nan(item, key, place)


def check_ids(card: Card, known: Collection[str], predictions: Predictions) -> list[str]:
    """The ids of records without a prediction, in order. Raises BundleError for predictions of unknown records."""
    unknown = [key for key in predictions.replies if key not in known]
    if unknown and len(unknown) == len(predictions.replies):
        raise BundleError(
            f"none of the {len(unknown):,} predicted ids (first {printable(unknown[0], 60)}) is one of the records of "
            f"{card.name}: is this another benchmark's file?"
        )
    if unknown:
        which = "ids are" if len(unknown) > 1 else "id is"
        raise BundleError(
            f"{len(unknown):,} predicted {which} no record of {card.name}: {spans(unknown)} "
            f"(the first in {predictions.places[unknown[0]]})"
        )
    replies = predictions.replies
    return [key for key in known if key not in replies or all(reply is None for reply in replies[key].values())]


def check_whole(card: Card, ids: Sequence[str], partial: bool) -> str | None:
    """For predictions that bring their own records: a note where they are a part of the benchmark.

    Raises UsageError, with the gaps, where that was not asked for.
    """
    wanted = card.dataset.questions
    if wanted is None:
        return None
    if len(ids) > wanted:
        raise BundleError(f"{len(ids):,} predictions for {card.name}, which has {wanted:,} questions")
    missing = _gaps(ids, wanted)
    if card.dataset.numbered and len(missing) > wanted - len(ids):
        raise BundleError(
            f"the {len(ids):,} ids are not those of {card.name}, whole numbers without a gap: "
            f"there is no {spans(missing)}"
        )
    if len(ids) == wanted:
        return None
    gaps = f": {spans(missing)} are missing" if len(missing) == wanted - len(ids) else ""
    told = f"{len(ids):,} of the {wanted:,} questions of {card.name} are there{gaps}"
    if not partial:
        raise UsageError(f"{told}; --partial scores a part, which is no score of the benchmark")
    return f"{told}: a score of this part, not of the benchmark"


def _gaps(ids: Sequence[str], wanted: int) -> list[str]:
    """The numbers from 0 or from 1 that no id has."""
    numbers = {int(one) for one in ids if one.isascii() and one.isdigit()}
    first = 0 if 0 in numbers or max(numbers, default=0) < wanted else 1
    return [str(n) for n in range(first, first + wanted) if n not in numbers]
