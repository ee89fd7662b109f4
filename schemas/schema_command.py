"""Print the JSON Schema (draft 2020-12) of one of the contract's files.

  exam2bench schema exam > exam.schema.json

The schema of one exam's answer sheets, narrowed to its ids, is `answer_schema.json` in its bundle.
"""

from __future__ import annotations

import argparse
import json

from .base import Contract


def _records() -> dict[str, type[Contract]]:
    from .answers import AnswerSheet
    from .exam import Exam
    from .grading import GradingSpec
    from .manifest import Manifest
    from .report import Report

    return {"exam": Exam, "grading": GradingSpec, "answers": AnswerSheet, "report": Report, "manifest": Manifest}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    names = ["exam", "grading", "answers", "report", "manifest"]
    parser.add_argument("file", choices=names, help="which file's schema")


def run(args: argparse.Namespace) -> int:
    schema = _records()[args.file].model_json_schema(mode="validation")
    record = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    print(json.dumps(record, ensure_ascii=False, indent=2))
    return 0
