"""stored_bytes: the records of the scheduler that hold bytes: parts of bundles, and the ends of logs."""

from __future__ import annotations

from datetime import datetime

import msgspec


class BundlePart(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a deployed project, packed: one of `parts`, with at most 1 MiB of `data`."""

    parts: int
    data: bytes
    deployed: datetime


class KeptLog(msgspec.Struct, frozen=True, kw_only=True):
    """The last 64 KiB that a claim has printed, for other machines; `before` bytes precede them."""

    fence: int
    before: int
    data: bytes
