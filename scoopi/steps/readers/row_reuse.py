"""RowReuse: lets parsers reuse rows of the archive, under keys of all that determines their content."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from scoopi.archive.archive_rules import ArchiveRules
from scoopi.model.data_def import DataDef
from scoopi.model.locator import Document
from scoopi.model.scrape.definitions import Definitions
from scoopi.model.scrape.task_def import TaskDef
from scoopi.steps.data_parser import DataReuse
from scoopi.version import __version__

if TYPE_CHECKING:
    from scoopi.model.records.record_def import RecordDef
    from scoopi.steps.record_steps import RecordReuse

_RUN_DATE = "scoopi.runDateTimeText"
"""Not part of the key: rows that a script made from a kept page can be reused on another date."""


class RowReuse:
    """Lets parsers reuse the rows that the archive has of a page, under keys of all that determines them.

    Args:
        grid: settings that determine the rows of grids.
        seen_by_scripts: settings that scripts can read.
    """

    def __init__(
        self, rules: ArchiveRules, definitions: Definitions, grid: object, seen_by_scripts: Mapping[str, str]
    ) -> None:
        self._rules = rules
        self._definitions = definitions
        self._grid = grid
        self._seen_by_scripts = seen_by_scripts

    def of_grid(self, task: TaskDef, data_def: DataDef, way: tuple[str, bool]) -> DataReuse | None:
        """For the rows of a grid; None if they are not archived.

        Args:
            way: how the definition is read: (class of the parser, whether links are made).
        """
        archive = self._rules.archive
        if archive is None or not self._rules.saves_data(task):
            return None
        from scoopi.archive.archive import data_key

        digest = self._digest(data_def.digest, way, self._grid, self._seen(_has_scripts(data_def)))
        return DataReuse(
            archive, lambda document: data_key(document.locator, task.name, task.data_def, digest)
        )

    def of_records(self, task: TaskDef, record_def: RecordDef) -> RecordReuse | None:
        """For records; None if they are not archived.

        Their links depend on the groups that they lead to; their values, on the record that led to the page.
        """
        archive = self._rules.archive
        if archive is None or not self._rules.saves_data(task):
            return None
        from scoopi.archive.archive import data_key
        from scoopi.steps.record_steps import RecordReuse

        groups = self._definitions.task_groups
        led_to = [groups[field.follow] for field in record_def.fields if field.follow in groups]
        ways = [(group.name, group.uses_locator, group.parents) for group in led_to]
        digest = self._digest(record_def.digest, ways, self._seen(record_def.has_scripts))

        def key(document: Document, parent: Mapping[str, Any]) -> str:
            shape = repr((digest, str(document.from_date.tzinfo), sorted(parent.items())))
            return data_key(document.locator, task.name, task.data_def, shape)

        return RecordReuse(archive, key)

    def _seen(self, has_scripts: bool) -> list[tuple[str, str]]:
        seen = self._seen_by_scripts if has_scripts else {}
        return sorted((key, seen[key]) for key in seen.keys() - {_RUN_DATE})

    def _digest(self, *shape: object) -> str:
        return blake2b(repr((__version__, *shape)).encode(), digest_size=16).hexdigest()


def _has_scripts(data_def: DataDef) -> bool:
    return any(item.script is not None for item in (*data_def.items, *data_def.dims, *data_def.facts))
