"""What the gateway adds to a model's own time: `python -m benchmarks.models [--quick]`.

Everything runs against `exam2bench models serve-fake` in a process of its own, on this machine. Ratios are taken
within one run; absolute times depend on the machine and on what else it does.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import tracemalloc
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from exam2bench.models import asking
from exam2bench.models.cache import CallCache, StoredReply
from exam2bench.models.gateway import Gateway
from exam2bench.models.outcome import Usage
from exam2bench.models.request import Request, TextPart

SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "level": {"type": "integer", "enum": [0, 1, 2]}},
    "required": ["reason", "level"],
    "additionalProperties": False,
}
RUBRIC = "Level 2: names both causes. Level 1: names one. Level 0: names none. " * 60


def answers(count: int, questions: int = 20) -> list[Request]:
    """Student answers to a few questions: a rubric of 4,000 characters each, then 200 characters of answer."""
    return [
        Request(
            (TextPart(f"Question {n % questions}. {RUBRIC}"), TextPart(f"Answer {n}: " + "it is so because " * 12)),
            system="You pick a level.",
            schema=SCHEMA,
            prefix_parts=1,
            max_tokens=500,
        )
        for n in range(count)
    ]


@contextmanager
def fake_server(*flags: str) -> Iterator[str]:
    command = [sys.executable, "-m", "exam2bench.cli", "models", "serve-fake", *flags]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait(10)


def stats(url: str) -> dict:
    with urllib.request.urlopen(f"{url}/fake/stats") as reply:
        return json.load(reply)


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def throughput(count: int, folder: Path) -> None:
    with fake_server("--latency", "0.2") as url:
        model = f"openai:fake@{url}/v1"
        with Gateway(model, concurrency=64) as gateway:
            gateway.run(answers(64, 64))  # imports, connections
            requests = answers(count)
            memory = peak_mb()
            start = time.perf_counter()
            outcomes = gateway.run(requests)
            seconds = time.perf_counter() - start
            first = peak_mb() - memory
            share = gateway.summary()["provider_cached_share"]
        ideal = count * 0.2 / 64
        raw = asyncio.run(bare_sdk(url, count))
        assert all(outcome.ok for outcome in outcomes)
        print(f"{count} calls of 200 ms at concurrency 64: {seconds:.2f} s, {seconds / ideal:.2f} x the ideal time")
        print(f"  the bare SDK with a semaphore, same calls: {raw:.2f} s, {raw / ideal:.2f} x")
        print(f"  {share:.0%} of the input tokens came from the prompt cache; memory grew by {first:.1f} MB")
        again(url, model, count, folder)


async def bare_sdk(url: str, count: int) -> float:
    """The floor on this machine: the SDK's `.create()` for the same bodies, nothing around it."""
    from openai import AsyncOpenAI

    from exam2bench.models.names import parse_model
    from exam2bench.models.providers.openai_responses import OpenAIResponses

    gate = asyncio.Semaphore(64)
    async with AsyncOpenAI(api_key="none", base_url=f"{url}/v1") as client:

        async def one(body: dict) -> None:
            async with gate:
                await client.responses.create(**body)

        provider = OpenAIResponses(parse_model(f"openai:fake@{url}/v1"))
        bodies = [provider.body(request) for request in answers(count)]
        await provider.close()
        await asyncio.gather(*(one(body) for body in bodies[:64]))
        start = time.perf_counter()
        await asyncio.gather(*(one(body) for body in bodies))
        return time.perf_counter() - start


def again(url: str, model: str, count: int, folder: Path) -> None:
    """The same run twice with a cache; the second in a fresh process, its start included and not."""
    path = folder / "run.sqlite"
    with Gateway(model, cache=CallCache(path), concurrency=64) as gateway:
        gateway.run(answers(count))
    asked = stats(url)["asked"]
    code = (
        "import time; start = time.perf_counter()\n"
        "from benchmarks.models import *\n"
        f"gateway = Gateway({model!r}, cache=CallCache({str(path)!r}))\n"
        "requests = answers(" + str(count) + "); ready = time.perf_counter()\n"
        "out = gateway.run(requests); assert all(o.cached for o in out)\n"
        "print(time.perf_counter() - ready, time.perf_counter() - start)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    run, whole = (float(part) for part in done.stdout.split())
    print(
        f"second run of the same {count}: {run:.2f} s ({whole:.2f} s with imports), {stats(url)['asked'] - asked} calls"
    )


def overhead(count: int) -> None:
    with fake_server() as url:
        for concurrency in (1, 64):
            with Gateway(f"openai:fake@{url}/v1", concurrency=concurrency) as gateway:
                gateway.run(answers(64, 64))
                start, used = time.perf_counter(), time.process_time()
                gateway.run(answers(count))
                wall, cpu = time.perf_counter() - start, time.process_time() - used
            print(
                f"no latency, concurrency {concurrency}: {1000 * wall / count:.2f} ms a call, server included; "
                f"{1000 * cpu / count:.2f} ms of CPU in this process"
            )


def memory(count: int) -> None:
    """Whether anything but the results grows with the number of calls: what Python objects hold after `count` and after
    three times as many, with the results and without. Traced, so its times mean nothing."""
    with fake_server() as url, Gateway(f"openai:fake@{url}/v1", concurrency=64) as gateway:
        gateway.run(answers(64, 64))
        tracemalloc.start()
        for calls in (count, 3 * count):
            requests = answers(calls)
            before = traced_kb()
            outcomes = gateway.run(requests)
            with_results = traced_kb() - before
            assert all(outcome.ok for outcome in outcomes)
            del outcomes
            print(
                f"memory after {calls} calls: {with_results:.0f} KB, "
                f"{traced_kb() - before:.0f} KB once the results are dropped"
            )
        tracemalloc.stop()


def traced_kb() -> float:
    gc.collect()
    return tracemalloc.get_traced_memory()[0] / 1024


def lookups(rows: int, folder: Path) -> None:
    with CallCache(folder / "big.sqlite") as cache:
        reply = StoredReply("ok", "openai:m", '{"reason": "' + "r" * 120 + '", "level": 2}', usage=Usage(1200, 40))
        start = time.perf_counter()
        cache.put_many((f"{random.getrandbits(256):064x}", reply) for _ in range(rows))
        print(f"{rows:,} rows stored in {time.perf_counter() - start:.1f} s")
        keys = [row[0].hex() for row in cache._db.execute("SELECT key FROM calls ORDER BY random() LIMIT 50000")]
        start = time.perf_counter()
        found = cache.get_many(keys)
        seconds = time.perf_counter() - start
        assert len(found) == len(keys)
        start = time.perf_counter()
        for key in keys[:10_000]:
            cache.get(key)
        single = time.perf_counter() - start
    print(f"lookups at {rows:,} rows: {len(keys) / seconds:,.0f} a second in bulk, {10_000 / single:,.0f} one by one")


def faults(count: int, folder: Path) -> None:
    asking.FIRST_PAUSE = 0.05
    with fake_server("--faults", "0.2", "--seed", "1") as url:
        model = f"openai:fake@{url}/v1"
        with Gateway(model, cache=CallCache(folder / "faults.sqlite"), concurrency=64) as gateway:
            outcomes = gateway.run(answers(count, 50))
            halvings = gateway.asker().pace.halvings
        seen = stats(url)
        statuses = Counter(outcome.status for outcome in outcomes)
        scored_wrongly = sum(outcome.value is not None and not outcome.ok for outcome in outcomes)
        silent = sum(not outcome.ok and not outcome.why() for outcome in outcomes)
    print(f"{count} calls, 20 % failing: {dict(statuses)}, {seen['asked']} requests, faults {seen['faults']}")
    print(
        f"  lost {count - len(outcomes)}, answers bought twice {seen['answered_twice']}, failures with a value "
        f"{scored_wrongly}, failures without a reason {silent}; concurrency halved {halvings} times"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    tenth = 10 if parser.parse_args().quick else 1
    os.environ.setdefault("OPENAI_API_KEY", "none")
    with tempfile.TemporaryDirectory() as folder:
        throughput(2000 // tenth, Path(folder))
        overhead(1000 // tenth)
        memory(500 // tenth)
        lookups(1_000_000 // tenth, Path(folder))
        faults(5000 // tenth, Path(folder))


if __name__ == "__main__":
    main()
