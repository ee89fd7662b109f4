"""Asking again: enlarged, both readings, at most three rounds; a habit of choosing A cannot pass."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable

from PIL import Image

from exam2bench.ingest.frontier.settle import Doubt, settle
from exam2bench.models.fake_server import Ask, FakeServer
from exam2bench.schemas.exam import Region

from .frontier_sample import asking, prepared

PLACE = Region(source=0, page=2, x0=58, y0=374, x1=285, y1=432)


def doubt(path: str = "prompt", layout: str = "for 3.0 s", model: str = "for 30 s") -> Doubt:
    return Doubt("B.q2", path, layout, model, (PLACE,))


def run(answer: Callable[[int, Ask], dict], *doubts: Doubt):
    asks: list[Ask] = []

    def reply(ask: Ask) -> dict:
        asks.append(ask)
        return {"decisions": [{"item": 1, **answer(len(asks), ask)}]}

    with FakeServer(reply) as server:
        one = asking(server)
        with one.gateway:
            settled, left = settle(doubts, prepared().layout, one)
    return settled, left, asks


def test_a_choice_counts_where_the_words_seen_are_those_of_the_reading():
    settled, left, asks = run(lambda n, ask: {"seen": "for 3.0 s", "reading": "A"}, doubt())
    assert [(one.by, one.round) for one in settled] == [("layout", 1)]
    assert (left, len(asks)) == ([], 1)


def test_both_readings_and_the_place_are_shown_and_larger_each_round():
    _, left, asks = run(lambda n, ask: {"seen": "?", "reading": "unreadable"}, doubt())
    assert len(left) == 1
    assert len(asks) == 3
    assert all("for 3.0 s" in ask.text and "for 30 s" in ask.text for ask in asks)
    widths = [Image.open(io.BytesIO(_picture(ask))).width for ask in asks]
    assert widths == sorted(set(widths))


def _picture(ask: Ask) -> bytes:
    parts = ask.body["messages"][-1]["content"]
    url = next(part["image_url"]["url"] for part in parts if part["type"] == "image_url")
    return base64.b64decode(url.split(",", 1)[1])


def test_who_always_says_a_settles_nothing_by_it():
    settled, left, asks = run(lambda n, ask: {"seen": "for 300 s", "reading": "A"}, doubt())
    assert (settled, len(left), len(asks)) == ([], 1, 3)


def test_two_rounds_in_a_row_for_one_reading_settle_it():
    settled, _, asks = run(lambda n, ask: {"seen": "3", "reading": "A" if n == 1 else "B"}, doubt())
    assert [(one.by, one.round) for one in settled] == [("layout", 2)]
    assert "A: for 3.0 s\nB: for 30 s" in asks[0].text
    assert "A: for 30 s\nB: for 3.0 s" in asks[1].text


def test_words_that_neither_read_count_when_two_rounds_see_them():
    settled, _, _ = run(lambda n, ask: {"seen": "for 2.0 s", "reading": "neither"}, doubt())
    assert [(one.by, one.words, one.round) for one in settled] == [("words", "for 2.0 s", 2)]


def test_an_answer_to_no_item_is_no_answer():
    settled, left, asks = run(lambda n, ask: {"item": 7, "seen": "for 3.0 s", "reading": "A"}, doubt())
    assert (settled, len(left), len(asks)) == ([], 1, 3)


def test_fields_of_one_question_are_asked_in_one_call():
    asks: list[Ask] = []

    def reply(ask: Ask) -> dict:
        asks.append(ask)
        decisions = [{"item": 1, "seen": "for 3.0 s", "reading": "A"}, {"item": 2, "seen": "2.", "reading": "B"}]
        return {"decisions": decisions}

    with FakeServer(reply) as server:
        one = asking(server)
        with one.gateway:
            settled, left = settle([doubt(), doubt("number", "3.", "2.")], prepared().layout, one)
    assert [(s.doubt.path, s.by) for s in settled] == [("prompt", "layout"), ("number", "model")]
    assert (left, len(asks)) == ([], 1)
