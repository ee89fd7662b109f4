"""Adapters for mmstar.jsonl."""

from exam2bench.corpora.catalog import mmstar

ADAPTERS = {
    "mmstar.match": lambda i: mmstar.is_match(i["prediction"], i["answer"]),
    "mmstar.MMStar_eval": lambda i: mmstar.official_scores(i["rows"]),
    "mmstar.multimodal_gain_leakage": lambda i: mmstar.gain_and_leakage(
        i["with_image"], i["without_image"], i["llm_base"]
    ),
    "catalogue.visual_necessity": lambda i: mmstar.visual_necessity(i["acc_with_image"], i["acc_without_image"]),
    "lmms-eval.extract_mcq_answer": lambda i: mmstar.lmms_choice(i["response"], i.get("choices")),
    "lmms-eval.mmstar_aggregate_results": lambda i: mmstar.lmms_score(i["results"]),
    "cambrian.mmstar.accuracy": lambda i: mmstar.cambrian_accuracy(i["rows"]),
}
