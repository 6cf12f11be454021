"""ArchiveRules: which pages and data of a run the archive keeps, and which it gives back."""

from __future__ import annotations

from datetime import datetime

from scoopi.archive.archive import Archive
from scoopi.configs.groups import ArchiveSettings
from scoopi.model.date_pattern import DatePattern
from scoopi.model.definitions import Definitions, TaskDef
from scoopi.model.job import JobPayload
from scoopi.model.live import Live, parse_live


class ArchiveRules:
    """`scoopi.datastore.enable`: with `auto` the archive serves the groups that say `live`.

    Source: design, "Settings"; language, B 4.6.
    """

    def __init__(
        self, settings: ArchiveSettings, definitions: Definitions, run_date: datetime, date_pattern: str
    ) -> None:
        pattern = DatePattern(date_pattern)
        self._settings = settings
        self._run_date = run_date
        self._lives: dict[str, Live] = {
            name: parse_live(group.live, pattern)
            for name, group in definitions.task_groups.items()
            if settings.enable == "true" or (settings.enable == "auto" and group.live)
        }
        self.archive = Archive(settings.folder) if self._lives else None

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
