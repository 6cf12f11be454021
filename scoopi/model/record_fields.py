"""Types of the fields of records that come from a store, which anyone may have written to."""

from __future__ import annotations

import re
from typing import Annotated

import msgspec

RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""A run's name is a folder's name: it never leaves the output folder."""
RunText = Annotated[str, msgspec.Meta(pattern=rf"\A{RUN_NAME.pattern}\Z")]
MapsText = Annotated[str, msgspec.Meta(pattern=rf"\A{RUN_NAME.pattern}(~[0-9a-f]{{8}})?\Z")]
"""What the maps of a life of a run are named by."""
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""A number that can be added to, and encoded again."""
