"""Adapters for grounding.jsonl."""

import importlib.util

from exam2bench.corpora.catalog import boxes, detection, points

ADAPTERS = {
    "vlmevalkit.groundingme.compute_iou": lambda i: boxes.grounding_me_iou(i["box1"], i["box2"]),
    "vlmevalkit.refcoco.compute_iou": lambda i: boxes.iou(i["box1"], i["box2"]),
    "lmms-eval.refcoco_grounding.compute_iou": lambda i: boxes.iou(i["box1"], i["box2"]),
    "vlmevalkit.screenspot.compute_iou": lambda i: boxes.strict_iou(i["box1"], i["box2"]),
    "vlmevalkit.screenspot.compute_accuracy": lambda i: (
        boxes.strict_iou(i["box1"], i["box2"]) >= i.get("threshold", 0.5)
    ),
    "vlmevalkit.screenspot.compute_center_accuracy": lambda i: boxes.center_in(i["box2"], i["box1"]),
    "vlmevalkit.groundingme.parse_bbox": lambda i: boxes.grounding_me_box(i["text"]),
    "vlmevalkit.refcoco.parse_prediction": lambda i: boxes.refcoco_box(i["text"]),
    "lmms-eval.refcoco_grounding.parse_pred_boxes": lambda i: boxes.all_boxes(i["pred_text"]),
    "lmms-eval.refcoco_rec.parse_float_sequence_within": lambda i: boxes.first_list_box(i["input_str"]),
    "lmms-eval.screenspot_rec.parse_float_sequence_within": lambda i: boxes.unit_box(i["input_str"]),
    "vlmevalkit.refcoco.to_absolute": lambda i: boxes.refcoco_pixels(i["coords"], i["width"], i["height"]),
    "vlmevalkit.groundingme.normalize_bbox": lambda i: boxes.grounding_me_pixels(i["bbox"], i["width"], i["height"]),
    "lmms-eval.refcoco_rec.aggregate": lambda i: boxes.rec_score(i["results"], i["metric"]),
    "lmms-eval.screenspot_rec.aggregate": lambda i: boxes.rec_score(i["results"], i["metric"]),
    "vlmevalkit.refcoco.evaluate": lambda i: boxes.refcoco_report(i["rows"]),
    "vlmevalkit.groundingme.evaluate": lambda i: boxes.grounding_me_report(i["rows"]),
    "lmms-eval.refcoco_grounding.process_result": lambda i: boxes.best_of_boxes(
        i["prediction"], i["bbox_xywh"], i["image_size"]
    ),
}

ADAPTERS |= {
    "evalscope.screenspot_pro.parse_point": lambda i: points.bracket_point(i["prediction"]),
    "evalscope.screenspot_pro.to_normalized_point": lambda i: points.unit_point(i["point"], i["image_size"]),
    "evalscope.screenspot_pro.point_in_bbox": lambda i: points.in_box(i["point"], i["bbox"]),
    "vlmevalkit.screenspot.parse_bbox_aguvis": lambda i: points.aguvis_point(i["response"]),
    "vlmevalkit.robospatial.point_in_polygon": lambda i: points.in_polygon(i["x"], i["y"], i["poly"]),
    "lmms-eval.screenspot_v2.parse_point": lambda i: points.free_point(i["prediction"]),
    "lmms-eval.screenspot_v2.normalize_bbox_to_xyxy": lambda i: points.box_from_corner(
        i["bbox"], i["width"], i["height"]
    ),
    "lmms-eval.screenspot_v2.correct": lambda i: points.free_point_hit(i["prediction"], i["bbox"], i["size"]),
    "lmms-eval.pointbench.text_to_points": lambda i: points.pairs_in_parentheses(i["text"], i["width"], i["height"]),
    "lmms-eval.pointbench.binary_score": lambda i: points.point_bench_score(
        i["text"], i["mask"], count=i["expected_count"] if i["category"] == "counting" else None
    ),
    "molmo.extract_points": lambda i: points.molmo_points(i["text"], i["image_w"], i["image_h"]),
    "molmo.f1_score": lambda i: points.f1(i["precision"], i["recall"]),
    "molmo.is_point_in_region": lambda i: points.in_mask(i["point"], i["mask"]),
    "molmo.is_valid_format": lambda i: points.is_molmo_format(i["input_string"]),
    "molmo.extract_points_from_point_count": lambda i: points.molmo_pairs_as_shares(
        i["text"], i["image_w"], i["image_h"]
    ),
    "molmo.extract_bboxes": lambda i: points.molmo_boxes(i["text"], i["image_w"], i["image_h"]),
    "molmo.PointingEval": lambda i: points.pointing_report(i["examples"]),
    "vlmevalkit.screenspot.evaluate_point": lambda i: points.screenspot_report(i["rows"]),
}
ADAPTERS |= {
    "pycocotools.bbox": lambda i: detection.coco_ap(i["gt"], i["dt"], i["images"], i["categories"]),
    "lvis.bbox": lambda i: detection.lvis_ap(i["gt"], i["dt"], i["images"], i["categories"]),
}
NOTCH = [[0.1, 0.1], [0.5, 0.1], [0.3, 0.3], [0.5, 0.5], [0.1, 0.5]]
DEVIATIONS = [
    {
        "scorer": "vlmevalkit.robospatial.point_in_polygon",
        "input": {"x": x, "y": y, "poly": NOTCH},
        "expected": not inside,
        "ours": inside,
        "reason": "the reference takes the notch of a concave polygon for its inside, and its inside for outside",
    }
    for x, y, inside in ((0.45, 0.2, False), (0.3, 0.4, True), (0.3, 0.25, True))
] + [
    {
        "scorer": "lmms-eval.refcoco_grounding.parse_pred_boxes",
        "input": {"pred_text": "[true, 1, 2, 3]"},
        "expected": [[1.0, 1.0, 2.0, 3.0]],
        "ours": [],
        "reason": "true is no coordinate",
    }
]
UNSUPPORTED = {
    "vlmevalkit.Point2DParser.parse": "lists all pixels of a box; no benchmark of the catalogue reads it",
}
for scorer, package in (("pycocotools.bbox", "pycocotools"), ("lvis.bbox", "lvis")):
    if importlib.util.find_spec(package) is None:
        UNSUPPORTED[scorer] = f"the package {package} of the extra [score] is not installed"
