"""What all contract models share: field order as declared, unknown fields ignored, finite numbers only."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

SCHEMA_VERSION = "1"

Points = Annotated[float, Field(allow_inf_nan=False)]
NonNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
NonPositive = Annotated[float, Field(le=0, allow_inf_nan=False)]
Ratio = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Contract(BaseModel):
    """A record of a contract file. Readers ignore unknown fields, so other versions' files load."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False, validate_assignment=False)
