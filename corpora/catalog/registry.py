"""The rules that cards name: how a reply is read, how it is marked, how the marks are put together.

    extractor(reply, record, **params) -> what was read, None where nothing was (a parse failure, counted)
    metric(read, record, **params) -> {column: number}; {} where only whole sets have a figure
    aggregation(rows, **params) -> a table of figures; a row is the record with prediction, extracted and the columns

A name begins with the harness whose behaviour it has; names without one are this project's own or common to all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import choice_rules as choice
from . import defect_rules as defects
from . import detection_rules as detections
from . import documents, executed
from . import grounding_rules as grounding
from . import instruction_rules as instructions
from . import text_rules as text
from . import unobench as uno
from .aggregations import AGGREGATIONS as COMMON

Extractor = Callable[..., Any]
Metric = Callable[..., Mapping[str, float]]
Aggregation = Callable[..., Mapping[str, Any]]


def none(read: Any, record: Mapping[str, Any]) -> dict[str, float]:
    """No mark for a single reply: the figure is one of the whole set."""
    return {}


def _fixed(rule: Callable[..., Any], **settings: Any) -> Callable[..., Any]:
    def fixed(*arguments: Any, **params: Any) -> Any:
        return rule(*arguments, **settings, **params)

    fixed.__doc__ = rule.__doc__
    return fixed


EXTRACTORS: dict[str, Extractor] = {
    "whole": choice.whole,
    "robust.choice": choice.robust_choice,
    "robust.yes_no": text.robust_yes_no,
    "robust.integer": text.robust_integer,
    "robust.number": text.robust_number,
    "robust.text": text.robust_text,
    "robust.answer": text.robust_answer,
    "vlmevalkit.can_infer": choice.vlm_choice,
    "vlmevalkit.can_infer@590f052a": _fixed(choice.vlm_choice, version="590f052a"),
    "vlmevalkit.can_infer@aca64dbb": _fixed(choice.vlm_choice, version="aca64dbb"),
    "vlmevalkit.first_capital": choice.vlm_first_capital,
    "vlmevalkit.first_capital@before-1445ec4f": _fixed(choice.vlm_first_capital, family="before-1445ec4f"),
    "vlmevalkit.videomme": _fixed(choice.vlm_first_capital, family="videomme"),
    "vlmevalkit.yes_no": text.vlm_yes_no,
    "vlmevalkit.mathvista": text.vlm_mathvista,
    "vlmevalkit.refcoco_box": grounding.refcoco_box,
    "vlmevalkit.groundingme_box": grounding.groundingme_box,
    "vlmevalkit.point": grounding.aguvis_point,
    "lmms-eval.mmmu_choice": choice.mmmu_choice,
    "lmms-eval.mmmu_open": text.lmms_mmmu_open,
    "lmms-eval.mmmu": text.lmms_mmmu,
    "lmms-eval.mcq": choice.lmms_choice,
    "lmms-eval.cv_bench": choice.lmms_cv_bench,
    "lmms-eval.mathvista": text.lmms_mathvista,
    "lmms-eval.rec_box": grounding.lmms_rec_box,
    "evalscope.choice": choice.evalscope_choice,
    "evalscope.declared": text.evalscope_declared,
    "evalscope.first_integer": text.first_integer,
    "evalscope.regex": text.regex_then_integer,
    "evalscope.point": grounding.evalscope_point,
    "inspect.choice": choice.inspect_ai_choice,
    "simple-evals.answer_letter": choice.simple_evals_letter,
    "erqa.letter": choice.erqa_letter,
    "mmstar.letter": choice.mmstar_letter,
    "cambrian.first_character": choice.cambrian_first_character,
    "cambrian.first_word": choice.cambrian_first_word,
    "math.final": text.math_final,
    "stated.box": grounding.stated_box,
    "stated.point": grounding.stated_point,
    "stated.points": grounding.stated_points,
    "defect_map": defects.defect_map,
    "mask": defects.mask_pair,
    "detections": detections.detections,
    "uno.score": uno.scorer_mark,
    "outcome": executed.outcome,
    "swebench.outcomes": executed.swebench_report,
}

METRICS: dict[str, Metric] = {
    "none": none,
    "choice_equal": choice.choice_equal,
    "first_word_equal": choice.first_word_equal,
    "mmstar.match": choice.mmstar_match,
    "cambrian.cv_bench": choice.cambrian_cv_bench,
    "yes_no_equal": text.yes_no_equal,
    "evalscope.yes_no": text.evalscope_yes_no,
    "vlmevalkit.vqa": text.vlm_vqa,
    "vlmevalkit.mathvista": text.vlm_mathvista_hit,
    "vlmevalkit.refcoco": grounding.refcoco_iou,
    "vlmevalkit.groundingme": grounding.groundingme_iou,
    "vlmevalkit.screenspot": grounding.screenspot,
    "anls": text.anls,
    "relaxed_accuracy": text.relaxed,
    "text_equal": text.text_equal,
    "evalscope.anls": text.evalscope_anls,
    "evalscope.count": text.count_marks,
    "evalscope.point_in_box": grounding.evalscope_point_in_box,
    "cambrian.text_vqa": text.cambrian_text_vqa,
    "cambrian.chartqa": text.cambrian_chartqa,
    "lmms-eval.mmmu_hit": text.lmms_mmmu_hit,
    "lmms-eval.mathvista": text.lmms_mathvista_hit,
    "lmms-eval.rec": grounding.lmms_rec,
    "robust.answer": text.robust_answer_hit,
    "math_equal": text.math_equal,
    "box_iou": grounding.box_iou,
    "point_in_box": grounding.point_in_box,
    "molmo.pointing": grounding.molmo_pointing,
    "pointing": grounding.pointing,
    "ifbench": instructions.followed,
    "mask_iou": defects.mask_iou,
    "omnidocbench": documents.page_marks,
    "uno": uno.share_of_full,
    "outcome": executed.outcome_hit,
    "swebench.resolved": executed.swebench_resolved,
}

AGGREGATIONS: dict[str, Aggregation] = {
    **COMMON,
    "ifbench": instructions.ifbench_table,
    "omnidocbench": documents.omnidocbench_table,
    "uno": uno.uno_table,
    "pass_rates": executed.pass_rates,
    "defects.anomalib": defects.anomalib_figures,
    "defects.exact": defects.exact_figures,
    "miou": defects.miou,
    "coco": detections.coco,
    "lvis": detections.lvis,
}

MAKERS: dict[str, Callable[[], str]] = dict.fromkeys(("defects.anomalib", "miou"), defects.makers)
"""Aggregations whose figures another library makes where it is installed: which one made them."""

TAKES_DATA = frozenset(
    {"stated.box", "stated.point", "stated.points", "outcome", "swebench.outcomes", "defect_map", "mask", "detections"}
)
"""Extractors whose predictions may be other than text."""
TAKES_FILES = frozenset({"defect_map", "mask"})
"""Extractors whose replies, and records, may name files beside them."""
TAKES_OUTCOMES = frozenset({"outcome"})
"""Extractors whose replies may stand in a field that names an outcome."""
TAKES_DETECTIONS = frozenset({"detections"})
"""Extractors whose predictions may be one detection a row, put together by image."""
TAKES_TRIALS = frozenset({"pass_rates"})
"""Aggregations for which one record may have several predictions, told apart by the field `trial`."""
TAKES_CONVENTION = frozenset({"stated.box", "stated.point", "stated.points"})
"""Extractors that must be told the convention of the coordinates."""
TAKES_UNVERIFIED = frozenset({"ifbench"})
"""Metrics that may be told to count what they cannot verify as wrong."""
GUESSES_SCALE = frozenset({"vlmevalkit.refcoco", "evalscope.point_in_box"})
"""Metrics that guess each reply's scale from its size, which the report then says."""
SCALE_NOTES = {
    "vlmevalkit.groundingme": "takes each box as pixels and as shares or 999ths, and counts the better",
    "vlmevalkit.screenspot": "takes a point up to 1 for shares of the image, else for pixels",
    "lmms-eval.rec": "compares numbers as they stand, whatever they are in",
    "molmo.pointing": "takes coordinates for per cent of the image",
}
"""What else metrics suppose about coordinates."""
