"""Names in a dataset repository: of the repository, of its bundles, of a revision."""

from __future__ import annotations

import re
import unicodedata

from ...schemas.errors import UsageError
from ...schemas.printable import printable

SPLIT = "test"
TABLE = "test-00000-of-00001.parquet"
ASSETS_ZIP = "assets.zip"
RESERVED = frozenset({"data", "default", "head", "bundle", "results"})
"""Names that the Hub's viewer or the card uses for itself; `results-…` is for published results."""
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?")
_PART = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,95})")


def check_name(name: str) -> str:
    """The name of a bundle, which is its folder and the viewer's subset. Raises UsageError for any that cannot be."""
    if not _NAME.fullmatch(name) or ".." in name:
        rule = "letters and digits, . _ - between them, at most 96"
        raise UsageError(f"{printable(repr(name), 120)} cannot be a bundle's name in a dataset: {rule}")
    if name.lower() in RESERVED or name.lower().startswith("results-"):
        raise UsageError(f"the name {name} is taken by the Hub or for results: choose another --name")
    return name


def is_name(name: str) -> bool:
    """Whether a folder of a repository can be a bundle of that name."""
    try:
        check_name(name)
    except UsageError:
        return False
    return True


def name_from(text: str) -> str:
    """A name for a bundle that was given none, from its folder. Raises UsageError where nothing of it can stay."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    slug = re.sub(r"-{2,}", "-", re.sub(r"\.{2,}", ".", re.sub(r"[^A-Za-z0-9._-]+", "-", plain))).strip("._-")
    return check_name(slug[:96].strip("._-") or text)


def check_repo(repo: str) -> str:
    """`user/name`. Raises UsageError."""
    parts = repo.split("/")
    bad = len(parts) != 2 or not all(_PART.fullmatch(part) for part in parts)
    if bad or any(".." in part or "--" in part or part.endswith((".", "-", ".git")) for part in parts):
        raise UsageError(f"{printable(repr(repo), 120)} is not a dataset repository: give USER/NAME")
    return repo


def split_revision(argument: str) -> tuple[str, str | None]:
    """`USER/NAME@REVISION` as repository and revision (a commit, tag or branch). Raises UsageError."""
    repo, _, revision = argument.partition("@")
    check_repo(repo)
    if "@" in argument and (not re.fullmatch(r"[A-Za-z0-9][\w./-]{0,199}", revision) or ".." in revision):
        raise UsageError(f"{printable(repr(revision), 120)} is not a revision: give a commit, a tag or a branch")
    return repo, revision or None


def revision_tag(name: str, revision: int) -> str:
    """The tag of a bundle's revision in a repository that holds many bundles: `harbour-r2`."""
    return f"{name}-r{revision}"
