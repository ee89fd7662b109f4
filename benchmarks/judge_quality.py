"""The embedded judge beside people who marked the same answers, set by set: typed questions, text replies, baselines.

    python -m benchmarks.judge_quality ../shared/human [--sets mohler,le_zh] [--typed 60] [--text 20]
        [--judge llama:judge] [--cache FILE] [--work DIR] [--write docs/judge-quality.md] [--offline]

Of each set the first --typed and --text answers of one fixed order are taken (`corpora/marked`: every beginning is
a sample with the set's own shares of each mark). On one half of them form and threshold are chosen, the other half is
reported. Verdicts are kept in the call cache: a run that was stopped, or one with larger
samples, asks only what is new. --offline asks nothing: what the cache lacks is left out and named. --write puts the
tables between the marks of that page. The record goes to stdout as JSON.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from exam2bench.corpora.marked.importing import import_marked
from exam2bench.corpora.marked.reading import MarkedRow, halves, read_marked_set, spread
from exam2bench.corpora.marked.sets import SETS
from exam2bench.grade.judge.against_people import MarkedAnswer, read_marks, side_by_side, weighted_kappa
from exam2bench.grade.judge.calibration import judged_tasks
from exam2bench.grade.judge.panel import Case, Mode, Paper, Seat
from exam2bench.grade.judge.small import DEFAULT_FORM, DEFAULT_THRESHOLD, Form
from exam2bench.grade.judge.task import JudgeTask
from exam2bench.models.cache import CallCache
from exam2bench.models.gateway import Gateway
from exam2bench.models.paper_parts import locate
from exam2bench.schemas.bundle import Bundle

from .judge_quality_page import write_page

THRESHOLDS = [place / 20 for place in range(1, 20)]
Points = list[float | None]


@dataclass(frozen=True)
class MarkedSet:
    """One imported set: its bundle and its answers in the fixed order."""

    name: str
    bundle: Bundle
    tasks: dict[str, JudgeTask]
    rows: list[MarkedRow]
    answers: list[MarkedAnswer]

    def half(self, count: int, which: Literal[0, 1]) -> list[MarkedAnswer]:
        """A half of the first `count` answers, a question's answers in a row."""
        order = {name: place for place, name in enumerate(self.tasks)}
        places = {id(row): place for place, row in enumerate(self.rows)}
        mine = [self.answers[places[id(row)]] for row in halves(self.rows[:count])[which]]
        return sorted(mine, key=lambda one: order[one.question_id])

    def forms(self) -> list[Form]:
        """The forms of typed question that differ on this set, the default first."""
        several = any(len(criterion.levels) > 2 for task in self.tasks.values() for criterion in task.criteria)
        if not several:
            return [DEFAULT_FORM]
        holistic = all(task.holistic for task in self.tasks.values())
        forms: list[Form] = ["top", "letters"] if holistic else ["steps", "top", "letters"]
        return sorted(forms, key=lambda form: form != DEFAULT_FORM)


def open_set(path: Path, work: Path) -> MarkedSet:
    name = path.stem
    rows = spread(read_marked_set(path))
    bundle = import_marked(rows, SETS[name], work / name, title=name)
    tasks = judged_tasks(bundle)
    return MarkedSet(name, bundle, tasks, rows, read_marks(bundle.root / "marks.jsonl", tasks))


@dataclass(frozen=True)
class Bench:
    """One set before one judge. `offline`: nothing may be asked."""

    gateway: Gateway
    one: MarkedSet
    offline: bool

    def judged(
        self,
        answers: Sequence[MarkedAnswer],
        mode: Mode,
        form: Form = DEFAULT_FORM,
        threshold: float = DEFAULT_THRESHOLD,
    ) -> Points | None:
        """The judge's points on each answer, None where it gave no verdict; None where it may not be asked."""
        exam = self.one.bundle.exam
        paper = Paper(locate(exam), self.one.bundle.read_asset, exam.language)
        seat = Seat(self.gateway, paper, mode, form=form, threshold=threshold)
        cases = [Case(self.one.tasks[answer.question_id], answer.answer) for answer in answers]
        if self.offline and seat.plan(cases, 1).calls:
            return None
        return [given[0].total if given[0].graded else None for given in seat.judge(cases, 1)]


def kappa(answers: Sequence[MarkedAnswer], given: Points, tasks: Mapping[str, JudgeTask]) -> float:
    """Mean weighted kappa of the judge with each rater, over shares of the maximum; -1 where it is undefined."""
    found = []
    for rater in dict.fromkeys(rater for one in answers for rater in one.marks):
        rows = [
            (points / tasks[one.question_id].max_points, one.marks[rater] / tasks[one.question_id].max_points)
            for one, points in zip(answers, given, strict=True)
            if points is not None and rater in one.marks
        ]
        if len(rows) > 1:
            found.append(weighted_kappa(*np.array(rows).T))
    found = [value for value in found if math.isfinite(value)]
    return statistics.fmean(found) if found else -1.0


def figures(answers: Sequence[MarkedAnswer], given: Points, tasks: Mapping[str, JudgeTask]) -> dict[str, Any]:
    kept = [(one, points) for one, points in zip(answers, given, strict=True) if points is not None]
    found = side_by_side([one for one, _ in kept], [points for _, points in kept], tasks)
    return {"answers": len(answers), "without_verdict": len(answers) - len(kept), **found}


def measure_typed(bench: Bench, count: int) -> dict[str, Any] | None:
    """Form and threshold with the highest kappa on the first half, and their figures on the second."""
    one = bench.one
    chosen_on, reported_on = one.half(count, 0), one.half(count, 1)
    tried: dict[tuple[Form, float], float] = {}
    for form in one.forms():
        if bench.judged(chosen_on, "levels", form) is None:
            continue
        for threshold in THRESHOLDS:
            points = bench.judged(chosen_on, "levels", form, threshold) or []
            tried[form, threshold] = kappa(chosen_on, points, one.tasks)
    shipped = one.forms()[0]
    default = bench.judged(reported_on, "levels", shipped)
    if default is None or (shipped, DEFAULT_THRESHOLD) not in tried:
        return None
    # of equals, the form as shipped and the threshold nearest to the default
    form, threshold = max(
        tried, key=lambda key: (round(tried[key], 4), key[0] == shipped, -abs(key[1] - DEFAULT_THRESHOLD))
    )
    points = bench.judged(reported_on, "levels", form, threshold)
    if points is None:
        return None
    return {
        "form": form,
        "threshold": threshold,
        "kappa_where_chosen": tried[form, threshold],
        "where_chosen": {
            name: {f"{t:g}": round(tried[name, t], 4) for t in THRESHOLDS}
            for name in one.forms()
            if (name, DEFAULT_THRESHOLD) in tried
        },
        "chosen": figures(reported_on, points, one.tasks),
        "default": figures(reported_on, default, one.tasks),
    }


def measure_text(bench: Bench, count: int) -> dict[str, Any] | None:
    """Text replies have one form and no threshold: only the half that is reported is asked."""
    answers = bench.one.half(count, 1)
    points = bench.judged(answers, "text") if answers else None
    return None if points is None else figures(answers, points, bench.one.tasks)


def baselines(one: MarkedSet, count: int) -> dict[str, Any]:
    """What needs no judge. length: the share of the points as a line in the logarithm of the length; mode: the share
    given most often; both learned on the first half and put on the nearest level."""
    known, asked = one.half(count, 0), one.half(count, 1)
    shares = [statistics.fmean(row.marks.values()) / one.tasks[row.question_id].max_points for row in known]
    slope, start = np.polyfit([_length(row) for row in known], shares, 1)
    mode = Counter(shares).most_common(1)[0][0]
    length: Points = [_nearest(one.tasks[row.question_id], start + slope * _length(row)) for row in asked]
    always: Points = [_nearest(one.tasks[row.question_id], mode) for row in asked]
    return {"length": figures(asked, length, one.tasks), "mode": figures(asked, always, one.tasks)}


def _length(row: MarkedAnswer) -> float:
    return math.log1p(len(row.answer))


def _nearest(task: JudgeTask, share: float) -> float:
    """A share of the question's points, spread over its criteria, each on its nearest level."""
    return task.total([criterion.nearest(share * criterion.highest).points for criterion in task.criteria])


def measure(args: argparse.Namespace) -> dict[str, Any]:
    names = args.sets.split(",") if args.sets else list(SETS)
    found: dict[str, Any] = {}
    missing: list[str] = []
    for name in names:
        one = open_set(args.folder / f"{name}.jsonl", args.work)
        with Gateway(args.judge, cache=CallCache(args.cache)) as gateway:
            bench, start = Bench(gateway, one, args.offline), time.perf_counter()
            typed = measure_typed(bench, min(args.typed, len(one.answers)))
            text = measure_text(bench, min(args.text, len(one.answers)))
            if typed is None:
                missing.append(name)
                continue
            entry: dict[str, Any] = {"questions": len(one.tasks), "of": len(one.answers), "anchor": SETS[name].anchor}
            entry |= {"typed": typed, "text": text, "baselines": baselines(one, min(args.typed, len(one.answers)))}
            entry |= {"seconds": round(time.perf_counter() - start, 1), "calls": gateway.tally.as_dict()}
        found[name] = entry
        print(f"{name}: {entry['seconds']:.0f} s, {gateway.tally.text()}", file=sys.stderr, flush=True)
    sizes = {"typed_answers": args.typed, "text_answers": args.text}
    return {"judge": args.judge, **sizes, "sets": found, "missing": missing}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the sets lie, a JSONL file each")
    parser.add_argument("--sets", help="names of sets, with commas (all)")
    parser.add_argument("--typed", type=int, default=60, help="answers of each set for typed questions (60)")
    parser.add_argument("--text", type=int, default=40, help="answers of each set for text replies (40), 0: none")
    parser.add_argument("--judge", default="llama:judge")
    parser.add_argument("--cache", type=Path, default=Path("build/judge-quality.sqlite"))
    parser.add_argument("--work", type=Path, default=Path("build/judge-quality"), help="where the bundles are written")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table between the marks of this page")
    parser.add_argument("--offline", action="store_true", help="ask nothing, use what the cache holds")
    args = parser.parse_args()
    record = measure(args)
    if args.write:
        write_page(args.write, record)
    print(json.dumps(record, ensure_ascii=False, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
