"""The sets that the embedded judge is measured on: where each one's marks stand. A table, and nothing else."""

from __future__ import annotations

from .importing import Scheme

SETS: dict[str, Scheme] = {
    "asap_sas": Scheme("rubric"),
    "physics_items": Scheme("rubric"),
    "khan_saq": Scheme("rubric"),
    "os_course": Scheme("rubric"),
    "alice_de": Scheme("rubric"),
    "mohler": Scheme("reference"),
    # marks are shares of 1, in quarters and tenths
    "saf_en": Scheme("reference", points=4),
    "saf_de": Scheme("reference", points=4),
    "le_zh": Scheme("reference", points=10),
    "ads_zh": Scheme("reference"),
}
