"""From scored rows to a benchmark's table, under the names that cards use.

A row is the record's fields with `prediction`, `extracted` and the metric's columns. A table is a dictionary of figures
that may hold further tables; a card's headline is a path in it. Means over all rows take every row: a reply that is
missing or unread stands in them with its marks of 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...schemas.errors import BundleError
from ...schemas.printable import printable
from . import boxes, circular, cvbench, evalscope_rules, mathvista, mmstar, points, yes_no

Row = Mapping[str, Any]
Table = dict[str, Any]
MME_QUESTIONS_PER_IMAGE = 2


def grouped(rows: Sequence[Row], field: str) -> dict[str, list[Row]]:
    """Rows by the value of a field, in order of first appearance; a list puts a row in each of its members' groups."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        value = row.get(field)
        for name in dict.fromkeys(value if isinstance(value, list) else [value]):
            groups.setdefault("–" if name is None else str(name), []).append(row)
    return groups


def needed(rows: Sequence[Row], *fields: str) -> None:
    """Raise BundleError for the first row that lacks a field."""
    for row in rows:
        for field in fields:
            if row.get(field) is None:
                raise BundleError(f"the record {printable(row.get('id'))} has no {field}, by which this table is made")


def mean(
    rows: Sequence[Row], *, columns: Sequence[str] = ("hit",), by: Sequence[str] = (), scale: float = 1.0
) -> Table:
    """The mean of each column over all rows times `scale`: {column: …, field: {value: …}}.

    Within a field one column is a figure, several are a table by column.
    """

    def means(members: Sequence[Row]) -> dict[str, float]:
        return {name: scale * sum(float(row[name]) for row in members) / len(members) for name in columns}

    table: Table = dict(means(rows))
    for field in by:
        needed(rows, field)
        parts = {name: means(members) for name, members in grouped(rows, field).items()}
        table[field] = parts if len(columns) > 1 else {name: part[columns[0]] for name, part in parts.items()}
    return table


def macro_mean(rows: Sequence[Row], *, by: str, column: str = "hit", scale: float = 1.0) -> Table:
    """The unweighted mean over the groups of a field, and each group's mean."""
    needed(rows, by)
    parts = mean(rows, columns=[column], by=[by], scale=scale)[by]
    return {column: sum(parts.values()) / len(parts), by: parts}


# choice


def vlm_accuracy_report(rows: Sequence[Row]) -> Table:
    """Split to group to accuracy (0 to 1), MMBench's categories abbreviated as published."""
    named = [_vlm_names(row) for row in rows]
    table = circular.accuracy_report(named)
    return table["none"] if list(table) == ["none"] else table


def _vlm_names(row: Row) -> dict[str, Any]:
    renamed = {"l2_category": "l2-category"}
    kept = ("split", "category", "l2_category", "hit")
    return {renamed.get(name, name): row[name] for name in kept if name in row}


def vlm_circular(rows: Sequence[Row], *, complete: bool = False) -> Table:
    """CircularEval: a question counts where every rotation of its options is answered right.

    Rotations share an index modulo 1,000,000, which is the id. The official view does not notice missing rotations;
    with `complete` a question that was not asked in as many rotations as it has options is wrong.
    """
    groups: dict[int, list[Row]] = {}
    for row in rows:
        if not str(row["id"]).isdecimal():
            raise BundleError(f"the id {printable(row['id'])} is no number, by which rotations are found")
        groups.setdefault(int(row["id"]) % circular.ROTATION_STEP, []).append(row)
    marked = []
    for members in groups.values():
        hit = all(row["hit"] for row in members)
        asked = len(members) >= max(2, len(members[0].get("options") or ()))
        marked.append({**members[0], "hit": float(hit and (asked or not complete))})
    short = sum(len(group) < max(2, len(group[0].get("options") or ())) for group in groups.values())
    return {**vlm_accuracy_report(marked), "questions": len(groups), "questions with rotations missing": short}


def mmstar_official(rows: Sequence[Row]) -> Table:
    """Score per category over 250, in all over 1,500, whatever the number of rows; percent is left to the reader."""
    needed(rows, "category", "l2_category")
    return mmstar.scores([(row["category"], row["l2_category"], bool(row["hit"])) for row in rows])


def lmms_mmstar(rows: Sequence[Row]) -> Table:
    needed(rows, "l2_category")
    return macro_mean(rows, by="l2_category")


def mmmu_subjects(rows: Sequence[Row], *, by: str = "category") -> Table:
    """Accuracy over all questions and of each subject; `macro` is the unweighted mean over subjects."""
    needed(rows, by)
    parts = mean(rows, by=[by])
    return {**parts, "macro": sum(parts[by].values()) / len(parts[by])}


def mathvista_report(rows: Sequence[Row]) -> Table:
    """Accuracy (percent) in all, by skill, by task; `prefetch_rate`: what was read without a model."""
    marked = [{**row, "skills": _skills(row), "task": row.get("task", "–")} for row in rows]
    return dict(mathvista.table(marked, lambda row: bool(row["hit"]), lambda row: row["extracted"] is not None))


def _skills(row: Row) -> str:
    value = row.get("skills", [])
    return value if isinstance(value, str) else repr(list(value))


# yes and no


def _yes_no_rows(rows: Sequence[Row]) -> list[dict[str, Any]]:
    from .text_rules import gold_yes_no

    renamed = {"l2_category": "l2-category"}
    kept = ("category", "l2_category", "image_path", "image_id")
    return [
        {
            **{renamed.get(name, name): row[name] for name in kept if name in row},
            "index": row["id"],
            "answer": gold_yes_no(row),
            "extracted": row["extracted"],
            "score": bool(row["hit"]),
        }
        for row in rows
    ]


def mme(rows: Sequence[Row]) -> Table:
    """Perception of 2,000 and reasoning of 800, their sum of 2,800, and each category of 200.

    Raises BundleError for a category that is missing or an image that has not two questions.
    """
    needed(rows, "category", "image_id")
    present = {row["category"] for row in rows}
    absent = [name for name in (*yes_no.MME_PERCEPTION, *yes_no.MME_REASONING) if name not in present]
    if absent:
        raise BundleError(f"MME is a sum over 14 categories: there are no records of {', '.join(absent)}")
    pairs: dict[tuple[str, str], int] = {}
    for row in rows:
        key = (row["category"], str(row["image_id"]))
        pairs[key] = pairs.get(key, 0) + 1
    odd = next((key for key, count in pairs.items() if count != MME_QUESTIONS_PER_IMAGE), None)
    if odd:
        raise BundleError(
            f"the image {printable(odd[1])} ({odd[0]}) has {pairs[odd]} questions; MME's acc+ counts pairs"
        )
    marked = [{**row, "image_path": str(row["image_id"]), "score": bool(row["hit"])} for row in rows]
    table = yes_no.mme_rating(marked)
    return {"total": table["perception"] + table["reasoning"], **table}


def cambrian_mme(rows: Sequence[Row]) -> Table:
    """As Cambrian counts: acc+ pairs rows by their place in the category."""
    needed(rows, "category")
    return yes_no.cambrian_mme(
        [
            {"category": row["category"], "answer": str(row["prediction"] or "-"), "gt_answer": row["answer"]}
            for row in rows
        ]
    )


def pope(rows: Sequence[Row]) -> Table:
    """F1 (named Overall), accuracy, precision and recall (percent), in all and by category; unread counts as No."""
    return yes_no.pope_rating([{"category": "", **row} for row in _yes_no_rows(rows)])


def evalscope_pope(rows: Sequence[Row]) -> Table:
    from .text_rules import gold_yes_no

    marked = [{"answer": gold_yes_no(row).upper(), "prediction": row["prediction"] or ""} for row in rows]
    return evalscope_rules.pope_report(marked)


def hallusion(rows: Sequence[Row]) -> Table:
    """aAcc over questions, fAcc over figures, qAcc over question pairs (percent), in all and by category."""
    needed(rows, "l2_category")
    wrong = next((row["id"] for row in rows if str(row["id"]).count("_") < 5), None)
    if wrong is not None:
        raise BundleError(f"the id {printable(wrong)} does not read category_subcategory_x_set_figure_question")
    return yes_no.hallusion_rating(_yes_no_rows(rows))


def evalscope_hallusion(rows: Sequence[Row]) -> Table:
    """EvalScope's accuracy over answers, figures and question pairs (0 to 1), by subcategory, by category, overall."""
    needed(rows, "category", "subcategory")
    fields = ("set_id", "figure_id", "question_id")
    named = all(field in row for row in rows for field in fields)
    marked = []
    for row in rows:
        parts = {} if named else dict(zip(fields, str(row["id"]).split("_")[-3:], strict=False))
        gold = _yes_no_rows([row])[0]["answer"].upper()
        marked.append({**row, **parts, "answer": gold, "prediction": row["prediction"] or ""})
    table: Table = {}
    for entry in evalscope_rules.hallusion_report(marked):
        dims = entry["dims"]
        table.setdefault(dims.get("category", "Overall"), {})[dims["target"]] = entry["score"]
    return table


def amber(rows: Sequence[Row]) -> Table:
    needed(rows, "category")
    return yes_no.amber_rating(_yes_no_rows(rows))


# CV-Bench


def _source_hits(rows: Sequence[Row]) -> dict[str, float]:
    """Accuracy of the three sources. Raises BundleError where one has no rows: there is no total without it."""
    needed(rows, "source")
    parts = {
        name: sum(row["hit"] for row in members) / len(members) for name, members in grouped(rows, "source").items()
    }
    absent = [source for source in (*cvbench.SOURCES_2D, cvbench.SOURCE_3D) if source not in parts]
    if absent:
        raise BundleError(f"CV-Bench is a mean over three sources: there are no records of {', '.join(absent)}")
    strange = [name for name in parts if name not in (*cvbench.SOURCES_2D, cvbench.SOURCE_3D)]
    if strange:
        raise BundleError(f"CV-Bench has no source {printable(strange[0])}")
    return parts


def cvbench_official(rows: Sequence[Row]) -> Table:
    """2D = (ADE20K + COCO) / 2, 3D = Omni3D, CV-Bench their mean, with the accuracy of each task."""
    parts = _source_hits(rows)
    order = (*cvbench.SOURCES_2D, cvbench.SOURCE_3D)
    tasks = mean(rows, by=["task"])["task"] if all("task" in row for row in rows) else {}
    return {**{name: parts[name] for name in order}, **cvbench.combine(parts), **({"task": tasks} if tasks else {})}


def cvbench_robust(rows: Sequence[Row]) -> Table:
    """The robust view's own figures, so that none of them can stand for an official one."""
    needed(rows, "task")
    return cvbench.robust_table(
        _source_hits(rows), mean(rows, by=["task"])["task"], sum(row["extracted"] is None for row in rows)
    )


def lmms_cv_bench(rows: Sequence[Row]) -> Table:
    table = cvbench_official(rows)
    return {"CV-Bench": table["CV-Bench"], "micro": mean(rows)["hit"]}


def vlm_cv_bench(rows: Sequence[Row]) -> Table:
    """VLMEvalKit: per split the accuracy of each source and the mean over the sources that are there."""
    needed(rows, "source")
    return dict(cvbench.vlmevalkit_report([{"split": "none", **row} for row in rows]))


# grounding


def refcoco(rows: Sequence[Row]) -> Table:
    """Precision at IoU 0.5 (percent) and mean IoU of each split; `Average` is the unweighted mean over known splits."""
    needed(rows, "split")
    table = boxes.refcoco_table(
        {name: [row["iou"] for row in members] for name, members in grouped(rows, "split").items()}
    )
    return {entry.pop("Split"): entry for entry in table}


def groundingme(rows: Sequence[Row]) -> Table:
    needed(rows, "subtask_l1")
    return boxes.grounding_me_table([{"subtask_l2": None, **row} for row in rows], [row["iou"] for row in rows])


def screenspot(rows: Sequence[Row]) -> Table:
    """The reference's accuracies; those over several groups weigh each by the square of its size, as it does."""
    needed(rows, "data_type")
    return points.screenspot_table(rows, [(bool(row["hit"]), bool(row["format_error"])) for row in rows])


AGGREGATIONS: dict[str, Callable[..., Table]] = {
    "mean": mean,
    "macro_mean": macro_mean,
    "vlmevalkit.accuracy_report": vlm_accuracy_report,
    "vlmevalkit.circular": vlm_circular,
    "mmstar.official": mmstar_official,
    "lmms-eval.mmstar": lmms_mmstar,
    "mmmu": mmmu_subjects,
    "mathvista": mathvista_report,
    "mme": mme,
    "cambrian.mme": cambrian_mme,
    "pope": pope,
    "evalscope.pope": evalscope_pope,
    "hallusion": hallusion,
    "evalscope.hallusion": evalscope_hallusion,
    "amber": amber,
    "cvbench.official": cvbench_official,
    "cvbench.robust": cvbench_robust,
    "lmms-eval.cv_bench": lmms_cv_bench,
    "vlmevalkit.cv_bench": vlm_cv_bench,
    "refcoco": refcoco,
    "groundingme": groundingme,
    "screenspot": screenspot,
}
