"""Run by EvalScope's own environment: loads the exported files with its mock model, prints how many it took.

arguments: FOLDER WORK_DIR
"""

import json
import sys
from pathlib import Path

from evalscope import TaskConfig, run_task


def main():
    folder, work = Path(sys.argv[1]), sys.argv[2]
    kinds = {
        kind.name: next(kind.glob("*.jsonl")).stem.removesuffix("_val") for kind in folder.iterdir() if kind.is_dir()
    }
    arguments = {kind: {"local_path": str(folder / kind), "subset_list": [name]} for kind, name in kinds.items()}
    reports = run_task(
        TaskConfig(model="mock", eval_type="mock_llm", datasets=sorted(kinds), dataset_args=arguments, work_dir=work)
    )
    counts = {kind: max(metric.num for metric in reports[kind].metrics) for kind in kinds}
    print("RESULT " + json.dumps(counts))


main()
