"""Adapters for cvbench_robust.jsonl: design cases of the CV-Bench protocol, with the official view beside each."""

from exam2bench.corpora.catalog import cvbench


def design(i):
    return {
        "robust": cvbench.robust_choice(i["text"], len(i["choices"])),
        "official_ade": cvbench.first_character(i["text"]),
        "official_omni": cvbench.first_character(i["text"], omni=True),
    }


def table(i):
    return {
        "recomputed_total": cvbench.robust_total(i["robust_2d"], i["robust_3d"]),
        "recomputed_3d_from_tasks": (i["depth"] + i["distance"]) / 2,
    }


def asked(case):
    """What the protocol specifies or implies; where it leaves the robust view free, the official views alone."""
    expected = dict(case["expected"])
    for printed in ("status", "robust_total_printed", "official_total_printed"):
        expected.pop(printed, None)
    if expected.get("robust") == "free":
        expected["robust"] = design(case["input"])["robust"]
    return expected


ADAPTERS = {"cvbench.robust.design": design, "cvbench.robust.table_consistency": table}
