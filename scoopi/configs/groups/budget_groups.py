"""Settings for the budget of a run: limits of its pages, time, bytes and depth."""

from __future__ import annotations

from typing import Annotated

from scoopi.configs.setting import SHARED, Group, SettingKey
from scoopi.model.limits.budget import Budget

_MOST_BYTES = 2**50


class BudgetSettings(Group, frozen=True):
    """The budget of the run; see `Budget`."""

    pages: Annotated[
        int,
        SettingKey(
            "scoopi.budget.pages",
            SHARED,
            "The most pages that a run loads; its other pages are skipped. 0: no limit.",
        ),
    ] = 0
    seconds: Annotated[
        int,
        SettingKey(
            "scoopi.budget.time",
            SHARED,
            "After this time since its start or resume a run begins no further page. 0: no limit.",
            unit="s",
        ),
    ] = 0
    bytes: Annotated[
        int,
        SettingKey(
            "scoopi.budget.bytes",
            SHARED,
            "A run that has received this many bytes of pages skips its other pages. 0: no limit.",
            unit="bytes",
            most=_MOST_BYTES,
        ),
    ] = 0

    depth: Annotated[
        int,
        SettingKey(
            "scoopi.budget.depth",
            SHARED,
            "A run skips pages that are more links away from their locator. 0: no limit.",
        ),
    ] = 0

    def budget(self) -> Budget:
        """Return the budget of the run."""
        return Budget(self.pages, self.seconds, self.bytes, self.depth)
