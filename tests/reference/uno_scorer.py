"""Adapters for uno_scorer.jsonl."""

from exam2bench.corpora.catalog import unobench
from exam2bench.grade import uno_protocol as uno

PROMPT = "the scorer's prompt ships beside its weights and is read from there; it is not in this repository"


def multi(i):
    parts = [uno.ReferencePart(part["answer"], part["points"]) for part in i["parts"]]
    return {
        "text": uno.parts_reference(parts, lang=i["lang"]),
        "sum": sum(part.points for part in parts),
        "valid": uno.sums_to_full(parts),
    }


ADAPTERS = {
    "uno.extract_score": lambda i: uno.extract_score(i["text"]),
    "uno.parse_from_score_model": lambda i: uno.score_share(i["response"], i.get("scale_factor", uno.FULL)),
    "uno.remove_thought_block": lambda i: uno.remove_thought(i["text"]),
    "uno.format_reference.single": lambda i: uno.single_reference(
        i["answer"], lang=i["lang"], style=i.get("style", "card")
    ),
    "uno.format_reference.criteria": lambda i: uno.single_reference(
        i["answer"], lang=i["lang"], criteria=i["criteria"]
    ),
    "uno.format_reference.multi": multi,
    "uno.literal_eval_list": lambda i: unobench.literal_list(i["target"]),
    "uno.cal_ocr_contain": lambda i: unobench.contains_target(i["target"], i["predict"]),
    "uno.compute_metrics": lambda i: unobench.subset_means(i["rows"]),
    "uno.compositional_law": lambda i: unobench.compositional_law(i["Audio"], i["Visual"], i["Omni"]),
}
UNSUPPORTED = {
    "model_card.literal_regex_WITHOUT_tags": "a contrast set: the model card lost its tags; not the released behaviour",
    "uno.process_score_prompt": PROMPT,
    "uno.process_score_prompt.full_text": PROMPT,
    "uno.build_score_message": PROMPT,
    "uno.bleu_1": "rests on the word segmentation of jieba, whose dictionary this project does not carry",
}
TOLERANCE = {"uno.compositional_law": 1e-4}
