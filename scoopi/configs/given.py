"""Given: a value as somebody gave it, not yet checked."""

from __future__ import annotations

from typing import NamedTuple


class Given(NamedTuple):
    """A key and its text.

    Attributes:
        origin: who gave it, as `scoopi config` tells: `conf/scoopi.yml:3`, `-D`, `environment SCOOPI_X`.
        at: where, as an error tells it.
    """

    key: str
    text: str
    origin: str
    at: str
