"""stored_bytes: the scheduler's records that hold bytes: parts of bundles, and ends of logs."""

from __future__ import annotations

from datetime import datetime

import msgspec


class BundlePart(msgspec.Struct, frozen=True, kw_only=True):
    """One of the `parts` of a packed and deployed project, with at most 1 MiB of `data`."""

    parts: int
    data: bytes
    deployed: datetime


class KeptLog(msgspec.Struct, frozen=True, kw_only=True):
    """The last 64 KiB of a claim's log, for other machines; `before` bytes precede them."""

    fence: int
    before: int
    data: bytes
