"""A taker sits a small exam against the local server: every question type, every failure, shards, resumption."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from exam2bench.cli import main
from exam2bench.models.dialect import check
from exam2bench.models.fake_server import Ask, FakeReply, FakeServer
from exam2bench.models.paper_parts import locate, needs_image, own_parts, shared_parts
from exam2bench.models.request import ImagePart, TextPart
from exam2bench.schemas.bundle import Bundle, load_bundle, save_bundle
from exam2bench.schemas.exam import Exam, Question
from exam2bench.schemas.grading import GradingSpec
from exam2bench.schemas.manifest import Manifest
from exam2bench.schemas.rotation import place_of, printed_id
from exam2bench.solve.questions import Limits, answer_shape, make_asking
from exam2bench.solve.rotation import fixed_because, rotation_shifts

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
)


def text(markdown: str) -> list[dict[str, Any]]:
    return [{"type": "text", "markdown": markdown}]


def options(*labels: str) -> list[dict[str, Any]]:
    return [{"id": label, "content": text(f"thing {label}")} for label in labels]


QUESTIONS: list[dict[str, Any]] = [
    {"id": "q1", "number": "1.", "type": "single_choice", "prompt": text("Which?"), "options": options("A", "B", "C")},
    {"id": "q2", "number": "2.", "type": "multiple_choice", "prompt": text("Which two?"), "options": options(*"①②③")},
    {"id": "q3", "number": "3.", "type": "true_false", "prompt": text("True?")},
    {"id": "q4", "number": "4.", "type": "fill_in_blank", "prompt": text("__"), "blanks": [{"id": "b1"}, {"id": "b2"}]},
    {
        "id": "q5", "number": "5.", "type": "matching", "prompt": text("Match."),
        "matching": {
            "left": [{"id": "1", "content": text("one")}, {"id": "2", "content": text("two")}],
            "right": [{"id": "a", "content": text("uno")}, {"id": "b", "content": text("dos")}],
        },
    },
    {
        "id": "q6", "type": "composite",
        "prompt": [*text("Read the graph."), {"type": "image", "asset": "assets/graph.png", "alt": "a graph"}],
        "children": [
            {"id": "q6.a", "number": "(a)", "type": "short_answer", "prompt": text("What rises?"), "points": 2},
            {"id": "q6.b", "number": "(b)", "type": "drawing", "prompt": text("Sketch it."), "points": 2},
        ],
        "points": 4,
    },
]  # fmt: skip
REPLIES = {
    "Which?": {"working": "w", "answer": "B"},
    "Which two?": {"working": "w", "answer": ["③", "①"]},
    "True?": {"working": "w", "answer": False},
    "4. __": {"working": "w", "answer": {"b1": "x", "b2": ""}},
    "Match.": {"working": "w", "answer": {"1": "a", "2": None}},
    "What rises?": "the price",
    "Sketch it.": "a rising line",
}


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    questions = [{"points": 2, **question} for question in QUESTIONS]
    section = {"id": "s1", "title": "Part I", "instructions": text("Answer all."), "questions": questions}
    exam = Exam.model_validate(
        {"exam_id": "x", "title": "X", "language": "en", "total_points": 14, "sections": [section]}
    )
    grading = {
        leaf.id: {"question_id": leaf.id, "max_points": leaf.points, "rule": {"kind": "judge"}}
        for leaf in exam.leaves()
    }
    spec = GradingSpec.model_validate({"exam_id": "x", "questions": grading})
    manifest = Manifest(created_at="2026-01-01T00:00:00Z", tool_version="0")
    return save_bundle(tmp_path / "bundle", exam, spec, manifest, {"assets/graph.png": PNG})


def answering(ask: Ask) -> FakeReply | str | dict[str, Any]:
    return next(reply for stem, reply in REPLIES.items() if stem in ask.text)


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(answering) as running:
        yield running


def solve(server: FakeServer, bundle: Bundle, out: Path, *flags: str) -> int:
    model = f"chat:m@{server.url}/v1"
    cache = str(out.parent / "cache.sqlite")
    return main(["solve", str(bundle.root), "--model", model, "-o", str(out), "--cache", cache, *flags])


def test_every_type_is_answered_with_the_questions_own_ids(server: FakeServer, bundle: Bundle, tmp_path: Path):
    assert solve(server, bundle, tmp_path / "answers.json") == 0
    sheet = json.loads((tmp_path / "answers.json").read_text())
    assert sheet["answers"] == {
        "q1": {"type": "single_choice", "selected": "B"},
        "q2": {"type": "multiple_choice", "selected": ["①", "③"]},
        "q3": {"type": "true_false", "value": False},
        "q4": {"type": "fill_in_blank", "blanks": {"b1": "x", "b2": ""}},
        "q5": {"type": "matching", "pairs": {"1": "a"}},
        "q6.a": {"type": "text", "text": "the price"},
        "q6.b": {"type": "drawing", "description": "a rising line", "image_asset": None},
    }
    assert sheet["bundle_digest"] == load_bundle(bundle.root).digest()
    assert {end["status"] for end in sheet["outcomes"].values()} == {"answered"}


def test_every_reply_shape_obeys_the_dialect(bundle: Bundle):
    for leaf in bundle.exam.leaves():
        assert check(answer_shape(leaf)) == [], leaf.id


def test_a_second_run_pays_nothing(server: FakeServer, bundle: Bundle, tmp_path: Path):
    solve(server, bundle, tmp_path / "one.json")
    calls = server.stats()["asked"]
    solve(server, bundle, tmp_path / "two.json")
    assert server.stats()["asked"] == calls
    one, two = (json.loads((tmp_path / name).read_text())["answers"] for name in ("one.json", "two.json"))
    assert one == two


def test_the_stimulus_comes_first_and_pictures_are_sent(bundle: Bundle):
    asked = locate(bundle.exam)["q6.a"]
    shared = shared_parts(asked, bundle.read_asset)
    assert [type(part) for part in shared] == [TextPart, ImagePart]
    assert isinstance(shared[0], TextPart)
    assert shared[0].text == "## Part I\n\nAnswer all.\n\nRead the graph.\n\n[figure: a graph]"
    (own,) = own_parts(asked, bundle.read_asset)
    assert isinstance(own, TextPart) and own.text == "(a) What rises?\n\n[2 points]"
    request = make_asking(asked, bundle.read_asset, Limits()).request
    assert request.prefix_parts == 2


def test_blind_withholds_pictures_and_says_so(bundle: Bundle):
    asked = locate(bundle.exam)["q6.a"]
    shared = shared_parts(asked, bundle.read_asset, images=False)
    assert len(shared) == 1 and "[figure, not shown: no caption]" in shared[0].text  # type: ignore[union-attr]


def test_text_only_skips_what_needs_a_picture(server: FakeServer, bundle: Bundle, tmp_path: Path):
    leaves = locate(bundle.exam)
    assert [name for name, asked in leaves.items() if needs_image(asked)] == ["q6.a", "q6.b"]
    assert solve(server, bundle, tmp_path / "answers.json", "--text-only") == 0
    ends = json.loads((tmp_path / "answers.json").read_text())["outcomes"]
    assert ends["q6.a"]["status"] == "skipped" and ends["q1"]["status"] == "answered"


@pytest.mark.parametrize(
    "spoiled, status",
    [
        (FakeReply("I will not.", stop="refusal"), "refused"),
        (FakeReply('{"working": "and so', stop="length"), "truncated"),
        (FakeReply('{"working": "w", "answer": "Z"}'), "unparseable"),
        (FakeReply(status=400), "error"),
    ],
)
def test_one_failure_is_one_questions(bundle: Bundle, tmp_path: Path, spoiled: FakeReply, status: str):
    def reply(ask: Ask):
        return spoiled if "1. Which?" in ask.text else answering(ask)

    with FakeServer(reply) as server:
        assert solve(server, bundle, tmp_path / "answers.json") == 1
    sheet = json.loads((tmp_path / "answers.json").read_text())
    assert sheet["outcomes"]["q1"]["status"] == status
    assert "q1" not in sheet["answers"] and len(sheet["answers"]) == 6


def test_a_blank_is_no_failure(bundle: Bundle, tmp_path: Path):
    def reply(ask: Ask):
        return {"working": "no idea", "answer": None} if "1. Which?" in ask.text else answering(ask)

    with FakeServer(reply) as server:
        assert solve(server, bundle, tmp_path / "answers.json") == 0
    sheet = json.loads((tmp_path / "answers.json").read_text())
    assert "q1" not in sheet["answers"] and sheet["outcomes"]["q1"]["detail"] == "left blank"


def test_text_format_keeps_the_reply_for_the_grader(bundle: Bundle, tmp_path: Path):
    with FakeServer(lambda ask: "It must be the second.\nANSWER: B") as server:
        assert solve(server, bundle, tmp_path / "answers.json", "--format", "text", "--questions", "q1") == 0
    sheet = json.loads((tmp_path / "answers.json").read_text())
    assert sheet["answers"] == {} and sheet["outcomes"]["q1"]["raw"].endswith("ANSWER: B")


def test_shards_are_disjoint_keep_groups_and_merge(server: FakeServer, bundle: Bundle, tmp_path: Path):
    for number in (1, 2, 3):
        assert solve(server, bundle, tmp_path / f"s{number}.json", "--shard", f"{number}/3") == 0
    parts = [json.loads((tmp_path / f"s{n}.json").read_text())["answers"] for n in (1, 2, 3)]
    assert [sorted(part) for part in parts] == [["q1", "q4"], ["q2", "q5"], ["q3", "q6.a", "q6.b"]]
    files = [str(tmp_path / f"s{n}.json") for n in (1, 2, 3)]
    assert main(["merge", *files, "-o", str(tmp_path / "all.json")]) == 0
    assert len(json.loads((tmp_path / "all.json").read_text())["answers"]) == 7


@pytest.mark.parametrize("names, says", [((1, 1), "must not overlap"), ((1, 2), "stand in no shard")])
def test_overlaps_and_gaps_are_refused(server, bundle, tmp_path, capsys, names, says):
    for number in (1, 2):
        solve(server, bundle, tmp_path / f"s{number}.json", "--shard", f"{number}/3")
    (tmp_path / "copy").mkdir()
    second = tmp_path / "copy" / f"x{names[1]}.json"
    second.write_text((tmp_path / f"s{names[1]}.json").read_text())
    assert main(["merge", str(tmp_path / f"s{names[0]}.json"), str(second), "-o", str(tmp_path / "all.json")]) == 1
    assert says in capsys.readouterr().err
    assert not (tmp_path / "all.json").exists()


def test_another_bundles_shard_is_refused(server: FakeServer, bundle: Bundle, tmp_path: Path, capsys):
    solve(server, bundle, tmp_path / "s1.json", "--shard", "1/2")
    other = json.loads((tmp_path / "s1.json").read_text())
    other["bundle_digest"] = "0" * 64
    (tmp_path / "s2.json").write_text(json.dumps(other))
    files = [str(tmp_path / "s1.json"), str(tmp_path / "s2.json")]
    assert main(["merge", *files, "-o", str(tmp_path / "all.json")]) == 1
    assert "another bundle digest" in capsys.readouterr().err


def test_a_dry_run_sends_nothing(server: FakeServer, bundle: Bundle, tmp_path: Path, capsys):
    assert solve(server, bundle, tmp_path / "answers.json", "--dry-run") == 0
    assert server.stats()["asked"] == 0 and not (tmp_path / "answers.json").exists()
    assert "7" in capsys.readouterr().out


@pytest.mark.parametrize(
    "flags, says",
    [
        (["--questions", "q9"], "no question 'q9'"),
        (["--shard", "3/2"], "not I/N"),
        (["--limit", "0"], "at least one"),
        (["--rotate", "1"], "neither `all` nor"),
    ],
)
def test_a_wrong_call_is_one_sentence(server, bundle, tmp_path, capsys, flags, says):
    assert solve(server, bundle, tmp_path / "answers.json", *flags) == 2
    assert says in capsys.readouterr().err


# CircularEval


def picking(text: str) -> Any:
    """Answers every single choice with the option that says `text`, wherever it stands."""

    def answer(ask: Ask) -> Any:
        found = re.search(rf"(?m)^(\S+)\. {re.escape(text)}$", ask.text)
        return {"working": "", "answer": found.group(1)} if found else answering(ask)

    return answer


def test_rotated_options_come_back_under_their_printed_id(bundle: Bundle):
    asked = locate(bundle.exam)["q1"]
    asking = make_asking(asked, bundle.read_asset, Limits(), shift=1)
    assert "A. thing B\n\nB. thing C\n\nC. thing A" in asking.request.text()
    assert [printed_id(asked.leaf, 1, label) for label in "ABCZ"] == ["B", "C", "A", "Z"]
    assert [place_of(asked.leaf, 1, label) for label in "ABCZ"] == [2, 0, 1, None]


def test_every_rotation_is_in_the_sheet_with_printed_ids(bundle: Bundle, tmp_path: Path, capsys: Any):
    with FakeServer(picking("thing C")) as server:
        assert solve(server, bundle, tmp_path / "a.json", "--rotate", "all", "--questions", "q1", "q2", "q3") == 0
        assert server.stats()["asked"] == 7
        assert "2 choice questions in 6 askings" in capsys.readouterr().out
        # the same command pays nothing, and a plain sitting has the printed order in the cache
        assert solve(server, bundle, tmp_path / "b.json", "--rotate", "all", "--questions", "q1", "q2", "q3") == 0
        assert solve(server, bundle, tmp_path / "c.json", "--questions", "q1", "q2", "q3") == 0
        assert server.stats()["asked"] == 7
    sheet = json.loads((tmp_path / "a.json").read_text())
    assert sheet["answers"]["q1"] == {"type": "single_choice", "selected": "C"}
    turns = sheet["outcomes"]["q1"]["rotation"]
    assert turns["of"] == 3 and "fixed" not in turns
    picked = [(turn["shift"], turn["answer"]["selected"], json.loads(turn["raw"])["answer"]) for turn in turns["asked"]]
    assert picked == [(0, "C", "C"), (1, "C", "B"), (2, "C", "A")]
    # whoever answers by place names other options each time
    assert [turn["answer"]["selected"] for turn in sheet["outcomes"]["q2"]["rotation"]["asked"]] == [
        ["①", "③"], ["①", "②"], ["②", "③"],
    ]  # fmt: skip
    assert "rotation" not in sheet["outcomes"]["q3"]


def test_rotations_of_shards_are_merged_whole(bundle: Bundle, tmp_path: Path):
    with FakeServer(picking("thing C")) as server:
        for shard in ("1/2", "2/2"):
            solve(server, bundle, tmp_path / f"{shard[0]}.json", "--rotate", "2", "--shard", shard)
        solve(server, bundle, tmp_path / "whole.json", "--rotate", "2")
    assert main(["merge", str(tmp_path / "1.json"), str(tmp_path / "2.json"), "-o", str(tmp_path / "m.json")]) == 0
    merged, whole = (json.loads((tmp_path / name).read_text()) for name in ("m.json", "whole.json"))
    assert merged["outcomes"] == whole["outcomes"] and merged["answers"] == whole["answers"]
    assert [turn["shift"] for turn in merged["outcomes"]["q1"]["rotation"]["asked"]] == [0, 1]


def test_a_rotation_that_fails_is_said_and_ends_with_1(bundle: Bundle, tmp_path: Path, capsys: Any):
    def refusing_once(ask: Ask) -> Any:
        return FakeReply("no", stop="refusal") if "A. thing B" in ask.text else picking("thing C")(ask)

    with FakeServer(refusing_once) as server:
        assert solve(server, bundle, tmp_path / "a.json", "--rotate", "all", "--questions", "q1") == 1
    assert "q1 refused: moved on by 1: " in capsys.readouterr().out
    asked = json.loads((tmp_path / "a.json").read_text())["outcomes"]["q1"]["rotation"]["asked"]
    assert [turn["status"] for turn in asked] == ["answered", "refused", "answered"]


@pytest.mark.parametrize(
    "option",
    [
        "All of the above", "none of these", "Both A and C", "A, B and C", "Only (A)", "Option B is right", "Neither",
        "以上皆是", "以上皆非", "(A)與(B)", "A和B都对", "皆是", "上記のすべて", "いずれも正しい",
        "위의 모두", "모두 맞다",
        "Todas las anteriores", "Nenhuma das alternativas anteriores", "Toutes les réponses ci-dessus",
        "Aucune de ces réponses", "Nessuna delle precedenti", "Alle oben genannten", "Keine der Antworten",
        "Все вышеперечисленное", "Ни один из вариантов", "Żadne z powyższych", "Yukarıdakilerin hepsi", "B", "(C)", "",
    ],
)  # fmt: skip
def test_options_that_speak_of_others_by_place_stay_in_place(option: str):
    contents = ["a dog", "a cat", option]
    listed = [{"id": label, "content": text(one)} for label, one in zip("ABC", contents, strict=True)]
    question = Question.model_validate({"id": "q", "type": "single_choice", "points": 1, "options": listed})
    assert fixed_because(question) is not None and rotation_shifts(question, None) == (0,)


@pytest.mark.parametrize(
    "option",
    ["Vitamin C", "a cat and a dog", "the above-ground stem", "all cells", "None of the cells divide", "f(a) = 2",
     "plan B", "全部的水", "対照群", "both lungs", "$a+b$", "The answer to a prayer", "Todas las células",
     "alle Zellen"],
)  # fmt: skip
def test_other_options_move(option: str):
    contents = ["a dog", "a cat", option, "x"]
    listed = [{"id": label, "content": text(one)} for label, one in zip("ABCD", contents, strict=True)]
    question = Question.model_validate({"id": "q", "type": "single_choice", "points": 1, "options": listed})
    assert fixed_because(question) is None
    assert rotation_shifts(question, None) == (0, 1, 2, 3) and rotation_shifts(question, 2) == (0, 2)
    assert rotation_shifts(question, 9) == (0, 1, 2, 3)
