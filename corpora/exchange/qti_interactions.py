"""What a candidate does in a QTI 3 item, and how the item scores it: one interaction per question type."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from ...schemas.exam import Question
from ...schemas.grading import (
    ChoiceRule,
    FillInBlankRule,
    JudgeRule,
    MatchingRule,
    NumericRule,
    PartsRule,
    PerOptionRule,
    QuestionGrading,
    TrueFalseRule,
)
from .markup import inline_xhtml

_RESPONSE = '<qti-variable identifier="RESPONSE"/>'
_CORRECT = '<qti-correct identifier="RESPONSE"/>'
_MAPPED = '<qti-map-response identifier="RESPONSE"/>'


@dataclass
class Interaction:
    """Parts of an item. `processing` is empty where a person has to score; `lost` says what QTI cannot hold."""

    declarations: str
    body: str
    processing: str = ""
    outcomes: str = ""
    scorer_notes: str = ""
    lost: list[str] = field(default_factory=list)


def interaction(leaf: Question, grading: QuestionGrading | None) -> Interaction:
    """The interaction of a leaf question under its rule."""
    if leaf.type in ("single_choice", "multiple_choice"):
        return _choice(leaf, grading)
    if leaf.type == "true_false":
        return _true_false(grading)
    if leaf.type == "matching" and leaf.matching:
        return _matching(leaf, grading)
    if leaf.type == "fill_in_blank" and leaf.blanks:
        return _blanks(leaf, grading)
    return _written(leaf, grading)


# small pieces of XML


def _declaration(kind: str, base: str, correct: Iterable[str] = (), mapping: str = "", name: str = "RESPONSE") -> str:
    values = "".join(f"<qti-value>{escape(value)}</qti-value>" for value in correct)
    right = f"<qti-correct-response>{values}</qti-correct-response>" if values else ""
    return (
        f'<qti-response-declaration identifier="{name}" cardinality="{kind}" base-type="{base}">{right}{mapping}'
        "</qti-response-declaration>"
    )


def _mapping(points: Mapping[str, float], *, least: float | None = None, fold: bool = False) -> str:
    """Empty where nothing maps: QTI has no mapping without an entry. Its default is to ignore case, so it is said."""
    if not points:
        return ""
    bound = "" if least is None else f' lower-bound="{plain(least)}"'
    case = str(not fold).lower()
    entries = "".join(
        f'<qti-map-entry map-key="{escape(key)}" mapped-value="{plain(value)}" case-sensitive="{case}"/>'
        for key, value in points.items()
    )
    return f'<qti-mapping default-value="0"{bound}>{entries}</qti-mapping>'


def plain(value: float) -> str:
    """A number as XML Schema's double has it, and no digit of it lost."""
    short = f"{value:.10g}"
    return short if float(short) == value else repr(value)


def _set(value: str) -> str:
    return f'<qti-set-outcome-value identifier="SCORE">{value}</qti-set-outcome-value>'


def _number(value: float) -> str:
    return f'<qti-base-value base-type="float">{plain(value)}</qti-base-value>'


def _when(cases: Sequence[tuple[str, str]]) -> str:
    """if / else-if over (condition, what is set)."""
    first, *others = cases
    tail = "".join(f"<qti-response-else-if>{test}{then}</qti-response-else-if>" for test, then in others)
    head = f"<qti-response-if>{first[0]}{first[1]}</qti-response-if>"
    return f"<qti-response-condition>{head}{tail}</qti-response-condition>"


def xml_name(text: str) -> str:
    """An id as an XML name (QTI's identifiers): letters, digits, `_`, `-`, `.`; never a digit first."""
    plain = re.sub(r"[^A-Za-z0-9_.\-]", lambda match: f"_{ord(match.group()):x}", text)
    return plain if plain[:1].isalpha() or plain[:1] == "_" else f"_{plain}"


def xml_names(ids: Iterable[str]) -> dict[str, str]:
    """The name of each id, no two alike even where capitals do not count (files of items lie under these names)."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for one in dict.fromkeys(ids):
        name, n = xml_name(one), 1
        while name.casefold() in taken:
            n += 1
            name = f"{xml_name(one)}.{n}"
        taken.add(name.casefold())
        names[one] = name
    return names


def picture_address(asset: str) -> str:
    """From an item file to an asset of the package."""
    return f"../{asset}"


# choice


def _choices(choices: Mapping[str, str], most: int) -> str:
    """A choice interaction; `most`: how many may be chosen, 0 for any number."""
    inside = "".join(
        f'<qti-simple-choice identifier="{name}">{text}</qti-simple-choice>' for name, text in choices.items()
    )
    head = f'<qti-choice-interaction response-identifier="RESPONSE" shuffle="false" max-choices="{most}">'
    return f"{head}{inside}</qti-choice-interaction>"


def _choice(leaf: Question, grading: QuestionGrading | None) -> Interaction:
    several = leaf.type == "multiple_choice"
    rule = grading.rule if grading else None
    names = xml_names(option.id for option in leaf.options or [])
    key = rule.correct if isinstance(rule, ChoiceRule | PerOptionRule) else []
    correct = [names[option] for option in key if option in names]
    choices = {
        names[option.id]: inline_xhtml(option.content, picture_address) or escape(option.id)
        for option in leaf.options or []
    }
    body = _choices(choices, 0 if several else 1)
    cardinality = "multiple" if several else "single"
    made = Interaction(_declaration(cardinality, "identifier", correct if several else correct[:1]), body)
    no_key = isinstance(rule, ChoiceRule) and not correct
    if grading is None or not isinstance(rule, ChoiceRule | PerOptionRule) or no_key:
        made.lost.append("no key: a person scores it")
        return made
    if isinstance(rule, PerOptionRule):
        return _per_option(made, rule, grading, correct, list(names.values()))
    if several and rule.partial_credit:
        return _partial(made, rule, grading, correct, list(names.values()))
    return _all_right(made, rule, grading, correct, several=several)


def _all_right(
    made: Interaction, rule: ChoiceRule, grading: QuestionGrading, correct: list[str], *, several: bool
) -> Interaction:
    if several or len(correct) == 1:
        test = f"<qti-match>{_RESPONSE}{_CORRECT}</qti-match>"
    else:
        values = "".join(f'<qti-base-value base-type="identifier">{name}</qti-base-value>' for name in correct)
        test = f"<qti-member>{_RESPONSE}<qti-multiple>{values}</qti-multiple></qti-member>"
    cases = [(test, _set(_number(grading.max_points)))]
    if rule.negative_marking is not None:
        if several:
            made.lost.append("its negative marking is for answers without a single hit; here it meets every wrong one")
        answered = f"<qti-not><qti-is-null>{_RESPONSE}</qti-is-null></qti-not>"
        cases.append((answered, _set(_number(rule.negative_marking))))
    made.processing = _when(cases)
    return made


def _partial(
    made: Interaction, rule: ChoiceRule, grading: QuestionGrading, correct: list[str], names: list[str]
) -> Interaction:
    # every wrong option by name: not every player knows the default of a mapping
    points = dict.fromkeys(names, -rule.wrong_selection_penalty) if rule.wrong_selection_penalty else {}
    points |= dict.fromkeys(correct, grading.max_points / len(correct))
    mapping = _mapping(points, least=grading.min_points)
    made.declarations = _declaration("multiple", "identifier", correct, mapping)
    made.processing = _set(_MAPPED)
    if rule.negative_marking is not None:
        made.lost.append("the score for an answer without a single hit has no place in a mapping")
    return made


def _per_option(
    made: Interaction, rule: PerOptionRule, grading: QuestionGrading, correct: list[str], names: list[str]
) -> Interaction:
    """Right options map to 1, wrong ones to -1: their sum is len(correct) minus the number of errors."""
    points = {name: 1.0 if name in correct else -1.0 for name in names}
    made.declarations = _declaration("multiple", "identifier", correct, _mapping(points))
    cases = [(f"<qti-is-null>{_RESPONSE}</qti-is-null>", _set(_number(0.0)))]
    for errors, ratio in enumerate(rule.ratio_by_errors):
        sum_then = _number(len(correct) - errors)
        test = f'<qti-equal tolerance-mode="exact">{_MAPPED}{sum_then}</qti-equal>'
        cases.append((test, _set(_number(grading.max_points * ratio))))
    made.processing = _when(cases)
    return made


def _true_false(grading: QuestionGrading | None) -> Interaction:
    body = _choices({"true": "True", "false": "False"}, 1)
    rule = grading.rule if grading else None
    if grading is None or not isinstance(rule, TrueFalseRule):
        return Interaction(_declaration("single", "identifier"), body, lost=["no key: a person scores it"])
    right = "true" if rule.correct else "false"
    cases = [(f"<qti-match>{_RESPONSE}{_CORRECT}</qti-match>", _set(_number(grading.max_points)))]
    if rule.negative_marking is not None:
        answered = f"<qti-not><qti-is-null>{_RESPONSE}</qti-is-null></qti-not>"
        cases.append((answered, _set(_number(rule.negative_marking))))
    return Interaction(_declaration("single", "identifier", [right]), body, _when(cases))


# matching and blanks


def _matching(leaf: Question, grading: QuestionGrading | None) -> Interaction:
    assert leaf.matching is not None
    left, right = leaf.matching.left, leaf.matching.right

    names = {"L": xml_names(item.id for item in left), "R": xml_names(item.id for item in right)}

    def side(prefix: str, items: Sequence, most: int) -> str:
        choices = "".join(
            f'<qti-simple-associable-choice identifier="{prefix}{names[prefix][item.id]}" match-max="{most}">'
            f"{inline_xhtml(item.content, picture_address) or escape(item.id)}</qti-simple-associable-choice>"
            for item in items
        )
        return f"<qti-simple-match-set>{choices}</qti-simple-match-set>"

    body = (
        f'<qti-match-interaction response-identifier="RESPONSE" shuffle="false" max-associations="{len(left)}">'
        f"{side('L', left, 1)}{side('R', right, len(left))}</qti-match-interaction>"
    )
    rule = grading.rule if grading else None
    key = rule.correct_pairs if isinstance(rule, MatchingRule) else {}
    pairs = [
        f"L{names['L'][one]} R{names['R'][other]}"
        for one, other in key.items()
        if one in names["L"] and other in names["R"]
    ]
    if grading is None or not isinstance(rule, MatchingRule) or not pairs:
        return Interaction(_declaration("multiple", "directedPair"), body, lost=["no key: a person scores it"])
    if rule.all_or_nothing:
        test = [(f"<qti-match>{_RESPONSE}{_CORRECT}</qti-match>", _set(_number(grading.max_points)))]
        return Interaction(_declaration("multiple", "directedPair", pairs), body, _when(test))
    every = [f"L{one} R{other}" for one in names["L"].values() for other in names["R"].values()]
    points = dict.fromkeys(every, -rule.wrong_pair_penalty) if rule.wrong_pair_penalty else {}
    points |= dict.fromkeys(pairs, grading.max_points / len(pairs))
    mapping = _mapping(points, least=grading.min_points)
    return Interaction(_declaration("multiple", "directedPair", pairs, mapping), body, _set(_MAPPED))


def _blanks(leaf: Question, grading: QuestionGrading | None) -> Interaction:
    blanks = leaf.blanks or []
    names = {blank.id: f"RESPONSE_{n}" for n, blank in enumerate(blanks, 1)}
    lines = [
        f"<p>{escape(blank.label or blank.id)}: "
        f'<qti-text-entry-interaction response-identifier="{names[blank.id]}"/></p>'
        for blank in blanks
    ]
    rule = grading.rule if grading else None
    keys = rule.blanks if isinstance(rule, FillInBlankRule) else {}
    keyed = {blank: key for blank, key in keys.items() if blank in names and key.accepted}
    if grading is None or not isinstance(rule, FillInBlankRule) or not keyed:
        empty = "".join(_declaration("single", "string", name=name) for name in names.values())
        return Interaction(empty, "".join(lines), lost=["no key: a person scores it"])
    made = Interaction("", "".join(lines))
    if rule.normalization.numeric_tolerance is not None:
        made.lost.append("its numeric tolerance is lost: only the accepted texts count")
    made.lost += [f"the blank {blank} has no key: it earns nothing" for blank in names if blank not in keyed]
    total = sum(key.weight for key in keys.values()) or 1.0
    for blank, name in names.items():
        key = keyed.get(blank)
        if key is None:
            made.declarations += _declaration("single", "string", name=name)
            continue
        share = 1.0 if rule.all_or_nothing else grading.max_points * key.weight / total
        mapping = _mapping(dict.fromkeys(key.accepted, share), fold=rule.normalization.case_insensitive)
        made.declarations += _declaration("single", "string", key.accepted[:1], mapping, name)
    mapped = "".join(f'<qti-map-response identifier="{names[blank]}"/>' for blank in keyed)
    score = f"<qti-sum>{mapped}</qti-sum>"
    if rule.all_or_nothing:
        test = f'<qti-equal tolerance-mode="exact">{score}{_number(len(keys))}</qti-equal>'
        made.processing = _when([(test, _set(_number(grading.max_points)))])
    else:
        made.processing = _set(score)
    return made


# written answers


def _written(leaf: Question, grading: QuestionGrading | None) -> Interaction:
    rule = grading.rule if grading else None
    if grading is not None and isinstance(rule, NumericRule):
        made = _number_entry(rule, grading)
        if made is not None:
            return made
    lines = 20 if leaf.type == "essay" else 5
    body = f'<qti-extended-text-interaction response-identifier="RESPONSE" expected-lines="{lines}"/>'
    made = Interaction(_declaration("single", "string"), body, scorer_notes=_notes(rule))
    if rule is not None and not isinstance(rule, JudgeRule | PartsRule):
        made.lost.append(f"the {rule.kind} rule has no QTI form: a person scores it")
    return made


def _number_entry(rule: NumericRule, grading: QuestionGrading) -> Interaction | None:
    """A number with its tolerance; None where it needs a unit or reads as no number."""
    try:
        value = float(rule.value)
    except ValueError:
        return None
    if not math.isfinite(value) or rule.unit_required or rule.significant_figures is not None:
        return None
    if rule.rel_tolerance is not None and rule.abs_tolerance is None:
        mode = f'tolerance-mode="relative" tolerance="{plain(100 * rule.rel_tolerance)}"'
    elif rule.abs_tolerance is not None and rule.rel_tolerance is None:
        mode = f'tolerance-mode="absolute" tolerance="{plain(rule.abs_tolerance)}"'
    elif rule.abs_tolerance is None:
        mode = 'tolerance-mode="exact"'
    else:
        return None
    unit = f" {escape(rule.unit)}" if rule.unit else ""
    body = f'<p><qti-text-entry-interaction response-identifier="RESPONSE"/>{unit}</p>'
    test = f"<qti-equal {mode}>{_RESPONSE}{_CORRECT}</qti-equal>"
    processing = _when([(test, _set(_number(grading.max_points)))])
    return Interaction(_declaration("single", "float", [f"{value:.12g}"]), body, processing)


def _notes(rule: object) -> str:
    """The reference answer and rubric, shown to scorers alone."""
    lines: list[str] = []
    if isinstance(rule, JudgeRule):
        lines += [rule.reference_answer or "", rule.judge_instructions or ""]
        for criterion in rule.rubric:
            levels = "; ".join(f"{level.points:g}: {level.descriptor}" for level in criterion.levels)
            lines.append(f"{criterion.description} ({levels})")
    elif isinstance(rule, PartsRule):
        lines += [f"{part.label or part.id} ({part.points:g}): {part.reference}" for part in rule.parts]
    paragraphs = "".join(f"<p>{escape(line)}</p>" for line in lines if line)
    if not paragraphs:
        return ""
    inside = f"<qti-content-body>{paragraphs}</qti-content-body>"
    return f'<qti-rubric-block use="scoring" view="scorer">{inside}</qti-rubric-block>\n'
