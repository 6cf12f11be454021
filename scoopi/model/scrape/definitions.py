"""Definitions: what a run does, validated and normalized."""

from __future__ import annotations

import msgspec

from scoopi.model.data_def import DataDef
from scoopi.model.records.record_def import RecordDef
from scoopi.model.scrape.locator_def import LocatorGroup
from scoopi.model.scrape.task_def import TaskGroup
from scoopi.model.sites import SiteBlock


class Definitions(msgspec.Struct, frozen=True):
    """What a run does, validated and normalized: all that it reaches, by name, and a digest of the sources.

    `locator_groups` holds only groups that have a task group of their name; no name is in both
    `data_defs` (grids) and `record_defs`.

    Attributes:
        is_selection: whether some of the defined locator groups are left out.
        is_partial: whether the groups left out would lead to further pages of the task groups that are read.
    """

    locator_groups: dict[str, LocatorGroup]
    task_groups: dict[str, TaskGroup]
    data_defs: dict[str, DataDef]
    digest: str = ""
    sites: tuple[SiteBlock, ...] = ()
    record_defs: dict[str, RecordDef] = {}
    is_selection: bool = False
    is_partial: bool = False

    @property
    def has_downloads(self) -> bool:
        """Whether the run downloads files that its rows name."""
        grids, records = self.data_defs.values(), self.record_defs.values()
        return any(each.downloads for each in grids) or any(each.has_downloads for each in records)
