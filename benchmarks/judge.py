"""Judging a class: many answers at once beside one call after the other, the second run, and the prefix cache.

    python -m benchmarks.judge [--questions 24] [--sheets 8] [--repeats 3] [--latency 0.2] [--concurrency 64] [--json]
    python -m benchmarks.judge --vllm FOLDER [--questions 24] [--sheets 8] [--json]

The judge is the fake server in a process of its own; it answers after `--latency` seconds. "One after the other" is
the same grading with one call at a time, measured on `--sequential` verdicts and scaled to all of them. The prefix
share is what the server's prompt cache could serve of all input tokens, on a run of ten sheets; a question has about
250 words with its mark scheme, an answer about 80. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import random
import sys
import tempfile
import time
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from exam2bench.grade.judge.session import Session
    from exam2bench.models.request import TypedQuestion

WORDS = [
    *("rock", "water", "frost", "river", "delta", "market", "price", "wage", "labour"),
    *("cell", "membrane", "enzyme", "force", "mass", "energy", "law", "state"),
]


def serve(pipe: Connection, latency: float) -> None:
    """The judge: the lowest level for everything. Sends its port, stops when told to."""
    from exam2bench.models.fake_server import Ask, FakeServer

    def reply(ask: Ask) -> dict[str, Any]:
        fields = (ask.schema or {})["properties"]
        return {
            name: {"evidence": None, "reason": "not there", "level": field["properties"]["level"]["enum"][-1]}
            for name, field in fields.items()
        }

    with FakeServer(reply, latency=latency, keep=False) as server:
        pipe.send(server.port)
        while pipe.recv() != "stop":
            pipe.send(server.stats())


def prose(words: int, seed: str) -> str:
    draw = random.Random(seed)
    return " ".join(draw.choice(WORDS) for _ in range(words))


def make_bundle(folder: Path, count: int) -> None:
    from exam2bench.schemas.bundle import save_bundle
    from exam2bench.schemas.exam import Exam
    from exam2bench.schemas.grading import GradingSpec
    from exam2bench.schemas.manifest import Manifest

    questions, rules = [], {}
    for number in range(count):
        name = f"q{number}"
        prompt = [{"type": "text", "markdown": prose(90, name)}]
        questions.append({"id": name, "type": "essay", "points": 6, "prompt": prompt})
        levels = [{"points": points, "descriptor": prose(12, f"{name}{points}")} for points in (2, 1, 0)]
        rubric = [{"id": f"c{n}", "description": prose(10, f"{name}c{n}"), "levels": levels} for n in range(3)]
        rule = {"kind": "judge", "reference_answer": prose(80, f"{name}ref"), "rubric": rubric}
        rules[name] = {"question_id": name, "max_points": 6, "rule": rule}
    exam = {"exam_id": "bench", "title": "Bench", "language": "en", "total_points": 6 * count}
    exam["sections"] = [{"id": "A", "questions": questions}]
    records = Exam.model_validate(exam), GradingSpec.model_validate({"exam_id": "bench", "questions": rules})
    save_bundle(folder, *records, Manifest(created_at="2026-01-01T00:00:00Z", tool_version="0"), {})


def make_sheets(folder: Path, questions: int, sheets: int) -> None:
    folder.mkdir()
    for number in range(sheets):
        answers = {f"q{q}": {"type": "text", "text": prose(80, f"{number}/{q}")} for q in range(questions)}
        sheet = {"exam_id": "bench", "taker": f"t{number}", "answers": answers}
        (folder / f"{number}.json").write_text(json.dumps(sheet))


class Judge:
    """The server's process."""

    def __init__(self, latency: float) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other, latency), daemon=True)
        self.process.start()
        self.url = f"http://127.0.0.1:{self.pipe.recv()}/v1"

    def asked(self) -> int:
        self.pipe.send("stats")
        return self.pipe.recv()["asked"]

    def stop(self) -> None:
        self.pipe.send("stop")
        self.process.join(10)


def filled_session(bundle: Path, sheets: Path) -> Session:
    """All sheets read, graded by rule, and waiting for the judge."""
    from exam2bench.grade.judge.session import Session
    from exam2bench.grade.plan import ExamPlan
    from exam2bench.grade.report import grade_sheet
    from exam2bench.grade.sheets import read_sheet
    from exam2bench.schemas.bundle import load_bundle

    loaded = load_bundle(bundle)
    plan = ExamPlan.of(loaded)
    session = Session(plan, loaded)
    for path in sorted(sheets.glob("*.json")):
        sheet = read_sheet(path)
        session.add(sheet, grade_sheet(plan, sheet), path.parent)
    return session


def run(bundle: Path, sheets: Path, judge: Judge, cache: Path, repeats: int, concurrency: int) -> dict[str, Any]:
    """One grading, all of it: reading, asking, writing reports. Seconds, verdicts, calls made, the gateway's tally."""
    from exam2bench.grade.judge.panel import Seat
    from exam2bench.models.cache import CallCache
    from exam2bench.models.gateway import Gateway

    before, start = judge.asked(), time.perf_counter()
    session = filled_session(bundle, sheets)
    with Gateway(f"openai:j@{judge.url}", cache=CallCache(cache), concurrency=concurrency) as gateway:
        seat = Seat(gateway, session.paper)
        texts = [graded.text() for graded in session.judge([seat], repeats=repeats)]
        tally = gateway.tally.as_dict()
    seconds = time.perf_counter() - start
    return {
        "seconds": seconds,
        "verdicts": len(session.cases()) * repeats,
        "calls": judge.asked() - before,
        "cached_share": tally["provider_cached_share"],
        "reports": texts,
    }


def measure(args: argparse.Namespace) -> dict[str, Any]:
    judge = Judge(args.latency)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_bundle(folder / "b", args.questions)
        make_sheets(folder / "s", args.questions, args.sheets)
        make_bundle(folder / "small", min(args.questions, args.sequential))
        make_sheets(folder / "one", min(args.questions, args.sequential), 1)
        one = run(folder / "small", folder / "one", judge, folder / "c0.db", -(-args.sequential // args.questions), 1)
        many = run(folder / "b", folder / "s", judge, folder / "c1.db", args.repeats, args.concurrency)
        again = run(folder / "b", folder / "s", judge, folder / "c1.db", args.repeats, args.concurrency)
        make_sheets(folder / "ten", args.questions, 10)
        ten = run(folder / "b", folder / "ten", judge, folder / "c2.db", 1, args.concurrency)
    judge.stop()
    sequential = one["seconds"] / one["verdicts"] * many["verdicts"]
    return {
        "verdicts": many["verdicts"],
        "one_after_the_other_seconds": round(sequential, 1),
        "measured_on": one["verdicts"],
        "at_once_seconds": round(many["seconds"], 2),
        "times_faster": round(sequential / many["seconds"], 1),
        "second_run_calls": again["calls"],
        "second_run_seconds": round(again["seconds"], 2),
        "second_run_same_bytes": again["reports"] == many["reports"],
        "prefix_share_ten_sheets": ten["cached_share"],
    }


def typed_questions(bundle: Path, sheets: Path, model: str) -> list[list[TypedQuestion]]:
    """What is asked about each answer, all answers to one question in a row."""
    from exam2bench.grade.judge.panel import Seat
    from exam2bench.models.gateway import Gateway

    session = filled_session(bundle, sheets)
    with Gateway(model) as gateway:
        seat = Seat(gateway, session.paper, "levels")
        return [seat.questions(case, 0) for _, case in session.cases()]


def ask_engine(pipe: Connection, model: str, verdicts: list[list[TypedQuestion]]) -> None:
    """All questions in one engine, in this order, as many at once as the gateway lets in. Sends what it took."""
    from exam2bench.models.names import parse_model
    from exam2bench.models.providers.vllm import MOST, VLLM

    questions = [question for group in verdicts for question in group]

    async def run() -> dict[str, Any]:
        provider = VLLM(parse_model(model))
        await provider.call(replace(questions[0], system="Warming up.", text="Nothing."))
        start, cached, read = time.perf_counter(), 0, 0
        for first in range(0, len(questions), MOST):
            replies = await asyncio.gather(*(provider.call(one) for one in questions[first : first + MOST]))
            cached += sum(reply.usage.cached for reply in replies)
            read += sum(reply.usage.input for reply in replies)
        seconds = time.perf_counter() - start
        await provider.close()
        return {"seconds": seconds, "cached_share": round(cached / read, 3), "input_tokens": read}

    pipe.send(asyncio.run(run()))


def measure_vllm(args: argparse.Namespace) -> dict[str, Any]:
    model = f"vllm:{args.vllm}"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_bundle(folder / "b", args.questions)
        make_sheets(folder / "s", args.questions, args.sheets)
        grouped = typed_questions(folder / "b", folder / "s", model)
    shuffled = random.Random(1).sample(grouped, len(grouped))
    found: dict[str, Any] = {"verdicts": len(grouped), "typed_questions": sum(len(group) for group in grouped)}
    for order, verdicts in (("grouped", grouped), ("shuffled", shuffled)):
        context = multiprocessing.get_context("spawn")
        pipe, other = context.Pipe()
        process = context.Process(target=ask_engine, args=(other, model, verdicts))
        process.start()
        took = pipe.recv()
        process.join()
        found[f"{order}_verdicts_a_second"] = round(len(grouped) / took["seconds"], 2)
        found[f"{order}_seconds"] = round(took["seconds"], 1)
        found[f"{order}_cached_share"] = took["cached_share"]
        found["input_tokens"] = took["input_tokens"]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=24)
    parser.add_argument("--sheets", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--sequential", type=int, default=48, help="verdicts of the run with one call at a time")
    parser.add_argument("--vllm", metavar="FOLDER", help="a model's folder or hub name, asked in vLLM's own engine")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = measure_vllm(args) if args.vllm else measure(args)
    if args.json:
        print(json.dumps(found, indent=2))
        return 0
    for name, value in found.items():
        print(f"{name.replace('_', ' '):<30}{value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
