"""One dataset repository on the Hub: what lies there, and each way in which asking can fail as a sentence of its own.

The token comes from the environment (`HF_TOKEN`) and is neither kept nor printed; the endpoint too (`HF_ENDPOINT`).
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ...schemas.errors import Exam2BenchError, HubError, UsageError
from ...schemas.printable import printable

ENDPOINT = "https://huggingface.co"
DATASET = "dataset"
TRIES = 5
LONGEST_WAIT = 60.0
"""Seconds that one refusal for haste (429) or a fault of the server is waited for."""
_AGAIN = frozenset({408, 429, 500, 502, 503, 504})
Reply = TypeVar("Reply")


class StaleParent(HubError):
    """Somebody else committed in between."""


@dataclass(frozen=True)
class RemoteFile:
    """A file of the repository; `sha256` where it is a large file, else `blob_id`, git's hash of it."""

    path: str
    size: int
    sha256: str | None
    blob_id: str

    def is_same(self, path: Path) -> bool:
        """Whether the local file has this content."""
        if path.stat().st_size != self.size:
            return False
        if self.sha256:
            with path.open("rb") as stream:
                return hashlib.file_digest(stream, "sha256").hexdigest() == self.sha256
        data = path.read_bytes()
        return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest() == self.blob_id


class Remote:
    """`repo` (USER/NAME) at the Hub. `moved_to` is set once the Hub has said that it has another name now."""

    def __init__(self, repo: str) -> None:
        try:
            from huggingface_hub import HfApi
            from huggingface_hub.utils import disable_progress_bars
        except ImportError as fault:
            raise UsageError("the Hub needs its own packages: pip install 'exam2bench[hub]'") from fault
        if not sys.stderr.isatty():
            disable_progress_bars()
        endpoint = os.environ.get("HF_ENDPOINT") or ENDPOINT
        # False: send none. A token that `hf auth login` left on the disk is not ours to use
        self.api = HfApi(endpoint=endpoint.rstrip("/"), token=os.environ.get("HF_TOKEN") or False)
        self.repo = repo
        self.moved_to: str | None = None

    def head(self, revision: str | None = None) -> str:
        """The commit that a revision (default: the main branch) stands for."""
        info = self._ask(lambda: self.api.repo_info(self.repo, repo_type=DATASET, revision=revision))
        if not info.sha or not re.fullmatch(r"[0-9a-f]{40}", info.sha):
            raise HubError(f"the Hub gives no commit for {self.repo}")
        if info.id != self.repo:
            self.moved_to = printable(info.id, 200)
        return info.sha

    def exists(self) -> bool:
        return bool(self._ask(lambda: self.api.repo_exists(self.repo, repo_type=DATASET)))

    def create(self, *, private: bool) -> None:
        """Create the repository where there is none; one that is there stays as it is."""
        self._ask(lambda: self.api.create_repo(self.repo, repo_type=DATASET, private=private, exist_ok=True))

    def listing(self, commit: str, folder: str | None, limit: int) -> tuple[list[RemoteFile], list[str]]:
        """The files below a folder, however deep, and nothing else; without a folder, the top level: its files and the
        names of its folders. Raises HubError where there are more than `limit` of them."""
        return self._ask(lambda: self._listing(commit, folder, limit))

    def _listing(self, commit: str, folder: str | None, limit: int) -> tuple[list[RemoteFile], list[str]]:
        from huggingface_hub.errors import EntryNotFoundError
        from huggingface_hub.hf_api import RepoFile

        files: list[RemoteFile] = []
        folders: list[str] = []
        entries = self.api.list_repo_tree(
            self.repo, folder, recursive=folder is not None, revision=commit, repo_type=DATASET
        )
        try:
            for entry in entries:
                if isinstance(entry, RepoFile):
                    lfs = entry.lfs
                    files.append(RemoteFile(entry.path, entry.size, lfs.sha256 if lfs else None, entry.blob_id))
                else:
                    folders.append(entry.path)
                if len(files) + len(folders) > limit:
                    where = printable(folder or self.repo, 200)
                    raise HubError(f"{where} holds more than {limit:,} entries: no bundle has so many")
        except EntryNotFoundError:
            return [], []
        return files, folders

    def present(self, commit: str, paths: Sequence[str]) -> set[str]:
        """Those of the paths that are there."""
        there: set[str] = set()
        for first in range(0, len(paths), 500):
            asked = list(paths[first : first + 500])
            found = self._ask(
                lambda asked=asked: self.api.get_paths_info(self.repo, asked, revision=commit, repo_type=DATASET)
            )
            there |= {entry.path for entry in found}
        return there

    def read(self, commit: str, path: str, limit: int, folder: Path) -> str | None:
        """A small text file, fetched into `folder`; None where there is none. Raises HubError where it is larger than
        `limit` bytes or no text."""
        from huggingface_hub.hf_api import RepoFile

        found = self._ask(lambda: self.api.get_paths_info(self.repo, [path], revision=commit, repo_type=DATASET))
        files = [entry for entry in found if isinstance(entry, RepoFile) and entry.path == path]
        if not files:
            return None
        if files[0].size > limit:
            raise HubError(f"{printable(path)} in {self.repo} has {files[0].size:,} bytes; at most {limit:,} are read")
        local = self.fetch(commit, path, folder)
        try:
            return local.read_bytes().decode("utf-8")
        except UnicodeDecodeError as fault:
            raise HubError(f"{printable(path)} in {self.repo} is no text") from fault

    def fetch(self, commit: str, path: str, folder: Path) -> Path:
        """Download one file below `folder`, going on where an earlier attempt broke off."""
        return Path(
            self._ask(
                lambda: self.api.hf_hub_download(
                    self.repo, path, repo_type=DATASET, revision=commit, local_dir=folder, tqdm_class=None
                )
            )
        )

    def tags(self) -> dict[str, str]:
        """Each tag with its commit."""
        refs = self._ask(lambda: self.api.list_repo_refs(self.repo, repo_type=DATASET))
        return {tag.name: tag.target_commit for tag in refs.tags}

    def tag(self, name: str, commit: str, *, move: bool) -> None:
        if move and name in self.tags():
            self._ask(lambda: self.api.delete_tag(self.repo, tag=name, repo_type=DATASET))
        self._ask(lambda: self.api.create_tag(self.repo, tag=name, revision=commit, repo_type=DATASET, exist_ok=True))

    def commit(self, files: Mapping[str, Path], deleted: Sequence[str], message: str, parent: str) -> str:
        """One commit on top of `parent`, with local files by their path in the repository; its id. Large files that
        an earlier attempt has uploaded are not sent again. Raises StaleParent where the branch has moved on."""
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        def send() -> Any:
            operations: list[Any] = [CommitOperationDelete(path) for path in deleted]
            operations += [CommitOperationAdd(path, file) for path, file in files.items()]
            return self.api.create_commit(
                self.repo, operations, commit_message=message, repo_type=DATASET, parent_commit=parent
            )

        return self._ask(send).oid

    def _ask(self, call: Callable[[], Reply]) -> Reply:
        """Run one request; where the Hub asks for patience, again after it. Raises HubError with a sentence."""
        for attempt in range(TRIES):
            try:
                with self._sentences():
                    return call()
            except _Patience as fault:
                if attempt == TRIES - 1:
                    raise HubError(f"{fault}; it was asked {TRIES} times: try again later") from fault
                time.sleep(min(fault.seconds or 2.0**attempt, LONGEST_WAIT))
        raise AssertionError("unreachable")

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        import httpx2
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

        try:
            yield
        except (Exam2BenchError, _Patience):
            raise
        except LocalEntryNotFoundError as fault:
            raise self._from_cause(fault) from fault
        except HfHubHTTPError as fault:
            raise self._refusal(fault) from fault
        except (httpx2.TransportError, ConnectionError, TimeoutError) as fault:
            raise self._unreachable(fault) from fault
        except (RuntimeError, ValueError, OSError) as fault:
            raise self._from_cause(fault) from fault

    def _from_cause(self, fault: BaseException) -> Exception:
        """huggingface_hub wraps: the refusal, or the broken line, is further down."""
        import httpx2
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

        cause: BaseException | None = fault
        while cause is not None:
            if isinstance(cause, HfHubHTTPError) and not isinstance(cause, LocalEntryNotFoundError):
                return self._refusal(cause)
            if isinstance(cause, (httpx2.TransportError, ConnectionError)):
                return self._unreachable(cause)
            cause = cause.__cause__ or cause.__context__
        return HubError(f"{self.repo}: {_short(fault)}")

    def _unreachable(self, fault: BaseException) -> HubError:
        place, reason = printable(self.api.endpoint, 120), f"{type(fault).__name__}: {_short(fault)}"
        return HubError(
            f"the Hub at {place} cannot be reached ({reason}): is there a network, and is HF_ENDPOINT right?"
        )

    def _refusal(self, fault: Any) -> Exception:
        from huggingface_hub import errors

        repo, token = self.repo, bool(os.environ.get("HF_TOKEN"))
        status = fault.response.status_code
        hint = "the token in HF_TOKEN may not see it" if token else "if it is private, put a token into HF_TOKEN"
        if status == 401 and token and "invalid" in _short(fault).lower():
            return HubError("the Hub does not take the token in HF_TOKEN: it is wrong or has expired")
        if isinstance(fault, errors.GatedRepoError):
            return HubError(
                f"{repo} is gated: ask for access on its page at the Hub, then put that account's token into HF_TOKEN"
            )
        if isinstance(fault, errors.DisabledRepoError):
            return HubError(f"{repo} has been disabled by the Hub")
        if isinstance(fault, errors.RepositoryNotFoundError):
            return HubError(f"there is no dataset {repo} that you can see: it is missing, misspelt or private ({hint})")
        if isinstance(fault, errors.RevisionNotFoundError):
            return HubError(f"{repo} has no such revision: give a commit, tag or branch that it has")
        if isinstance(fault, errors.EntryNotFoundError):
            return HubError(f"{repo} has no such file: {_short(fault)}")
        if status in (409, 412):
            return StaleParent(f"{repo} was changed at the same moment: try again")
        if status == 413:
            return HubError(f"{repo}: a file is larger than the Hub takes: {_short(fault)}")
        if status in (401, 403):
            return HubError(f"the Hub does not let you do that with {repo}: {_short(fault)} ({hint})")
        if status in _AGAIN:
            return _Patience(f"the Hub asks for patience ({status}) with {repo}", _wait(fault.response))
        return HubError(f"{repo}: the Hub refuses: {_short(fault)}")


class _Patience(Exception):
    """The Hub is busy, or wants fewer requests. `seconds`: how long it asked to wait, None where it did not say."""

    def __init__(self, message: str, seconds: float | None) -> None:
        super().__init__(message)
        self.seconds = seconds


def _wait(response: Any) -> float | None:
    told = response.headers.get("Retry-After", "")
    return float(told) if re.fullmatch(r"\d{1,6}(\.\d+)?", told) else None


def _short(fault: BaseException) -> str:
    """What the server said, on one line, without addresses (they can carry signatures) and request ids."""
    told = getattr(fault, "server_message", None) or str(fault)
    plain = re.sub(r"\(Request ID:[^)]*\)|https?://\S+", "", told)
    return printable(" ".join(plain.split()), 240)
