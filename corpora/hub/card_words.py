"""What the card says in words: its head, and the facts of a bundle."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ...schemas.findings import Finding
from ...schemas.printable import printable
from .subject import Subject

_HEAD = """# {title}

{count} in {bundles}, made from printed exams by exam2bench: the paper as data, the key and the mark scheme
as rules and rubrics, every figure. One subset of this dataset is one exam; one row is one question, with
its figures, without its answer.

## How to use it

```
exam2bench fetch {repo} --name {name} -o {name}
exam2bench solve {name} --model openai:gpt-5.6-luna -o answers.json
exam2bench grade {name} answers.json -o report.json
```

`fetch {repo}@COMMIT` pins the exact paper and key; sheets and reports carry the pin. The questions alone:

```python
from datasets import load_dataset

questions = load_dataset("{repo}", "{name}", split="test")
```

## Answer keys

Each bundle lies with its key and rubrics in `NAME/bundle/`: they are needed for grading, and whoever trains on them
has learned the answers. Keep this dataset out of training sets; the canary in every file and row tells when it was
not (`exam2bench canary check FILE`).
{seal}
**A fault in a key?** Open a discussion in this dataset's Community tab with the bundle's name, its revision, the
question's id and what the paper or the board says. A corrected key is a new revision with its changelog and a tag of
its own; old scores stay pinned to the old one.

**Rights.** The text and figures of an exam belong to whoever set it, unless its section says otherwise; a licence
above is what the publisher of this dataset grants or was granted.

## Citation

```bibtex
@misc{{{key},
  title = {{{title}}},
  howpublished = {{Hugging Face dataset {repo}}},
  note = {{state the commit that you used}}
}}
```"""
_SEAL = """
Where a section gives a passphrase, the key is sealed: encrypted, so that crawlers meet no answers, and opened by
`exam2bench grade` in memory. Please do not publish unsealed copies.
"""


def head(repo: str, title: str, names: Sequence[str], count: int, *, sealed: bool) -> str:
    """The card's head. `names`: the bundles' names; `count`: questions in all of them."""
    return _HEAD.format(
        title=escaped(title),
        count=_many(count, "exam question"),
        bundles=_many(len(names), "bundle"),
        repo=repo,
        name=names[0] if names else "NAME",
        seal=_SEAL if sealed else "",
        key=re.sub(r"[^A-Za-z0-9]+", "_", repo).strip("_").lower(),
    )


def _many(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def escaped(text: str, limit: int = 200) -> str:
    """Text of a bundle in Markdown: on one line, no markup, no cell border, no comment that could pass for ours."""
    plain = printable(text, limit)
    return re.sub(r"([\\`*_\[\]|<>&#])", lambda found: f"&#{ord(found.group())};", plain)


def facts(one: Subject, passphrase: str | None, licence: str | None) -> dict[str, str]:
    exam, grading, manifest = one.bundle.exam, one.bundle.grading, one.bundle.manifest
    leaves = list(exam.leaves())
    types = Counter(leaf.type.replace("_", " ") for leaf in leaves)
    judged = [leaf for leaf in leaves if leaf.id in grading.questions and _is_judged(grading.questions[leaf.id].rule)]
    judged_points = sum(leaf.points for leaf in judged)
    fixed = f"{len(leaves) - len(judged)} by rule ({exam.total_points - judged_points:g} points)"
    rights = manifest.rights
    return {
        "questions": f"{len(leaves)}, {exam.total_points:g} points: " + _counted(types),
        "graded": f"{fixed}, {len(judged)} by a judge ({judged_points:g} points)",
        "language": escaped(exam.language) + (f", subject {escaped(exam.subject)}" if exam.subject else ""),
        "publisher of the exam": escaped((rights and rights.publisher) or exam.metadata.get("publisher", "")),
        "sources": ", ".join(_source(source) for source in manifest.sources) or "not stated",
        "made by": escaped(", ".join(filter(None, [manifest.tool_version, manifest.engine, manifest.ingest_model]))),
        "findings": _findings([*one.findings, *manifest.findings], manifest.warnings),
        "rights": _rights(rights, licence),
        "revision": f"{grading.revision}, digest `{one.digest}`",
        "canary": f"`{one.canary}`",
        "passphrase": f"`{passphrase}`" if passphrase else "",
    }


def _is_judged(rule: Any) -> bool:
    return rule.kind in ("judge", "parts")


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(
        f"{number} {name}" for name, number in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )


def _source(source: Any) -> str:
    pages = _many(source.pages, "page") if source.pages else ""
    about = ", ".join(filter(None, [source.role, pages]))
    return escaped(source.path, 80) + (f" ({about})" if about else "")


def _findings(found: Sequence[Finding], warnings: Sequence[str]) -> str:
    """How many findings of which code; never their sentences, which may quote the key."""
    told = Counter(one.code for one in found if one.severity != "info")
    parts = [f"{code} {number}" for code, number in told.most_common(8)]
    if len(told) > 8:
        parts.append(f"{len(told) - 8} other kinds")
    if not told and warnings:
        parts.append(f"{_many(len(warnings), 'warning')} of the tool that made it")
    return escaped(", ".join(parts)) or "none"


def _rights(rights: Any, licence: str | None) -> str:
    stated = [rights.licence, rights.permission] if rights else []
    parts = [*filter(None, stated), f"published here as {licence}" if licence else ""]
    return escaped("; ".join(filter(None, parts))) or "not known: ask the publisher of the exam before you pass it on"
