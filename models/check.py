"""`models check`: one tiny structured call, then one per ability; what works in a sentence, and what to fix."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import Any

from ..schemas.printable import printable
from .flags import gateway_from
from .gateway import Gateway
from .outcome import Outcome
from .request import ImagePart, Level, Question, Request, TextPart, TypedQuestion

SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "answer": {"type": "string", "enum": ["4", "5", "6"]}},
    "required": ["reason", "answer"],
    "additionalProperties": False,
}
SUM = "How much is 2 + 3? Give a reason of at most five words."


@dataclass
class Report:
    """ability → "works" or what happened instead. `usable`: text, or typed questions where that is all there is."""

    model: str
    abilities: dict[str, str] = field(default_factory=dict)
    reported: str = ""
    cost: float | None = None
    seconds: float = 0.0

    @property
    def usable(self) -> bool:
        return "works" in (self.abilities.get("text"), self.abilities.get("typed questions"))

    def as_dict(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "usable": self.usable,
            "abilities": self.abilities,
            "reported": self.reported,
            "cost_usd": self.cost,
            "seconds": round(self.seconds, 3),
        }

    def text(self) -> str:
        works = [name for name, state in self.abilities.items() if state == "works"]
        fails = {name: state for name, state in self.abilities.items() if state != "works"}
        said = f" (reports itself as {printable(self.reported, 80)})" if self.reported else ""
        money = "" if self.cost is None else f", ${self.cost:.6f}"
        lines = [f"{self.model}{said}: {', '.join(works) or 'nothing'} works; {self.seconds:.1f} s{money}"]
        return "\n".join(lines + [f"  {name}: {state}{_advice(name)}" for name, state in fails.items()])


def check_model(args: argparse.Namespace) -> Report:
    """Ask the model of `args.name`. Raises ProviderError where it cannot be used at all (key, address, name)."""
    args.no_cache, args.batch = True, False
    args.deadline = min(args.deadline, 60.0)
    with gateway_from(args, args.name) as gateway:
        report = Report(str(gateway.model))
        for name, question in _questions(gateway, args).items():
            report.abilities[name] = _try(gateway, question, report)
            if report.abilities[name].startswith("transport_error") and not report.reported:
                break  # nothing was ever answered: the rest would only wait
        report.cost = gateway.summary()["cost_usd"]
    return report


def _questions(gateway: Gateway, args: argparse.Namespace) -> dict[str, Question]:
    yes_no = (Level("Yes"), Level("No"))
    typed = TypedQuestion("2 + 3 = 5", yes_no, "Is the sum right?", cue="Right:")
    if gateway.model.provider == "decisions":
        return {"typed questions": typed}
    text = Request((TextPart(SUM),), max_tokens=4000)
    schema = Request((TextPart(SUM),), schema=SCHEMA, max_tokens=4000)
    questions: dict[str, Question] = {"text": text, "schema": schema}
    if gateway.model.local:
        return questions | {"typed questions": typed}
    picture = ImagePart(_picture(), detail="low")
    questions["images"] = Request((TextPart("Which colour is this? One word."), picture), max_tokens=4000)
    questions["effort"] = Request((TextPart(SUM),), effort=args.effort or "low", max_tokens=4000)
    return questions


def _try(gateway: Gateway, question: Question, report: Report) -> str:
    outcome = gateway.run([question])[0]
    report.seconds += outcome.seconds
    report.reported = outcome.model or report.reported
    return _state(outcome)


def _state(outcome: Outcome) -> str:
    if not outcome.ok:
        return outcome.why()
    if any(note.code == "json.plain" for note in outcome.notes):
        return "only in plain text (constrained decoding failed twice)"
    return "works"


def _advice(ability: str) -> str:
    return {
        "schema": "; add --plain to ask in words",
        "images": "; pages will have to go as text only",
        "effort": "; leave --effort out",
    }.get(ability, "")


def _picture() -> bytes:
    import io

    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (64, 64), (200, 30, 30)).save(out, "PNG")
    return out.getvalue()
