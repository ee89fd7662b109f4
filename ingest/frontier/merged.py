"""One exam of two readings: the model's, with every field that the page settled otherwise taken from the other.

Each field remembers its origin. Questions that only the layout engine has are put in where the page shows that the
model lost them, or where the model's window failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...schemas.content import Block, ImageBlock
from ...schemas.exam import Exam, Question, Region, Section
from ...schemas.exam_checks import every_question
from ...schemas.grading import GradingSpec, JudgeRule, QuestionGrading
from ...schemas.grading_checks import check_entry
from ...schemas.reading import FieldOrigin
from ..assembly.assemble import Assets
from ..keys.rules import default_criterion
from ..witness import Answer, Witness

BOTH = "both"


@dataclass
class Merged:
    """The exam in the making. `assets` are the pictures wanted so far; `renamed` maps the layout engine's ids to
    those under which its questions stand here."""

    name: str
    exam: Exam
    grading: GradingSpec
    answers: dict[str, Answer]
    places: dict[str, tuple[Region, ...]]
    assets: Assets
    origins: dict[str, dict[str, FieldOrigin]] = field(default_factory=dict)

    @classmethod
    def of(cls, witness: Witness, assets: Assets) -> Merged:
        exam, grading = witness.exam.model_copy(deep=True), witness.grading.model_copy(deep=True)
        merged = cls(witness.name, exam, grading, dict(witness.answers), dict(witness.places), assets)
        for question in every_question(exam):
            merged.mark(question, witness.name)
        return merged

    def witness(self) -> Witness:
        """The exam as it stands, to be proved."""
        return Witness(self.name, self.exam, self.grading, self.places, self.answers)

    def questions(self) -> dict[str, Question]:
        return {question.id: question for question in every_question(self.exam)}

    def mark(self, question: Question, witness: str, round_: int = 0) -> None:
        """Say that all fields of a question came from one witness."""
        rule = self.grading.questions.get(question.id)
        self.origins[question.id] = {
            path: FieldOrigin(witness=witness, round=round_) for path in field_paths(question, rule)
        }

    def set_origin(self, question_id: str, path: str, witness: str, round_: int = 0) -> None:
        self.origins.setdefault(question_id, {})[path] = FieldOrigin(witness=witness, round=round_)

    def take(self, question_id: str, path: str, other: Witness, other_id: str, assets: Assets, round_: int = 0) -> bool:
        """Copy a field of the other reading's question into this one. False where it has no such field."""
        target = self.questions()[question_id]
        source = next((q for q in every_question(other.exam) if q.id == other_id), None)
        if source is None:
            return False
        if path in ("key", "rubric"):
            taken = self._take_rule(target, other, other_id)
        else:
            taken = copy_field(target, source, path)
            self._want(question_blocks(target), assets)
            if path == "points":
                self._fit_points(target)
        if taken:
            self.set_origin(question_id, path, other.name, round_)
        return taken

    def write(self, question_id: str, path: str, blocks: Sequence[Block], round_: int) -> bool:
        """Put settled words into a field. False where the field holds no words."""
        holder = _holder(self.questions()[question_id], path)
        if holder is None:
            return False
        holder[:] = [*blocks, *(block for block in holder if isinstance(block, ImageBlock))]
        self.set_origin(question_id, path, self.name, round_)
        return True

    def insert(self, top: Question, section: Section, other: Witness, assets: Assets, order: Sequence[str]) -> str:
        """Put a whole question of the other reading, parts included, at its place in print. Returns its id here.

        `order` are the ids of the other reading's top-level questions in print order.
        """
        copied = self._copied(top, other, assets)
        home = self._section_like(section, [known.id.casefold() for known in other.exam.sections])
        self._want(home.instructions, assets)
        home.questions.insert(_place(home.questions, top.id, order), copied)
        self.sum_points()
        return copied.id

    def insert_part(self, parent: str, part: Question, other: Witness, assets: Assets) -> str:
        """Put a part of the other reading's question below `parent`. Returns its id here."""
        copied = self._copied(part, other, assets)
        siblings = [question.id for question in _siblings(other.exam, part)]
        home = self.questions()[parent].children
        home.insert(_place(home, part.id, siblings), copied)
        self.sum_points()
        return copied.id

    def _copied(self, question: Question, other: Witness, assets: Assets) -> Question:
        """The other reading's question with its parts, its grading and pictures, under ids that are free here."""
        copied = question.model_copy(deep=True)
        taken = {name.casefold() for name in self.questions()}
        for one in with_parts(copied):
            old, one.id = one.id, _free(one.id, taken)
            taken.add(one.id.casefold())
            if old in other.grading.questions:
                rule = other.grading.questions[old]
                self.grading.questions[one.id] = rule.model_copy(deep=True, update={"question_id": one.id})
            if old in other.answers:
                self.answers[one.id] = other.answers[old]
            one.provenance, one.checks, one.snapshot = [], None, None
            self.mark(one, other.name)
        self._want([block for one in with_parts(copied) for block in question_blocks(one)], assets)
        return copied

    def drop(self, question_id: str) -> None:
        """Take a question out, with what is asked below it. A composite that is left without parts goes too."""

        def without(questions: list[Question]) -> list[Question]:
            kept: list[Question] = []
            for question in questions:
                had = bool(question.children)
                question.children = without(question.children)
                if question.id != question_id and (question.children or not had):
                    kept.append(question)
            return kept

        for section in self.exam.sections:
            section.questions = without(section.questions)
        self.exam.sections = [section for section in self.exam.sections if section.questions or section.instructions]
        left = set(self.questions())
        self.grading.questions = {name: rule for name, rule in self.grading.questions.items() if name in left}
        self.origins = {name: found for name, found in self.origins.items() if name in left}
        self.sum_points()

    def rename(self, names: dict[str, str]) -> None:
        """Give questions other ids, all at once; an id that stays taken keeps the question's own."""
        staying = {name.casefold() for name in self.questions() if name not in names}
        final: dict[str, str] = {}
        for old, new in names.items():
            if new.casefold() not in staying and new.casefold() not in {n.casefold() for n in final.values()}:
                final[old] = new
            else:
                staying.add(old.casefold())
        if any(new in self.questions() and new not in final for new in final.values()):
            return
        for question in every_question(self.exam):
            question.id = final.get(question.id, question.id)
        self.grading.questions = {
            final.get(name, name): rule.model_copy(update={"question_id": final.get(name, name)})
            for name, rule in self.grading.questions.items()
        }
        self.answers = {final.get(name, name): answer for name, answer in self.answers.items()}
        self.places = {final.get(name, name): regions for name, regions in self.places.items()}
        self.origins = {final.get(name, name): found for name, found in self.origins.items()}

    def sum_points(self) -> None:
        """Composites and the exam carry the sums of their leaves."""

        def total(question: Question) -> float:
            if question.children:
                question.points = round(sum(total(child) for child in question.children), 6)
            return question.points

        for section in self.exam.sections:
            for question in section.questions:
                total(question)
        self.exam.total_points = round(sum(leaf.points for leaf in self.exam.leaves()), 6)

    def _take_rule(self, target: Question, other: Witness, other_id: str) -> bool:
        rule = other.grading.questions.get(other_id)
        if rule is None or target.id not in self.grading.questions:
            return False
        mine = self.grading.questions[target.id]
        taken = rule.model_copy(deep=True, update={"question_id": target.id})
        if misfit(taken, target):
            return False
        self.grading.questions[target.id] = taken
        if other_id in other.answers:
            self.answers[target.id] = other.answers[other_id]
        if mine.max_points != rule.max_points:
            self._fit_points(target)
        return True

    def judge(self, question_id: str, answer: str) -> None:
        """Leave a question to a judge who is told the official answer."""
        mine = self.grading.questions[question_id]
        rubric = [default_criterion(mine.max_points)] if mine.max_points > 0 else []
        rule = JudgeRule(reference_answer=answer, rubric=rubric)
        self.grading.questions[question_id] = mine.model_copy(update={"rule": rule, "min_points": 0.0})
        self.origins[question_id].pop("key", None)
        self.set_origin(question_id, "rubric", self.name)

    def _fit_points(self, question: Question) -> None:
        """The grading of a question whose points have changed: levels of correctness are made anew, an official
        rubric stays as it is (its sum is checked)."""
        grading = self.grading.questions.get(question.id)
        if grading is None:
            return
        grading.max_points = question.points
        rule = grading.rule
        if isinstance(rule, JudgeRule) and len(rule.rubric) == 1 and question.points > 0:
            plain = default_criterion(rule.rubric[0].levels[0].points or 1.0)
            if rule.rubric[0] == plain:
                rule.rubric = [default_criterion(question.points)]
        self.sum_points()

    def _want(self, blocks: Sequence[Block], assets: Assets) -> None:
        """The pictures of blocks that came from the other reading, under a name that is free here."""
        for block in blocks:
            if not isinstance(block, ImageBlock) or block.asset not in assets.wanted:
                continue
            regions = assets.wanted[block.asset]
            name, n = block.asset, 2
            while self.assets.wanted.get(name, regions) != regions:
                name, n = f"{block.asset.removesuffix('.png')}-{n}.png", n + 1
            self.assets.wanted[name] = regions
            block.asset = name

    def _section_like(self, section: Section, order: Sequence[str]) -> Section:
        """The section of the same id, else a new one before the first that is printed after it."""
        name = section.id.casefold()
        sections = self.exam.sections
        known = next((one for one in sections if one.id.casefold() == name), None)
        if known is None and len(sections) == 1 and not sections[0].title and not section.title:
            known = sections[0]
        if known is not None:
            return known
        made = section.model_copy(deep=True, update={"questions": []})
        later = set(order[order.index(name) + 1 :])
        at = next((n for n, one in enumerate(sections) if one.id.casefold() in later), len(sections))
        sections.insert(at, made)
        return made


_OF_POINTS = {"points.max", "rubric.sum", "parts.sum"}


def misfit(grading: QuestionGrading, leaf: Question) -> str | None:
    """Why a question as it stands cannot be graded by an entry: it names what the question does not have. Points are
    brought to each other elsewhere."""
    found = (fault for fault in check_entry(grading, leaf) if fault.severity == "error")
    return next((fault.message for fault in found if fault.code not in _OF_POINTS), None)


def field_paths(question: Question, grading: QuestionGrading | None) -> list[str]:
    """The fields of a question that a witness is asked about."""
    paths = ["number", "type", "points", "prompt"]
    paths += [f"options.{option.id}" for option in question.options or []]
    paths += ["blanks"] if question.blanks else []
    if question.matching:
        paths += [f"matching.left.{item.id}" for item in question.matching.left]
        paths += [f"matching.right.{item.id}" for item in question.matching.right]
    if grading is not None:
        paths.append("rubric" if isinstance(grading.rule, JudgeRule) else "key")
    return paths


def question_blocks(question: Question) -> list[Block]:
    """All blocks of one question without its parts."""
    items = [*(question.options or [])]
    blocks = [*question.prompt, *(block for option in items for block in option.content)]
    if question.matching:
        blocks += [block for item in [*question.matching.left, *question.matching.right] for block in item.content]
    return blocks


def copy_field(target: Question, source: Question, path: str) -> bool:
    """One field of a question from another record of it. False where the source does not have it."""
    source = source.model_copy(deep=True)
    head, _, rest = path.partition(".")
    if head in ("number", "points"):
        setattr(target, head, getattr(source, head))
    elif head == "type":
        return _copy_type(target, source)
    elif head == "options" and not rest:
        return _copy_options(target, source)
    elif head in ("blanks", "matching") and not rest:
        if getattr(source, head) is None:
            return False
        setattr(target, head, getattr(source, head))
    else:
        old, new = _holder(target, path), _holder(source, path)
        if old is None or new is None:
            return False
        old[:] = new
    return True


def _copy_type(target: Question, source: Question) -> bool:
    """The type with what it needs: options, blanks, the two lists."""
    if target.children or source.children:
        return False
    target.type = source.type
    target.options = target.options if source.options and target.options else source.options
    target.blanks = target.blanks if source.blanks and target.blanks else source.blanks
    target.matching = target.matching if source.matching and target.matching else source.matching
    return True


def _copy_options(target: Question, source: Question) -> bool:
    """The source's list of labels; what this question has read under a label stays."""
    if not source.options:
        return False
    mine = {option.id: option for option in target.options or []}
    target.options = [mine.get(option.id, option) for option in source.options]
    return True


def _holder(question: Question, path: str) -> list[Block] | None:
    """The list of blocks that a path names."""
    head, _, rest = path.partition(".")
    if head == "prompt":
        return question.prompt
    if head == "options":
        return next((option.content for option in question.options or [] if option.id == rest), None)
    if head == "matching" and question.matching:
        side, _, name = rest.partition(".")
        items = question.matching.left if side == "left" else question.matching.right
        return next((item.content for item in items if item.id == name), None)
    return None


def with_parts(question: Question) -> Iterator[Question]:
    """A question, then all that is below it."""
    yield question
    for child in question.children:
        yield from with_parts(child)


def _siblings(exam: Exam, part: Question) -> list[Question]:
    for question in every_question(exam):
        if any(child is part for child in question.children):
            return question.children
    return []


def _free(name: str, taken: set[str]) -> str:
    chosen, n = name, 2
    while chosen.casefold() in taken:
        chosen, n = f"{name}-{n}", n + 1
    return chosen


def _place(questions: Sequence[Question], new: str, order: Sequence[str]) -> int:
    """Where a question goes among its neighbours: before the first that is printed after it."""
    rank = {name: n for n, name in enumerate(order)}
    mine = rank.get(new, len(rank))
    for at, question in enumerate(questions):
        if rank.get(question.id, -1) > mine:
            return at
    return len(questions)
