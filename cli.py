"""The command line: a table of commands, each imported only when it is called.

A command lives in its room as a module with two functions: `add_arguments(parser)` declares its flags
and `run(args) -> int` does the work and returns the exit code (0 done, 1 findings or failed checks).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from . import __version__
from .schemas.errors import Exam2BenchError

# name: (module below the package, one line for `exam2bench --help`)
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("corpora.demo", "ingest and grade the sample exam: no key, no network"),
    "ingest": ("corpora.ingest_command", "exam PDFs and images in, a bundle out"),
    "validate": ("schemas.validate_command", "check a bundle against the contract"),
    "show": ("schemas.show_command", "print a paper or one question readably"),
    "schema": ("schemas.schema_command", "print the JSON Schema of a contract file"),
    "grade": ("grade.command", "grade answer sheets against a bundle"),
    "amend": ("grade.amend_command", "correct a bundle's key: a new revision with its changelog"),
    "regrade": ("grade.regrade_command", "take reports along to an amended key"),
    "solve": ("solve.command", "a model sits the exam"),
    "answers": ("solve.answers_command", "answers of another harness as sheets: tables, logs, samples"),
    "merge": ("solve.merge_command", "answer sheets of shards as one"),
    "bench": ("corpora.bench.command", "every model on every bundle: scores, intervals, real differences"),
    "compare": ("corpora.bench.compare_command", "two reports or benches: is the difference real"),
    "agreement": ("grade.agreement_command", "how far judges agree: ICC, leniency, panels, anchors"),
    "calibrate": ("grade.calibrate_command", "is this judge good enough: anchors, attacks, people's marks"),
    "attack": ("grade.attack_command", "tricks around wrong answers: which judge falls for them"),
    "publish": ("corpora.hub.publish_command", "bundles as a dataset on the Hugging Face Hub"),
    "fetch": ("corpora.hub.fetch_command", "a bundle from the Hub, pinned to a commit"),
    "canary": ("corpora.hub.canary_command", "find canaries in files, or put one into a bundle"),
    "eval-results": ("corpora.hub.eval_results_command", "scores for a model's card on the Hub"),
    "export": ("corpora.exchange.export_command", "write a bundle for another tool"),
    "import": ("corpora.exchange.import_command", "a bundle of a table of questions"),
    "results": ("corpora.results.command", "keep, publish and fetch scores with what proves them"),
    "models": ("models.command", "list, check and pull models; a fake server to rehearse with"),
    "catalog": ("corpora.catalog.command", "known benchmarks by their own rules: cards, records, bundles"),
    "score": ("corpora.catalog.score_command", "score a run on a known benchmark, officially and soundly"),
    "cache": ("models.cache_command", "the call cache: stats, export, import, prune"),
}


def _parser() -> argparse.ArgumentParser:
    rows = "\n".join(f"  {name:<12}{line}" for name, (_, line) in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="exam2bench",
        usage="exam2bench [--version] COMMAND ...",
        description="Exam PDFs in, gradable benchmarks out.",
        epilog=f"commands:\n{rows}\n\n`exam2bench COMMAND --help` shows the flags and an example of each.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"exam2bench {__version__}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help=argparse.SUPPRESS)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. A user's mistake is one sentence on stderr, no traceback."""
    top = _parser().parse_args(argv)
    module_name, line = COMMANDS[top.command]
    module = import_module(f".{module_name}", __package__)
    parser = argparse.ArgumentParser(
        prog=f"exam2bench {top.command}",
        description=(module.__doc__ or line).strip(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    args = parser.parse_args(top.arguments)
    try:
        return module.run(args)
    except Exam2BenchError as error:
        print(f"exam2bench {top.command}: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        # the reader (head, less) has gone: nothing is left to say
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        # the disk or a permission, not the program: a full disk, a folder that cannot be written
        if error.filename is None and error.errno is None:
            raise
        where = f"{error.filename}: " if error.filename else ""
        print(f"exam2bench {top.command}: {where}{error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"exam2bench {top.command}: stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
