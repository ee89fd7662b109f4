"""Adapters for vqa.jsonl."""

from exam2bench.corpora.catalog import mathvista, mmmu, open_text, primary_metric, vqa_text


def hit(i, method):
    match = open_text.match_row(i["answers"], i["prediction"], method)["match"]
    dataset = i.get("dataset", "TextVQA_VAL")
    return {"match": match, "hit": open_text.row_hit(match, dataset)}


ADAPTERS = {
    "vlmevalkit.levenshtein_distance": lambda i: open_text.levenshtein(i["s1"], i["s2"]),
    "vlmevalkit.anls_compute": lambda i: open_text.anls_distance(i["groundtruth"], i["prediction"]),
    "vlmevalkit.relaxed_correctness": lambda i: open_text.is_relaxed_match(
        i["target"], i["prediction"], i.get("max_relative_change", 0.05)
    ),
    "vlmevalkit.process_answer": lambda i: vqa_text.normalize_answer(i["answer"]),
    "vlmevalkit.process_line": lambda i: open_text.match_row(i["answer"], i["prediction"], i["method"]),
    "vlmevalkit.docvqa_hit": lambda i: hit(i, "anls"),
    "vlmevalkit.textvqa_hit": lambda i: hit(i, "vqa_score"),
    "vlmevalkit.hit_calculate": lambda i: [
        open_text.row_hit(row["match"], i["dataset_name"], i.get("anls_threshold", 0.5)) for row in i["result"]
    ],
    "vlmevalkit.image_vqa.evaluate": lambda i: open_text.vlmevalkit_report(i["rows"], i["dataset"]),
    "pypi.anls_score": lambda i: open_text.anls_score(
        i["prediction"], i["gold_labels"], **({"threshold": i["threshold"]} if "threshold" in i else {})
    ),
    "cambrian.stvqa.get_anls": lambda i: open_text.st_vqa_anls(i["s1"], i["s2"]),
    "cambrian.EvalAIAnswerProcessor": lambda i: vqa_text.eval_ai_answer(i["item"]),
    "cambrian.TextVQAAccuracyEvaluator": lambda i: open_text.text_vqa_accuracy(i["prediction"], i["answers"]),
    "cambrian.chartqa.compute_metrics": lambda i: open_text.cambrian_chartqa(i["rows"]),
}


def randomly(choice):
    """The reference draws an option where this project reads none."""
    return "__RANDOM__" if choice is None else choice


ADAPTERS |= {
    "lmms-eval.mmmu.parse_multi_choice_response": lambda i: randomly(mmmu.parse_choice(i["response"], i["options"])),
    "lmms-eval.videommmu.parse_multi_choice_response": lambda i: (
        mmmu.parse_video_choice(i["response"], i["options"]) or "No Answer Found."
    ),
    "lmms-eval.jmmmu_pro.parse_multi_choice_response": lambda i: (
        mmmu.parse_japanese_choice(i["response"], i["all_choices"]) or "X"
    ),
    "lmms-eval.mmmu.check_is_number": lambda i: mmmu.is_number(i["string"]),
    "lmms-eval.mmmu.normalize_str": lambda i: mmmu.normalize(i["string"]),
    "lmms-eval.mmmu.extract_numbers": lambda i: mmmu.extract_numbers(i["string"]),
    "lmms-eval.mmmu.parse_open_response": lambda i: mmmu.parse_open(i["response"]),
    "lmms-eval.mmmu.eval_open": lambda i: mmmu.is_open_hit(i["gold_i"], i["pred_i"]),
    "lmms-eval.mmmu.eval_open(parse_open_response)": lambda i: mmmu.is_open_hit(
        i["gold"], mmmu.parse_open(i["response"])
    ),
    "lmms-eval.mmmu.eval_multi_choice": lambda i: mmmu.is_choice_hit(i["gold_i"], i["pred_i"]),
    "lmms-eval.mmmu.evaluate_mmmu": lambda i: mmmu.judge_samples(i["samples"]),
    "lmms-eval.mmmu.calculate_ins_level_acc": lambda i: mmmu.weighted_accuracy(i["results"]),
}

ADAPTERS |= {
    "vlmevalkit.mathvista.post_check": lambda i: mathvista.check(i["line"], prefetch=i["prefetch"]),
    "vlmevalkit.mathvista.MathVista_acc": lambda i: mathvista.accuracy_report(i["rows"]),
    "lmms-eval.mathvista.safe_equal": lambda i: mathvista.lmms_is_equal(i["prediction"], i["answer"]),
    "lmms-eval.mathvista.extract_answer[no LLM]": lambda i: (
        mathvista.NEEDS_MODEL if (read := mathvista.lmms_extract(i["response"], i["problem"])) is None else read
    ),
    "lmms-eval.mathvista.normalize_extracted_answer": lambda i: mathvista.lmms_normalize(
        i["extraction"], i["choices"], i["question_type"], i["answer_type"], i["precision"]
    ),
    "vlmevalkit.choose_primary_metric_key": lambda i: primary_metric.choose_key(i["metrics"]),
    "vlmevalkit.report_primary_metric": lambda i: primary_metric.primary_metric(
        {str(k): v for k, v in i["items"]} if "items" in i else i["metrics"] if isinstance(i["metrics"], dict) else {}
    ),
}
