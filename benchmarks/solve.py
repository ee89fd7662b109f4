"""What `exam2bench solve` adds to a model's own time, and what kill -9 costs: `python -m benchmarks.solve [--quick]`.

A synthetic exam of choice questions is sat by the real command, in processes of its own, at concurrency 64 against the
fake server of this package. First how long a question takes beyond the server's own latency, and how much CPU the
command uses for it. Then the command is killed in the middle, again and again, and started anew: which answers were
lost, and which that were already kept were asked again. Nothing is asserted; times depend on the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exam2bench.models.fake_server import Ask, FakeServer
from exam2bench.schemas.bundle import save_bundle
from exam2bench.schemas.exam import Exam
from exam2bench.schemas.grading import GradingSpec
from exam2bench.schemas.manifest import Manifest

CONCURRENCY = 64
_ITEM = re.compile(r"Item (\d+): which")


def make_bundle(folder: Path, count: int) -> Path:
    """An exam of `count` single-choice questions about nothing."""

    def text(markdown: str) -> list[dict[str, str]]:
        return [{"type": "text", "markdown": markdown}]

    options = [{"id": label, "content": text(f"the {word} one")} for label, word in zip("ABCD", "abcd", strict=True)]
    questions = [
        {"id": f"q{n}", "type": "single_choice", "points": 1, "prompt": text(f"Item {n}: which?"), "options": options}
        for n in range(count)
    ]
    exam = {"exam_id": "synthetic", "title": "Synthetic", "language": "en", "total_points": count}
    rules = {
        one["id"]: {"question_id": one["id"], "max_points": 1, "rule": {"kind": "choice", "correct": ["B"]}}
        for one in questions
    }
    save_bundle(
        folder,
        Exam.model_validate({**exam, "sections": [{"id": "A", "questions": questions}]}),
        GradingSpec.model_validate({"exam_id": "synthetic", "questions": rules}),
        Manifest(created_at="2026-01-01T00:00:00Z", tool_version="0"),
        {},
        force=True,
    )
    return folder


def item(text: str) -> int:
    found = _ITEM.search(text)
    return int(found.group(1)) if found else -1


def reply(ask: Ask) -> dict[str, Any]:
    """Names its question, so that what was kept can be told from what was asked."""
    number = item(ask.text)
    return {"working": f"item {number}", "answer": "ABCD"[number % 4]}


def start(server: FakeServer, bundle: Path, out: Path, *flags: str) -> subprocess.Popen[bytes]:
    model = f"chat:fake@{server.url}/v1"
    command = [sys.executable, "-m", "exam2bench.cli", "solve", str(bundle), "--model", model, "-o", str(out)]
    return subprocess.Popen(
        [*command, "--concurrency", str(CONCURRENCY), *flags],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "OPENAI_API_KEY": "none"},
    )


def timed(server: FakeServer, bundle: Path, out: Path, *flags: str) -> tuple[float, float]:
    """Wall and CPU seconds of one run of the command, its start included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    process = start(server, bundle, out, *flags)
    _, said = process.communicate()
    wall = time.perf_counter() - begun
    if process.returncode:
        raise SystemExit(f"solve ended with {process.returncode}: {said.decode()[-500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def overhead(folder: Path, count: int, latency: float) -> dict[str, Any]:
    """A sitting of one wave of questions is taken off, so that imports and the bundle are not counted."""
    bundle = make_bundle(folder / "overhead", count)
    with FakeServer(reply, latency=latency, keep=False) as server:
        first = timed(server, bundle, folder / "wave.json", "--no-cache", "--limit", str(CONCURRENCY))
        whole = timed(server, bundle, folder / "all.json", "--cache", str(folder / "overhead.sqlite"))
        again = timed(server, bundle, folder / "all.json", "--cache", str(folder / "overhead.sqlite"))
    asked = count - CONCURRENCY
    ideal = asked * latency / CONCURRENCY
    return {
        "questions": count,
        "latency_ms": latency * 1000,
        "wall_s": whole[0] - first[0],
        "ideal_s": ideal,
        "overhead_ms_per_question": (whole[0] - first[0] - ideal) / asked * 1000,
        "cpu_ms_per_question": (whole[1] - first[1]) / asked * 1000,
        "start_s": first[0] - latency,
        "second_run_s": again[0],
    }


def kept(cache: Path) -> Counter[int]:
    """How often each question's reply stands in the call cache, read as a stranger would: the file's bytes decide."""
    if not cache.exists():
        return Counter()
    with sqlite3.connect(f"file:{cache}?mode=ro", uri=True) as db:
        rows = db.execute("SELECT * FROM calls").fetchall()
    texts = [" ".join(str(value) for value in row) for row in rows]
    return Counter(int(found.group(1)) for text in texts if (found := re.search(r"item (\d+)", text)))


def killed(folder: Path, count: int, kills: int, seed: int) -> dict[str, Any]:
    """The same command, killed after a random number of further calls each time, then left to finish."""
    bundle, out, cache = make_bundle(folder / "killed", count), folder / "killed.json", folder / "killed.sqlite"
    draw = random.Random(seed)
    again = in_flight = 0
    with FakeServer(reply, latency=0.05) as server:
        for _ in range(kills):
            before, seen = kept(cache), len(server.asks)
            process = start(server, bundle, out, "--cache", str(cache))
            wanted = seen + draw.randint(CONCURRENCY // 2, max(CONCURRENCY, count // kills))
            while len(server.asks) < wanted and process.poll() is None:
                time.sleep(draw.random() * 0.004)
            if process.poll() is not None:
                raise SystemExit("the run ended before it could be killed: more --questions")
            process.send_signal(signal.SIGKILL)
            process.communicate()
            time.sleep(0.1)  # the server notices that its client is gone
            asked = Counter(item(ask.text) for ask in server.asks[seen:])
            again += sum(asked[number] for number in before)
            in_flight += len(set(asked) - set(kept(cache)))
        before, seen = kept(cache), len(server.asks)
        timed(server, bundle, out, "--cache", str(cache))
        again += sum(item(ask.text) in before for ask in server.asks[seen:])
        total = len(server.asks)
    sheet = json.loads(out.read_text(encoding="utf-8"))
    wrong = sum(sheet["answers"].get(f"q{number}", {}).get("selected") != "ABCD"[number % 4] for number in range(count))
    return {
        "questions": count,
        "kills": kills,
        "requests": total,
        "kept_answers_asked_again": again,
        "answers_lost_or_wrong": wrong,
        "rows_twice_in_the_cache": sum(number > 1 for number in kept(cache).values()),
        "calls_in_flight_at_a_kill": in_flight,
        "requests_beyond_one_a_question": total - count,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--questions", type=int, default=2_000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="400 questions, 4 kills")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args(arguments)
    count, kills = (400, 4) if args.quick else (args.questions, args.kills)
    with tempfile.TemporaryDirectory() as folder:
        found = {
            "overhead": [overhead(Path(folder), count, latency) for latency in (0.2, 0.0)],
            "killed": killed(Path(folder), count, kills, args.seed),
        }
    if args.json:
        print(json.dumps(found, indent=2))
        return
    for row in found["overhead"]:
        print(
            f"{row['questions']} questions of {row['latency_ms']:.0f} ms at concurrency {CONCURRENCY}: "
            f"{row['wall_s']:.2f} s, {row['ideal_s']:.2f} s of them the model's; "
            f"{row['overhead_ms_per_question']:.2f} ms beyond it and {row['cpu_ms_per_question']:.2f} ms of CPU a "
            f"question; {row['start_s']:.1f} s to start; the same command again {row['second_run_s']:.1f} s"
        )
    row = found["killed"]
    print(
        f"killed {row['kills']} times over {row['questions']} questions: {row['answers_lost_or_wrong']} answers lost, "
        f"{row['kept_answers_asked_again']} kept answers asked again, {row['rows_twice_in_the_cache']} kept twice; "
        f"{row['calls_in_flight_at_a_kill']} calls in flight at a kill, so {row['requests']} requests in all"
    )


if __name__ == "__main__":
    main()
