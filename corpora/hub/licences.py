"""Licences by the ids of the Hub, however people write them."""

from __future__ import annotations

import re

from ...schemas.errors import UsageError
from ...schemas.printable import printable

# SPDX id, in small letters: the Hub's id, where they differ in more than capitals
_OTHERWISE = {
    "cc0": "cc0-1.0",
    "odbl-1.0": "odbl",
    "odc-by-1.0": "odc-by",
    "pddl-1.0": "pddl",
    "gfdl-1.3": "gfdl",
}
_CREATIVE_COMMONS = re.compile(r"cc0(?:-1\.0)?|cc-by(?:-nc)?(?:-sa|-nd)?-\d\.\d")
_ID = re.compile(r"[a-z0-9][a-z0-9.+-]{0,63}")


def hub_licence(text: str) -> str:
    """The Hub's id: `CC-BY-4.0`, `CC BY 4.0`, `GPL-3.0-or-later` are `cc-by-4.0`, `cc-by-4.0`, `gpl-3.0`.

    Source: the Hub's list of licence ids, the SPDX licence list. Raises UsageError for words that are no id.
    """
    small = re.sub(r"-(?:only|or-later)$", "", text.strip().lower())
    joined = re.sub(r"[\s_]+", "-", small)
    if _CREATIVE_COMMONS.fullmatch(joined):
        small = joined
    if not _ID.fullmatch(small):
        told = printable(text, 80)
        raise UsageError(f"--license {told} is no licence id of the Hub: cc-by-4.0, cc0-1.0, mit, other, …")
    return _OTHERWISE.get(small, small)
