"""`--dry-run`: the windows of the first round, and what asking about them would cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...models.plan import Plan as CallPlan
from .asking import Asking
from .passes import Asked
from .prepared import Prepared
from .run import plan_only


@dataclass(frozen=True)
class Planned:
    """The first round of one model. Asking again about what stays in doubt comes on top: at most three rounds of one
    call per question in doubt."""

    asked: list[Asked]
    calls: CallPlan

    def as_dict(self) -> dict[str, Any]:
        windows = [
            {
                "pass": one.window.kind,
                "name": one.ask.name,
                "pages": [{"source": source, "page": page} for source, page in one.window.pages],
                "questions": list(one.window.questions),
            }
            for one in self.asked
        ]
        return {"windows": windows, **self.calls.as_dict()}

    def text(self) -> str:
        rows = [f"{len(self.asked)} windows:"]
        for one in self.asked:
            known = f", {len(one.window.questions)} known" if one.window.questions else ""
            pages = len(one.window.pages)
            rows.append(f"  {one.window.kind:<10}{one.ask.name} ({pages} {'page' if pages == 1 else 'pages'}{known})")
        rows.append(self.calls.text())
        rows.append("asking again about what stays in doubt comes on top: small calls, at most three rounds")
        return "\n".join(rows)


def planned(prepared: Prepared, asking: Asking) -> Planned:
    """Cut the exam into windows, render its pages, count; nothing is sent and no key is needed."""
    asked = plan_only(prepared, asking).asked
    return Planned(asked, asking.plan([one.ask for one in asked]))
