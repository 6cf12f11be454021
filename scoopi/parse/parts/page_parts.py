"""PageParts: the part of a page that the tasks of each group read."""

from __future__ import annotations

from scoopi.defs.scrape.class_names import CSS_PARSER, RECORD_PARSER
from scoopi.model.scrape.definitions import Definitions
from scoopi.model.scrape.task_def import TaskDef
from scoopi.parse.parts.page_part import PagePart, joined


class PageParts:
    """The part of a page that the tasks of each group read. Not thread-safe.

    Args:
        is_plain: parse whole pages, as with the setting `scoopi.parser.plain`.
    """

    def __init__(self, definitions: Definitions, *, is_plain: bool) -> None:
        self._definitions = definitions
        self._is_plain = is_plain
        self._known: dict[str, PagePart | None] = {}

    def of_group(self, group: str) -> PagePart | None:
        """The union of what the tasks of a group read; None for the whole page.

        Also None for a page without a group, such as that of a login.
        """
        if group not in self._known:
            known = None if self._is_plain else self._definitions.task_groups.get(group)
            self._known[group] = None if known is None else joined(map(self._of_task, known.tasks))
        return self._known[group]

    def _of_task(self, task: TaskDef) -> PagePart | None:
        parser = task.steps[2].class_name  # after seeder and loader
        if parser not in (CSS_PARSER, RECORD_PARSER):
            return None
        from scoopi.parse.parts.definition_parts import (  # late: needed with the first page
            grid_part,
            record_part,
        )

        if parser == CSS_PARSER:
            return grid_part(self._definitions.data_defs[task.data_def])
        return record_part(self._definitions.record_defs[task.data_def])
