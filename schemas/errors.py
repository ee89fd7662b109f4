"""Every error of the project, one tree.

Exam2BenchError              exit code
├── UsageError               2   the call is wrong: a flag, a path, a name
├── SourceError              2   a source cannot be read: not a PDF, truncated, encrypted, empty
│   └── PasswordError        2   the source needs a (another) password
├── BundleError              1   a bundle, sheet or report breaks its contract
│   └── VersionError         1   its schema_version is one that this program does not know
├── ProviderError            3   a model provider cannot be used at all
├── HubError                 3   the Hub cannot be used: no network, no such repository, no permission
└── BudgetError              4   the next call would break --max-cost

A message is one sentence: what, where, the value, the next step. `cli.main` prints it without a
traceback and exits with the code.
"""

from __future__ import annotations


class Exam2BenchError(Exception):
    exit_code = 1


class UsageError(Exam2BenchError):
    exit_code = 2


class SourceError(Exam2BenchError):
    exit_code = 2


class PasswordError(SourceError):
    pass


class BundleError(Exam2BenchError):
    """`code` is the finding code under which `validate` reports the same fault."""

    exit_code = 1

    def __init__(self, message: str, code: str = "bundle.broken") -> None:
        super().__init__(message)
        self.code = code


class VersionError(BundleError):
    pass


class ProviderError(Exam2BenchError):
    exit_code = 3


class HubError(Exam2BenchError):
    exit_code = 3


class BudgetError(Exam2BenchError):
    exit_code = 4
