"""Adapters for cvbench.jsonl."""

from exam2bench.corpora.catalog import cvbench as cv

ADAPTERS = {
    "cambrian.ade.extract_mcq_answer": lambda i: cv.first_character(i["text"]),
    "cambrian.coco.extract_mcq_answer": lambda i: cv.first_character(i["text"]),
    "cambrian.omni.extract_mcq_answer": lambda i: cv.first_character(i["text"], omni=True),
    "cambrian.ade.compute_metrics": lambda i: cv.source_accuracy(i["rows"]),
    "cambrian.coco.compute_metrics": lambda i: cv.source_accuracy(i["rows"]),
    "cambrian.omni.compute_metrics": lambda i: cv.source_accuracy(i["rows"], omni=True),
    "cvbench.official_score": lambda i: cv.official_score(i["rows"]),
    "lmms-eval.cv_bench.extract_answer_letter": lambda i: cv.lmms_letter(i["text"]),
    "lmms-eval.cv_bench.process_results": lambda i: cv.lmms_is_hit(i["answer"], i["response"]),
    "lmms-eval.cv_bench.aggregate": lambda i: cv.micro_accuracy(i["results"]),
    "lmms-eval.cv_bench.default_aggregate": lambda i: cv.lmms_total(i["results"]),
    "vlmevalkit.cvbench.report_accuracy": lambda i: cv.vlmevalkit_report(i["rows"]),
}
