"""What all contract models share: field order as declared, unknown fields ignored, finite numbers only.

Fields that this project adds to the interchange format (`+` in the contract) carry `exclude_if=absent`:
they are written only where they say something, so a plain bundle is the common part and nothing else.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

SCHEMA_VERSION = "1"

Points = Annotated[float, Field(allow_inf_nan=False)]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
NonPositive = Annotated[float, Field(le=0, allow_inf_nan=False)]
Ratio = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


def absent(value: object) -> bool:
    """Whether an added field says nothing: null, or an empty list or object."""
    return value is None or value == [] or value == {}


class Contract(BaseModel):
    """A record of a contract file. Readers ignore unknown fields, so other versions' files load."""

    # "constants": a number that JSON cannot hold is refused by the writer, not turned into null
    model_config = ConfigDict(extra="ignore", allow_inf_nan=False, ser_json_inf_nan="constants")
