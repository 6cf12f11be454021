"""Budget: the limits of a run, a group or a host."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Self

import msgspec

BUDGET_KEYS: Mapping[str, str] = MappingProxyType(
    {"pages": "pages", "time": "seconds", "bytes": "bytes", "depth": "depth"}
)
"""Key of `budget` in definitions, which also ends the name of a setting -> field."""


class Budget(msgspec.Struct, frozen=True, omit_defaults=True):
    """The limits of a run, a group or a host; 0 for no limit.

    Attributes:
        pages: the most pages to load.
        seconds: the time after which no further page is begun.
        bytes: the number of received bytes after which no further page is begun.
        depth: the most links from a locator to a page.
    """

    pages: int = 0
    seconds: int = 0
    bytes: int = 0
    depth: int = 0

    @classmethod
    def of(cls, numbers: Mapping[str, int]) -> Self:
        """Return the budget with the given limits, by their keys in definitions.

        >>> Budget.of({"pages": 100, "time": 60})
        Budget(pages=100, seconds=60, bytes=0, depth=0)
        """
        return cls(**{BUDGET_KEYS[key]: number for key, number in numbers.items()})

    @property
    def is_set(self) -> bool:
        """Whether anything is limited."""
        return self != NO_BUDGET


NO_BUDGET = Budget()
