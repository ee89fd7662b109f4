"""Run by inspect_ai's own environment: evaluates an exported task with its mock model, prints the scores.

arguments: TASK.py REPLIES.json (question id → reply)
"""

import importlib.util
import json
import sys

from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, ModelUsage, get_model


def load_task(path):
    spec = importlib.util.spec_from_file_location("exported_task", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (made,) = [value for name, value in vars(module).items() if name.startswith("exam_") and name != "exam_task"]
    return made()


def main():
    task = load_task(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        replies = json.load(file)
    by_text = {sample.input[-1].text: replies[sample.id] for sample in task.dataset}

    def reply(messages, *_):
        output = ModelOutput.from_content("mockllm/model", by_text[messages[-1].text])
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else it fetches a tokenizer
        return output

    model = get_model("mockllm/model", custom_outputs=reply)
    (log,) = evaluate(task, model=model, log_dir=sys.argv[3], display="none")
    assert log.status == "success", log.error
    scores = {}
    for sample in log.samples:
        score = sample.scores["exam2bench"]
        scores[sample.id] = {"unscored": not sample.scores or score.metadata["status"] == "ungraded", **score.metadata}
    (result,) = log.results.scores
    metrics = {name: metric.value for name, metric in result.metrics.items()}
    print(json.dumps({"scores": scores, "metrics": metrics, "scored": result.scored_samples, "log": log.location}))


main()
