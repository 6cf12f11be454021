"""ArchiveRules: which pages and data of a run the archive keeps, and which it gives back."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from scoopi.configs.groups import ArchiveSettings
from scoopi.model.job import JobPayload
from scoopi.model.scrape.definitions import Definitions
from scoopi.model.scrape.task_def import TaskDef

if TYPE_CHECKING:
    from scoopi.archive.archive import Archive
    from scoopi.model.live import Live


class ArchiveRules:
    """Decides which pages and data of a run the archive keeps, and which it gives back.

    With `scoopi.datastore.enable: auto` it serves the groups that have `live`.

    Source: docs/settings.md; defs/README.md, 4.6.
    """

    def __init__(
        self, settings: ArchiveSettings, definitions: Definitions, run_date: datetime, date_pattern: str
    ) -> None:
        self._settings = settings
        self._run_date = run_date
        self._lives: dict[str, Live] = {}
        self.archive: Archive | None = None
        served = {
            name: group.live
            for name, group in definitions.task_groups.items()
            if settings.enable == "true" or (settings.enable == "auto" and group.live)
        }
        if served:
            groups = definitions.task_groups.values()
            self._open(served, date_pattern, {group.name for group in groups if group.sees_fragments})

    def _open(self, served: dict[str, str], date_pattern: str, by_fragment: set[str]) -> None:
        from scoopi.archive.archive import Archive  # late: most runs keep nothing
        from scoopi.java.dates.date_pattern import DatePattern
        from scoopi.model.live import parse_live

        pattern = DatePattern(date_pattern)
        self._lives = {name: parse_live(live, pattern) for name, live in served.items()}
        self.archive = Archive(self._settings.folder, by_fragment)

    def saves_pages(self, group: str) -> bool:
        """Whether loaded pages of the group are saved."""
        return group in self._lives and self._settings.persist_locator

    def saves_data(self, task: TaskDef) -> bool:
        """Whether the parsed data of the task is saved."""
        return task.group in self._lives and self._settings.persist_data and task.persist_data

    def is_fresh(self, payload: JobPayload) -> bool:
        """Whether the archive has the page of a job, fresh enough for this run."""
        live = self._lives.get(payload.locator.group)
        if live is None or self.archive is None or not self._settings.persist_locator:
            return False
        return self.archive.fresh(payload.locator, live, self._run_date)
