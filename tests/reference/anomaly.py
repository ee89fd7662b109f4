"""Adapters for anomaly.jsonl."""

from exam2bench.corpora.catalog import defects

ADAPTERS = {
    "anomalib.image_AUROC": lambda i: defects.anomalib_auroc((i["scores"], i["labels"])),
    "anomalib.image_AUROC.batched": lambda i: defects.anomalib_auroc(
        *((batch["scores"], batch["labels"]) for batch in i["batches"])
    ),
    "anomalib.pixel_AUROC": lambda i: defects.anomalib_auroc((i["maps"], i["masks"])),
    "anomalib.F1Max": lambda i: defects.f1_max(i["scores"], i["labels"]),
    "anomalib.AUPR": lambda i: defects.anomalib_aupr(i["scores"], i["labels"]),
    "anomalib.connected_components": lambda i: defects.anomalib_regions(i["mask"]).tolist(),
    "anomalib.PRO": lambda i: defects.pro(i["maps"], i["masks"], i.get("threshold", 0.5)),
    "anomalib.AUPRO": lambda i: defects.au_pro(i["maps"], i["masks"], i.get("fpr_limit", 0.3)),
    "mvtec.AU_PRO": lambda i: defects.mvtec_au_pro(i["maps"], i["masks"], i["limit"]),
    "sklearn.roc_auc_score": lambda i: defects.auroc(i["scores"], i["labels"]),
    "sklearn.average_precision_score": lambda i: defects.average_precision(i["scores"], i["labels"]),
    "torchmetrics.MulticlassJaccardIndex": lambda i: defects.jaccard(
        i["pred"], i["target"], i["num_classes"], i["average"], i.get("ignore_index")
    ),
    "torchmetrics.MeanIoU": lambda i: defects.mean_iou(
        i["pred"], i["target"], i["num_classes"], background=i["include_background"], per_class=i["per_class"]
    ),
    "torchmetrics.BinaryJaccardIndex": lambda i: defects.binary_jaccard(i["pred"], i["target"], i["threshold"]),
}
FLOAT32 = 2e-6
TOLERANCE = {scorer: FLOAT32 for scorer in ADAPTERS if scorer.startswith(("anomalib", "torchmetrics"))} | {
    "anomalib.AUPRO": 0.01
}


def excused(case):
    """Only maps without equal scores approach the definition; the rest documents a fault of the reference."""
    if case["scorer"] == "anomalib.AUPRO" and case.get("note") != "tie-free scores":
        return "anomalib resamples the curves by index: with few distinct scores its value is no AUPRO"
    return None


DEVIATIONS = [
    {
        "scorer": "anomalib.image_AUROC",
        "input": {"scores": [{"__float__": "nan"}, 0.2, 0.4], "labels": [0, 1, 1]},
        "expected": 0.0,
        "ours": "ValueError: a score is not a number",
        "reason": "a score that is no number is refused, not ranked",
    }
]
