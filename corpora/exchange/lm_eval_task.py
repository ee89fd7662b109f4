"""To lm-eval: one task for the questions in words, one for those with pictures, graded by this package.

`lm_eval --include_path DIR --tasks exam2bench_…` in an environment that has lm-eval and exam2bench. A question that
only a judge can grade earns nothing there and is counted as ungraded.
"""

from __future__ import annotations

from pathlib import Path

from ...models.paper_parts import locate, needs_image
from ...schemas.bundle import Bundle
from ...schemas.findings import Finding
from .folder import copy_bundle, identifier, judged_only, title_line

_UTILS = '''"""What the task files beside this one call: exam2bench.corpora.exchange.lm_eval_scoring does the work."""

from pathlib import Path

from exam2bench.corpora.exchange import lm_eval_scoring

EXAM = lm_eval_scoring.ExamTask(Path(__file__).parent / "bundle")
in_words = EXAM.in_words
with_pictures = EXAM.with_pictures
process_results = EXAM.process_results
percentage = lm_eval_scoring.percentage
'''

_TASK = """# {title}
task: {task}
custom_dataset: !function utils.{dataset}
test_split: test
output_type: generate_until
doc_to_text: "{{{{prompt}}}}"
doc_to_target: "{{{{target}}}}"
{images}process_results: !function utils.process_results
generation_kwargs:
  until: []
  do_sample: false
  max_gen_toks: 4096
metric_list:
  - metric: points_percentage
    aggregation: !function utils.percentage
    higher_is_better: true
  - metric: ungraded_percentage
    aggregation: !function utils.percentage
    higher_is_better: false
metadata:
  version: {version}
  bundle_digest: {digest}
"""


def export(bundle: Bundle, folder: Path) -> list[Finding]:
    """`exam.yaml`, `exam_pictures.yaml` where there are pictures, `utils.py` and the bundle that they read."""
    copy_bundle(bundle, folder / "bundle")
    (folder / "utils.py").write_text(_UTILS, encoding="utf-8")
    shown = [needs_image(asked) for asked in locate(bundle.exam).values()]
    if not all(shown):
        _write_task(bundle, folder / "exam.yaml", pictures=False)
    if any(shown):
        _write_task(bundle, folder / "exam_pictures.yaml", pictures=True)
    return judged_only(bundle, "lm-eval counts them as ungraded")


def _write_task(bundle: Bundle, file: Path, *, pictures: bool) -> None:
    text = _TASK.format(
        title=title_line(bundle),
        task=f"exam2bench_{identifier(bundle)}{'_pictures' if pictures else ''}",
        dataset="with_pictures" if pictures else "in_words",
        images="doc_to_image: images\n" if pictures else "",
        version=bundle.grading.revision,
        digest=bundle.digest(),
    )
    file.write_text(text, encoding="utf-8")
