"""Run by lm-eval's own environment: loads the exported tasks, answers them from a file, prints the metrics.

arguments: FOLDER REPLIES.json (question id → reply)
"""

import json
import sys
from pathlib import Path

import lm_eval
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager


class Scripted(LM):
    """A taker that writes what the file says."""

    MULTIMODAL = True

    def __init__(self, replies):
        super().__init__()
        self.replies = replies

    def generate_until(self, requests, **_):
        return [self.replies[request.doc["id"]] for request in requests]

    def loglikelihood(self, requests, **_):
        raise AssertionError("no task of ours asks for likelihoods")

    loglikelihood_rolling = loglikelihood


def main():
    folder = Path(sys.argv[1])
    replies = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    tasks = [
        line.split()[1] for file in sorted(folder.glob("*.yaml")) for line in file.open() if line.startswith("task:")
    ]
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    found = lm_eval.simple_evaluate(model=Scripted(replies), tasks=tasks, task_manager=manager, bootstrap_iters=0)
    metrics = {task: {key: value for key, value in found["results"][task].items() if "," in key} for task in tasks}
    samples = {sample["doc"]["id"]: sample["points_percentage"] for task in tasks for sample in found["samples"][task]}
    print(json.dumps({"metrics": metrics, "samples": samples}, default=str))


main()
