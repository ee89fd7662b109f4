"""A known benchmark as data: the card that a person reads and that scoring and import work from.

Cards are the TOML files of `corpora/catalog/cards/`, one a benchmark, named like it. A card names its rules; the
functions behind the names are the registry's. What a card does not know (a licence, a revision) it says.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from ...schemas.errors import BundleError, UsageError
from ...schemas.printable import printable
from .scales import Scale, Unit, top

CARDS = Path(__file__).parent / "cards"
Family = Literal[
    "choice",
    "yes_no",
    "open_text",
    "counting",
    "spatial",
    "grounding",
    "defects",
    "executed",
    "documents",
    "multi_step",
]
FAMILIES: tuple[str, ...] = get_args(Family)
OFFICIAL, ROBUST = "official", "robust"
UNKNOWN = "unknown"


class _Part(BaseModel):
    """Everything on a card is checked strictly: an unknown key is a mistake, not a comment."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Dataset(_Part):
    """Where the records come from. Without `revision`, `pin` says what the user pins.

    `numbered`: the ids of the `questions` are whole numbers without a gap, from 0 or from 1.
    """

    id: str | None = None
    revision: str | None = None
    pin: str | None = None
    split: str | None = None
    questions: int | None = Field(default=None, ge=1)
    numbered: bool = False
    images: int | None = Field(default=None, ge=1)
    source: str

    @model_validator(mode="after")
    def _pinned(self) -> Dataset:
        if (self.revision is None) == (self.pin is None):
            raise ValueError("a dataset has a revision, or a sentence under `pin` that says that the user pins one")
        if self.revision is not None and self.id is None:
            raise ValueError("a revision without a dataset id")
        return self


class Licence(_Part):
    name: str = UNKNOWN
    source: str | None = None

    @model_validator(mode="after")
    def _sourced(self) -> Licence:
        if (self.name == UNKNOWN) != (self.source is None):
            raise ValueError("a licence that is known has its source; an unknown one has none")
        return self


class Column(_Part):
    """Where a canonical field stands in a row: one column, or several that make a list (A, B, C, D).

    `many`: the value is a list, or a text that is written as a JSON or Python list. `join`: the columns make one text,
    with this between them. `pattern`: only the first group of this regular expression in the column's text.
    `numbers`: the value is made of numbers, also where a table writes them as texts or as objects of x and y.
    A dot descends into a column that holds an object: `metadata.skills`.
    """

    column: str | None = None
    columns: list[str] = []
    many: bool = False
    join: str | None = None
    pattern: str | None = None
    numbers: bool = False
    optional: bool = False

    @model_validator(mode="after")
    def _one_kind(self) -> Column:
        if bool(self.column) == bool(self.columns):
            raise ValueError("a field names one `column`, or several `columns`")
        if self.join is not None and not self.columns:
            raise ValueError("`join` puts several `columns` together")
        if self.pattern is not None and (self.columns or re.compile(self.pattern).groups != 1):
            raise ValueError("`pattern` has one group and reads one `column`")
        return self

    def names(self) -> list[str]:
        """The columns of a row that this field is read from."""
        return [name.partition(".")[0] for name in ([self.column] if self.column else self.columns)]


class Records(_Part):
    """`each`: canonical fields that are lists in a row which holds several questions. `letters`: the labels of options
    that stand within the question's text. `right_first`: the option columns name the right one first; they are put in
    an order that follows from the id, and `answer` becomes the letter under which the right one then stands.
    """

    each: list[str] = []
    letters: str | None = None
    right_first: bool = False


class Prompt(_Part):
    """The prompt as published: `{question}` and `{options}` are the record's, `option` is the line of one option."""

    system: str | None = None
    text: str | None = None
    option: str | None = None
    source: str | None = None
    note: str | None = None

    @model_validator(mode="after")
    def _sourced(self) -> Prompt:
        if self.text is None and self.note is None:
            raise ValueError("a card without a prompt says so in `note`")
        if (self.text or self.system) and not self.source:
            raise ValueError("a prompt has its source")
        return self


class Rule(_Part):
    """A registered rule by name, with its settings."""

    name: str
    params: dict[str, Any] = {}


class Headline(_Part):
    """`key` is the path of the figure in the aggregation's table, `/` between its steps."""

    key: str
    quantity: str
    scale: Unit
    highest: float | None = None

    @model_validator(mode="after")
    def _range(self) -> Headline:
        top(self.scale, self.highest)
        return self

    def measure(self) -> Scale:
        return Scale(self.quantity, self.scale, top(self.scale, self.highest))


class View(_Part):
    """One way to make a score of replies: read each, mark each, put the marks together."""

    extractor: Rule
    metric: Rule
    aggregation: Rule
    headline: Headline
    source: str
    note: str | None = None

    @field_validator("extractor", "metric", "aggregation", mode="before")
    @classmethod
    def _by_name(cls, value: Any) -> Any:
        return {"name": value} if isinstance(value, str) else value


class Deviation(_Part):
    """Where harnesses (or this project) make different scores of the same replies."""

    between: str
    effect: str
    source: str | None = None


class Checklist(_Part):
    """What a reader of a leaderboard should keep in mind about this benchmark."""

    ability: str
    metric: str
    protocol: str
    visual_redundancy: str
    contamination: str
    whole_set: str


class BundleForm(_Part):
    """How `catalog import` puts a record as a question of a bundle, and what the bundle's own grading then misses.

    `open` is how written answers are graded by the bundle: `text` (one of the accepted texts), `number` (a number
    within `rel_tolerance`, texts as `text`), `expression` (mathematically equal), `judge` (against the reference),
    `parts` (a judge scores each step for itself, by the points that the reference gives it). `ask`: what is asked where
    records hold a picture and no question.
    """

    kind: Literal["choice", "yes_no", "open", "choice_or_open", "none"]
    open: Literal["text", "number", "expression", "judge", "parts"] | None = None
    rel_tolerance: float | None = Field(default=None, ge=0, le=1)
    ask: str | None = None
    language: str = "en"
    differs: str

    @model_validator(mode="after")
    def _graded(self) -> BundleForm:
        if (self.open is not None) != (self.kind in ("open", "choice_or_open")):
            raise ValueError("`open` says how written answers are graded, and stands where there are some")
        return self


class Card(_Part):
    """`missing`: whether absent predictions are refused or count as wrong (benchmarks with a fixed denominator).
    `coordinates`: the conventions in which replies may state boxes and points. `breakdowns`: canonical fields whose
    values split the score into tables.
    """

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")
    title: str
    family: Family
    measures: str
    dataset: Dataset
    licence: Licence = Licence()
    fields: dict[str, Column]
    records: Records = Records()
    prompt: Prompt
    missing: Literal["refuse", "wrong"] = "refuse"
    coordinates: list[Literal["pixel", "unit", "thousandths"]] = []
    breakdowns: list[str] = []
    views: dict[str, View]
    deviations: list[Deviation] = []
    checklist: Checklist
    bundle: BundleForm

    @field_validator("fields", mode="before")
    @classmethod
    def _short_fields(cls, value: Any) -> Any:
        def spelled(field: Any) -> Any:
            if isinstance(field, str):
                return {"column": field}
            return {"columns": field} if isinstance(field, list) else field

        return {name: spelled(field) for name, field in value.items()} if isinstance(value, dict) else value

    @model_validator(mode="after")
    def _complete(self) -> Card:
        if OFFICIAL not in self.views:
            raise ValueError("a card has an official view")
        for part, names in (("records.each", self.records.each), ("breakdowns", self.breakdowns)):
            strange = [name for name in names if name not in self.fields]
            if strange:
                raise ValueError(f"{part} names {strange[0]!r}, which is no field of the card")
        return self

    def view(self, name: str) -> View:
        """Raises UsageError for a view that the card does not have."""
        if name in self.views:
            return self.views[name]
        raise UsageError(f"{self.name} has no view {printable(name)}: it has {', '.join(self.views)}")


@cache
def card_names() -> tuple[str, ...]:
    """The benchmarks that have a card, in alphabetical order."""
    return tuple(sorted(path.stem for path in CARDS.glob("*.toml")))


@cache
def load_card(name: str) -> Card:
    """The card of a benchmark. Raises UsageError for a name without a card, BundleError for a card that is wrong."""
    if name not in card_names():
        near = difflib.get_close_matches(name.lower(), card_names(), n=3)
        advice = f"; near: {', '.join(near)}" if near else ""
        raise UsageError(f"there is no benchmark {printable(name)} (`exam2bench catalog list`){advice}")
    return read_card(CARDS / f"{name}.toml")


def read_card(path: Path) -> Card:
    """A card file, checked. Raises BundleError, naming the file, the place and the fault."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BundleError(f"the card {printable(path.name)} cannot be read: {printable(error)}") from error
    try:
        card = Card.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the top level"
        raise BundleError(f"the card {printable(path.name)}: {printable(place)}: {printable(first['msg'])}") from error
    if card.name != path.stem:
        raise BundleError(f"the card {printable(path.name)} calls itself {card.name}")
    return card
