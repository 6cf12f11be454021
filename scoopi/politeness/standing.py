"""Standing: what is known of a host's answers."""

from __future__ import annotations

from enum import IntEnum


class Standing(IntEnum):
    """What is known of a host's answers; the larger, the fewer requests may be in flight to such hosts."""

    ANSWERS = 0
    UNKNOWN = 1
    """No request has ended yet, or only the last one got no answer."""
    SILENT = 2
    """The last two requests got no answer, or the very first one did not; an answer ends this."""
