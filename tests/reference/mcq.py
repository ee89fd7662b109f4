"""Adapters for mcq.jsonl."""

from exam2bench.corpora.catalog import choice_vlmevalkit as vlm
from exam2bench.corpora.catalog import circular, sequences

AT_590 = vlm.Inference(declared=False)
AT_ACA = vlm.Inference(tail_only=False, length_limit=False, declared=False)
VERBOSE = vlm.Inference(verbose=True)


def falsy(choice):
    return choice if choice is not None else False


def infer(version):
    return lambda i: falsy(vlm.infer_choice(i["answer"], i["choices"], version))


ADAPTERS = {
    "vlmevalkit.can_infer": infer(vlm.HEAD),
    "vlmevalkit.can_infer.nonstr": infer(vlm.HEAD),
    "vlmevalkit.can_infer.badlabels": infer(vlm.HEAD),
    "vlmevalkit.can_infer[VERBOSE=1]": infer(VERBOSE),
    "vlmevalkit.can_infer@590f052a": infer(AT_590),
    "vlmevalkit.can_infer@aca64dbb": infer(AT_ACA),
    "vlmevalkit.can_infer_option": lambda i: falsy(vlm.infer_option(i["answer"], i["choices"])),
    "vlmevalkit.can_infer_text": lambda i: falsy(vlm.infer_text(i["answer"], i["choices"])),
    "vlmevalkit.extract_characters_regex": lambda i: vlm.GENERAL.read(i["s"]),
    "vlmevalkit.extract_characters_regex@pre-1445ec4f": lambda i: vlm.GENERAL_BEFORE_FIX.read(i["s"]),
    "vlmevalkit.extract_characters_regex.choices": lambda i: vlm.GENERAL.read(i["s"], i["choices"]),
    "vlmevalkit.videomme.extract_characters_regex": lambda i: vlm.VIDEO_MME.read(i["s"]),
    "vlmevalkit.videomme.extract_characters_regex_v2": lambda i: vlm.VIDEO_MME_V2.read(i["s"]),
    "vlmevalkit.longvideobench.extract_characters_regex": lambda i: vlm.LONG_VIDEO_BENCH.read(i["s"]),
    "vlmevalkit.v2pbench.extract_characters_regex": lambda i: vlm.V2P_BENCH.read(i["s"]),
    "vlmevalkit.image_mcq.XLRSBench.extract_characters_regex.as_set": lambda i: vlm.XLRS_BENCH.read(i["s"]),
    "vlmevalkit.image_mcq.OmniEarthMCQBench.extract_characters_regex.as_set": lambda i: vlm.OMNI_EARTH.read(i["s"]),
    "catalogue.extract_choice": lambda i: vlm.extract_choice(i["text"], *([i["choices"]] if "choices" in i else [])),
}


def extracted(i):
    choice, log = circular.read_row(i["item"])
    return {"opt": choice, "log": log}


def circular_report(i):
    hits = circular.circular_hits(i["rows"])
    first = {}
    for row in i["rows"]:
        first.setdefault(row["index"] % 1_000_000, row)
    return {
        "hits": {str(group): hit for group, hit in hits.items()},
        "report": circular.accuracy_report([{**first[group], "hit": hit} for group, hit in hits.items()]),
    }


def vanilla(i):
    hits = circular.vanilla_hits(i["rows"], open_as_choice=i["dataset"].startswith("MMMU"))
    return {"hits": {str(k): v for k, v in hits.items()}, "overall": sum(hits.values()) / len(hits)}


ADAPTERS |= {
    "vlmevalkit.build_choices": lambda i: circular.build_choices(i["item"]),
    "vlmevalkit.extract_answer_from_item[exact_matching]": extracted,
    "vlmevalkit.circular.prefetch_group": lambda i: circular.prefetch_group(i["rows"]),
    "vlmevalkit.circular.eval_group[exact_matching]": lambda i: circular.eval_group(i["rows"]),
    "vlmevalkit.circular.mcq_circular_eval+report_acc": circular_report,
    "vlmevalkit.mcq_vanilla_eval[exact_matching]": vanilla,
    "vlmevalkit.report_acc": lambda i: circular.accuracy_report(i["rows"]),
    "vlmevalkit.report_acc_MMVP": lambda i: circular.pair_report(i["rows"]),
    "vlmevalkit.can_infer_sequence": lambda i: falsy(sequences.infer_sequence(i["answer"])),
    "vlmevalkit.can_infer_lego": lambda i: falsy(sequences.infer_lego(i["answer"], i["question_type"], i["choices"])),
}
UNSUPPORTED = {
    "vlmevalkit.can_infer_text.choices_after_call": "the reference changes the caller's options in place; never here",
}
