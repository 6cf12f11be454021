"""Grant: leave for one request to a host, now."""

from __future__ import annotations

import msgspec


class Grant(msgspec.Struct, frozen=True, array_like=True):
    """The request must be sent before `not_after`, or be handed back unsent.

    Attributes:
        host: `host:port` in lower case.
        not_after: seconds on this machine's monotonic clock.
    """

    host: str
    not_after: float
