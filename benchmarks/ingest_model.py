"""Ingest with a model beside a plain pipeline: calls, input tokens and wall time per page.

    python -m benchmarks.ingest_model EXAMS [--latency 2] [--concurrency 8] [--only SLUG ...]

Both ask the fake server, which takes `latency` seconds for each reply. The plain pipeline renders every page at 200 dpi
and sends windows of four pages with one page of overlap one after the other, with the same instructions. Ours runs
`ingest_with_model` as a user would, layout pass and proof included; its replies are what the layout engine itself reads
there, so that the proof has real work and nothing stays open. Tokens: text by four characters each, instructions and
schema included; pictures by their pixels / 750, once as sent and once shrunk to 1,568 pixels on the longer side, as
some providers do before they count.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from exam2bench.ingest.engine import IngestOptions, open_sources
from exam2bench.ingest.figures.crops import crop
from exam2bench.ingest.frontier.asking import Asking
from exam2bench.ingest.frontier.limits import FRONTIER
from exam2bench.ingest.frontier.prepared import prepare
from exam2bench.ingest.frontier.prompts.questions import QUESTIONS
from exam2bench.ingest.frontier.run import ingest_with_model, plan_only
from exam2bench.ingest.page import Box
from exam2bench.models.dialect import dumps
from exam2bench.models.fake_server import Ask, FakeServer
from exam2bench.models.gateway import Gateway
from exam2bench.models.request import ImagePart, Request, TextPart

from .layout_replies import reader

WINDOW, OVERLAP, DPI = 4, 1, 200
LONG_SIDE = 1568
PIXELS_PER_TOKEN = 750


@dataclass
class Measured:
    """One pipeline on one exam. `waited` is the part of `seconds` in which replies were awaited, `cpu` the processor's
    seconds, which tell what a busy machine does to `seconds`."""

    pages: int
    calls: int
    tokens: float
    shrunk: float
    seconds: float
    waited: float
    cpu: float


def tokens(asks: Sequence[Ask]) -> tuple[float, float]:
    """Input tokens of the requests as they arrived: as sent, and with pictures shrunk."""
    whole = shrunk = 0.0
    for ask in asks:
        text = (len(ask.text) + len(dumps(ask.schema or {}))) / 4
        parts = ask.body["messages"][-1]["content"]
        sizes = [_size(part) for part in parts if isinstance(part, dict) and part["type"] == "image_url"]
        whole += text + sum(w * h for w, h in sizes) / PIXELS_PER_TOKEN
        shrunk += text + sum(w * h * min(1.0, LONG_SIDE / max(w, h)) ** 2 for w, h in sizes) / PIXELS_PER_TOKEN
    return whole, shrunk


def _size(part: dict) -> tuple[int, int]:
    data = base64.b64decode(part["image_url"]["url"].split(",", 1)[1])
    with Image.open(io.BytesIO(data)) as image:
        return image.width, image.height


def plain(paths: Sequence[Path], latency: float) -> Measured:
    """The pipeline that most people write first."""
    with FakeServer(lambda ask: {"sections": [], "questions": [], "figures": []}, latency=latency) as server:
        began, cpu = time.monotonic(), time.process_time()
        sources = open_sources(paths)
        pages = [(source, n) for source in sources for n in source.pages]
        waited = 0.0
        with Gateway(f"chat:any@{server.url}/v1") as gateway:
            for start in range(0, max(len(pages) - OVERLAP, 1), WINDOW - OVERLAP):
                shown = []
                for source, n in pages[start : start + WINDOW]:
                    rect = source.document[n].rect
                    shown.append(ImagePart(crop(source, n, Box(0, 0, rect.width, rect.height), DPI)))
                request = Request(
                    (*shown, TextPart("Copy the questions on these pages.")), QUESTIONS.text, QUESTIONS.schema
                )
                asked = time.monotonic()
                gateway.run([request])
                waited += time.monotonic() - asked
        seconds, cpu = time.monotonic() - began, time.process_time() - cpu
        return Measured(len(pages), server.asked, *tokens(server.asks), seconds, waited, cpu)


def ours(paths: Sequence[Path], latency: float, concurrency: int) -> Measured:
    """`ingest_with_model`, from the files to the pictures of the bundle."""
    known = prepare(paths, IngestOptions())
    with FakeServer(latency=latency) as server:
        with Gateway(f"chat:any@{server.url}/v1", concurrency=concurrency) as gateway:
            asking = Asking(gateway, FRONTIER)
            server.script = reader(known, plan_only(known, asking))
            began, cpu = time.monotonic(), time.process_time()
            ingest_with_model(prepare(paths, IngestOptions()), asking)
            seconds, cpu = time.monotonic() - began, time.process_time() - cpu
        pages = len(known.layout.pages)
        return Measured(pages, server.asked, *tokens(server.asks), seconds, asking.seconds, cpu)


def sources_of(folder: Path) -> list[Path]:
    """The PDFs of an exam folder, the paper first."""
    return sorted(folder.glob("*.pdf"), key=lambda path: (not path.name.startswith("paper"), path.name))


COLUMNS = ("calls", "tokens a page", "the same, shrunk", "seconds", "waited for replies", "of the processor")
HEAD = f"{'exam':<32}{'pages':>6}" + "".join(f"{name:>22}" for name in COLUMNS) + "\n" + " " * 38
HEAD += "".join(f"{'plain':>9}{'ours':>7}{'':>6}" for _ in COLUMNS)


def row(name: str, plainly: Measured, our: Measured) -> str:
    """One line: plain, ours, and how many times less ours is."""
    cells = [(plainly.calls, our.calls)]
    cells += [
        (plainly.tokens / our.pages, our.tokens / our.pages),
        (plainly.shrunk / our.pages, our.shrunk / our.pages),
    ]
    cells += [(plainly.seconds, our.seconds), (plainly.waited, our.waited), (plainly.cpu, our.cpu)]
    told = "".join(f"{a:>9.{_places(a)}f}{b:>7.{_places(a)}f}{a / b:>5.1f}x" for a, b in cells)
    return f"{name:<32}{our.pages:>6}{told}"


def _places(value: float) -> int:
    return 0 if value == int(value) or value > 300 else 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exams", type=Path, help="a folder of exam folders with PDFs")
    parser.add_argument("--latency", type=float, default=2.0, help="seconds per reply")
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--only", nargs="+", default=[], help="names of exam folders")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    args = parser.parse_args()
    sums: list[tuple[Measured, Measured]] = []
    print(HEAD)
    for folder in sorted(path for path in args.exams.iterdir() if path.is_dir()):
        paths = sources_of(folder)
        if not paths or (args.only and folder.name not in args.only):
            continue
        pair = plain(paths, args.latency), ours(paths, args.latency, args.concurrency)
        sums.append(pair)
        print(row(folder.name, *pair), flush=True)
    if len(sums) > 1:
        print(row("all", _sum([p for p, _ in sums]), _sum([o for _, o in sums])))
    if args.json:
        args.json.write_text(json.dumps([[vars(p), vars(o)] for p, o in sums], indent=2), "utf-8")


def _sum(parts: Sequence[Measured]) -> Measured:
    return Measured(*(sum(getattr(part, name) for part in parts) for name in Measured.__dataclass_fields__))


if __name__ == "__main__":
    main()
