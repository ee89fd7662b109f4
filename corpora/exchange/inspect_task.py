"""To inspect_ai: a task whose samples are the exam's questions as `exam2bench solve` puts them, graded by this package.

`inspect eval task.py --model …` in an environment that has inspect_ai and exam2bench. A question that only a judge
can grade is left unscored there; `exam2bench answers import LOG.eval` takes the log on to `exam2bench grade --judge`.
"""

from __future__ import annotations

from pathlib import Path

from ...schemas.bundle import Bundle
from ...schemas.findings import Finding
from .folder import copy_bundle, identifier, judged_only, title_line

_TASK = '''"""{title}: an exam as an inspect_ai task. Run: inspect eval task.py --model PROVIDER/NAME

-T blind=true withholds the pictures, -T text_only=true leaves out questions that need one.
"""

from pathlib import Path

from inspect_ai import Task, task

from exam2bench.corpora.exchange.inspect_scoring import exam_task


@task
def {name}(blind: bool = False, text_only: bool = False) -> Task:
    return exam_task(Path(__file__).parent / "bundle", blind=blind, text_only=text_only)
'''


def export(bundle: Bundle, folder: Path) -> list[Finding]:
    """`task.py` and the bundle that it reads."""
    copy_bundle(bundle, folder / "bundle")
    text = _TASK.format(title=title_line(bundle), name=f"exam_{identifier(bundle)}")
    (folder / "task.py").write_text(text, encoding="utf-8")
    return judged_only(bundle, "inspect_ai leaves them unscored; `exam2bench answers import` takes its log to a judge")
