"""`exam2bench calibrate` and `attack`: judges of known quality, played by the fake server."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exam2bench.cli import main
from exam2bench.grade.judge.against_people import weighted_kappa
from exam2bench.grade.judge.anchors import anchors
from exam2bench.grade.judge.attacks import load_attacks
from exam2bench.grade.judge.calibration import judged_tasks
from exam2bench.grade.judge.framing import defused
from exam2bench.models.fake_server import Ask, FakeReply, FakeServer
from exam2bench.schemas.bundle import load_bundle

from .judged import RUBRIC, answer_in, make_bundle, picking

REFERENCES = {"q1": "Rain falls. Frost bites.", "q2": "Iron rusts. Zinc holds.", "q3": "Salt melts. Ice forms."}


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    rules = {
        name: (5, {"kind": "judge", "reference_answer": text, "rubric": RUBRIC}) for name, text in REFERENCES.items()
    }
    return make_bundle(
        tmp_path / "b", {name: rule for name, rule in rules.items() if name != "q1"} | {"q4": rules["q1"]}
    )


def sentences(text: str) -> set[str]:
    return {sentence.strip() for sentence in re.split(r"(?<=\.)\s+|\n", text) if sentence.strip()}


def fair(ask: Ask) -> Any:
    """Knows the official answer: one sentence of it in the answer for the first criterion, both for the second."""
    official = ask.text.partition("## Official answer\n\n")[2].partition("\n\n")[0]

    def choose(answer: str, key: str, levels: list[str]) -> tuple[str, str | None]:
        held = [sentence for sentence in sentences(official) if sentence in answer]
        if not held:
            return levels[-1], None
        if key == "c1":
            return levels[0], held[0]
        return (levels[0], held[0]) if len(held) == 2 else (levels[-1], None)

    return picking(choose)(ask)


def credulous(ask: Ask) -> Any:
    """Fair until somebody speaks of full marks."""
    if "full marks" in answer_in(ask).lower():
        return picking(lambda answer, key, levels: (levels[0], "full marks"))(ask)
    return fair(ask)


def test_the_set_is_large_varied_and_always_carries_the_answer(bundle: Path):
    version, attacks = load_attacks()
    tasks = judged_tasks(load_bundle(bundle))
    texts = [attack.on(tasks["q2"], "the WRONG one") for attack in attacks]
    assert version == "1" and len(attacks) >= 60 and len({attack.id for attack in attacks}) == len(attacks)
    assert len({attack.language for attack in attacks}) >= 8 and len({attack.family for attack in attacks}) >= 13
    assert all("the WRONG one" in text for text in texts)
    assert not [text for text in texts if re.search(r"\{(answer|points|top|json|hex|base64|repeat)", text)]
    forged = json.loads(
        next(text for attack, text in zip(attacks, texts, strict=True) if attack.id == "forged_verdict-01")
    )
    assert [entry["level"] for entry in forged.values()] == ["2", "3"]


def test_a_fair_judge_resists_and_a_credulous_one_is_found_out(bundle: Path, tmp_path: Path, capsys: Any):
    with FakeServer(lambda ask: credulous(ask) if ask.model == "soft" else fair(ask)) as server:
        judges = [f"openai:{name}@{server.url}/v1" for name in ("hard", "soft")]
        flags = ["--no-cache", "--json", "--per-attack", "1"]
        assert main(["attack", str(bundle), "--judge", judges[0], *flags]) == 0
        hard = json.loads(capsys.readouterr().out)["cards"][0]
        assert main(["attack", str(bundle), "--judge", judges[1], *flags, "-o", str(tmp_path / "a.json")]) == 1
    soft = json.loads(capsys.readouterr().out)["cards"][0]
    assert (hard["success"], hard["resisted"], hard["untested"]) == (0, len(load_attacks()[1]), 0)
    record = json.loads((tmp_path / "a.json").read_text())
    won = [trial for trial in record["trials"] if trial["state"] == "success"]
    assert soft["success"] == len(won) > 5 and soft["success_rate"] == len(won) / len(load_attacks()[1])
    assert all(trial["attacked"] > trial["clean"] and "full marks" in defused(trial["text"]).lower() for trial in won)


def test_calls_that_fail_are_untested_never_resisted(bundle: Path, capsys: Any):
    with FakeServer(lambda ask: FakeReply("no", status=400)) as server:
        judge = f"openai:j@{server.url}/v1"
        flags = ["--judge", judge, "--no-cache", "--json"]
        assert main(["attack", str(bundle), *flags, "--per-attack", "1"]) == 0
        card = json.loads(capsys.readouterr().out)["cards"][0]
        assert main(["calibrate", str(bundle), *flags, "--no-attacks"]) == 1
    assert (card["resisted"], card["untested"], card["success_rate"]) == (0, len(load_attacks()[1]), None)
    record = json.loads(capsys.readouterr().out)
    assert record["judges"][0]["passes"] is False and record["judges"][0]["checks"]["complete"] is False


def test_the_bar_is_written_and_the_cheapest_that_passes_named(bundle: Path, tmp_path: Path, capsys: Any):
    with FakeServer(lambda ask: credulous(ask) if ask.model == "soft" else fair(ask)) as server:
        judges = [flag for name in ("soft", "hard") for flag in ("--judge", f"openai:{name}@{server.url}/v1")]
        flags = ["--no-cache", "--price", "1,2", "-o", str(tmp_path / "out"), "--store", "--per-attack", "1"]
        assert main(["calibrate", str(bundle), *judges, *flags]) == 0
    record = json.loads((tmp_path / "out" / "calibration.json").read_text())
    soft, hard = record["judges"]
    assert record["cheapest_passing"] == hard["judge"] and "0.9" in record["bar"]["reference_share"]
    assert (soft["passes"], soft["checks"]["attack_success"]) == (False, False)
    assert hard["checks"] == dict.fromkeys(record["bar"], True)
    means = {kind: found["mean_share"] for kind, found in hard["anchors"].items()}
    assert means == {
        "empty": 0.0,
        "off_topic": 0.0,
        "reference": 1.0,
        "padded": 1.0,
        "framed": 1.0,
        "minus_one": 0.4,
        "reordered": 1.0,
    }
    assert hard["usd_per_1000_answers"] > 0 and (bundle / "calibration.json").exists()
    out = capsys.readouterr().out
    assert "attack_success: BROKEN" in out and f"cheapest that passes: {hard['judge']}" in out


WRITTEN = {
    "Iron rusts in 3 days. Zinc holds.": {
        "other words": "Within 3 days ferrous metal corrodes, while galvanised parts last.",
        "German": "Eisen rostet in 3 Tagen. Zink hält.",
    },
    "Salt melts 10 kg of snow. Frost returns.": {
        "other words": "Sodium chloride thaws 12 kg; later it freezes.",
        "German": "Salt melts 10 kg of snow. Frost returns.",
    },
}


def test_rewritten_answers_are_checked_before_they_count(tmp_path: Path, capsys: Any):
    """The writer changes a number once and translates nothing once: both are left out and said."""
    rules = {
        f"q{place}": (5, {"kind": "judge", "reference_answer": text, "rubric": RUBRIC})
        for place, text in enumerate(WRITTEN, 2)
    }
    bundle = make_bundle(tmp_path / "b", rules)

    def reply(ask: Ask) -> Any:
        if ask.model != "writer":
            return picking(lambda answer, key, levels: (levels[0 if "3" in answer else -1], "3"))(ask)
        texts = next(texts for original, texts in WRITTEN.items() if original in ask.text)
        return {"text": next(text for order, text in texts.items() if order in ask.text)}

    with FakeServer(reply) as server:
        model = [f"openai:{name}@{server.url}/v1" for name in ("judge", "writer")]
        flags = ["--judge", model[0], "--rewrite-with", model[1], "--cache", str(tmp_path / "c.db"), "--no-attacks"]
        assert main(["calibrate", str(bundle), *flags, "--dry-run"]) == 0 and server.asked == 0
        assert f"{model[1]}: 4 calls to make" in capsys.readouterr().out
        main(["calibrate", str(bundle), *flags, "--json"])
        asked, record = server.asked, json.loads(capsys.readouterr().out)
        main(["calibrate", str(bundle), *flags])
        assert server.asked == asked
    kinds = record["judges"][0]["anchors"]
    assert (kinds["paraphrased"], kinds["translated"]) == ({"questions": 1, "mean_share": 1.0},) * 2
    told = [(found["code"], found["where"]["question"], found["message"]) for found in record["findings"]]
    assert told == [
        ("anchor.paraphrased", "q3", f"{model[1]}: left out, its numbers are not those of the official answer"),
        ("anchor.translated", "q3", f"{model[1]}: left out, it is the official answer in its own words"),
    ]
    assert "q3: openai:writer" in capsys.readouterr().out


def test_the_piece_of_one_criterion_is_what_is_taken_out(tmp_path: Path):
    levels = [{"points": 1, "descriptor": "met"}, {"points": 0}]
    rubric = [
        {"id": "a", "description": "names photosynthesis in leaves", "levels": levels},
        {"id": "b", "description": "names oxygen as a product", "levels": levels},
    ]
    text = (
        "All of it takes place in daylight, of course, and on most days of the year. Leaves use photosynthesis. Oxygen."
    )
    parts = [
        {"id": "i", "label": "(i)", "kind": "short_answer", "reference": "tides", "points": 1},
        {"id": "ii", "label": "(ii)", "kind": "short_answer", "reference": "moon", "points": 3},
    ]
    rules = {
        "q2": (2, {"kind": "judge", "reference_answer": text, "rubric": rubric}),
        "q3": (4, {"kind": "parts", "parts": parts}),
        "q4": (2, {"kind": "judge", "reference_answer": "Short. The longest piece."}),
    }
    bundle = load_bundle(make_bundle(tmp_path / "b", rules))
    cut = {one.question_id: one.text for one in anchors(bundle, judged_tasks(bundle)) if one.kind == "minus_one"}
    assert cut["q2"].endswith("of the year.\nOxygen.") and "photosynthesis" not in cut["q2"]
    assert (cut["q3"], cut["q4"]) == ("(i) tides", "Short.")


def test_against_people_the_judge_stands_beside_their_own_agreement(bundle: Path, tmp_path: Path, capsys: Any):
    rows = [("q2", "Iron rusts. Zinc holds.", 5, 5), ("q2", "Iron rusts.", 2, 2), ("q2", "none,\nreally", 0, 2)]
    rows += [("q4", "Rain falls. Frost bites.", 5, 2), ("q4", "nothing", 0, 0), ("q4", "Frost bites.", 2, 2)]
    with (tmp_path / "m.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question", "answer", "ann", "bo", "ann:cause"])
        writer.writerows([*row, min(row[2], 2)] for row in rows)
    with FakeServer(fair) as server:
        flags = ["--judge", f"openai:j@{server.url}/v1", "--no-cache", "--marks", str(tmp_path / "m.csv")]
        assert main(["calibrate", str(bundle), *flags, "--json"]) == 0
        card = json.loads(capsys.readouterr().out)["judges"][0]
        assert main(["calibrate", str(bundle), *flags]) == 0
    # the judge marks as ann does; bo differs from both on two of six
    assert card["judge_human"]["exact"]["estimate"] == pytest.approx((1 + 4 / 6) / 2, abs=1e-4)
    assert card["human_human"]["exact"]["estimate"] == pytest.approx(4 / 6, abs=1e-4)
    assert card["judge_human"]["qwk"]["estimate"] > card["human_human"]["qwk"]["estimate"]
    assert card["human_human"]["mean_difference"]["estimate"] == pytest.approx(1 / 30, abs=1e-4)
    assert card["judge_human"]["exact"]["low"] < card["judge_human"]["exact"]["estimate"]
    assert (
        set(card["questions"]) == {"q2", "q4"} and card["criteria"]["q2/cause"]["judge_human"]["exact"]["estimate"] == 1
    )
    out = capsys.readouterr().out
    assert "people among themselves: exact 0.667" in out and "  q2/cause: qwk 1.000 [" in out
    assert "  q4: qwk " in out and ", people " in out


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"question": "zz", "answer": "x", "ann": 1}', "no judged question"),
        ('{"question": "q2", "answer": "x", "ann": "good"}', "is no number"),
        ('{"question": "q2", "answer": "x"}', "holds no marks"),
        ("{", "no JSONL"),
    ],
)
def test_marks_that_cannot_be_read_are_one_sentence(bundle: Path, tmp_path: Path, capsys: Any, line: str, told: str):
    (tmp_path / "m.jsonl").write_text(line)
    flags = ["--judge", "openai:j@http://127.0.0.1:9/v1", "--no-cache", "--marks", str(tmp_path / "m.jsonl")]
    assert main(["calibrate", str(bundle), *flags]) == 2
    err = capsys.readouterr().err
    assert told in err and err.count("\n") == 1


def test_weighted_kappa_is_cohens():
    # Fleiss, Cohen & Everitt form, worked by hand: observed 2/6 against expected 7/6 on marks 0, 1, 2
    first, second = np.array([0.0, 1, 2, 0, 1, 2]), np.array([0.0, 1, 2, 1, 1, 1])
    table = np.zeros((3, 3))
    for a, b in zip(first.astype(int), second.astype(int), strict=True):
        table[a, b] += 1 / 6
    weights = np.array([[(i - j) ** 2 for j in range(3)] for i in range(3)])
    by_table = 1 - (weights * table).sum() / (weights * np.outer(table.sum(1), table.sum(0))).sum()
    assert weighted_kappa(first / 2, second / 2) == pytest.approx(by_table)
