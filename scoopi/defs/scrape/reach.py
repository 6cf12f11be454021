"""Reach: which groups and data definitions the locators of a run lead to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from scoopi.defs.scrape.class_names import CSS_PARSER, LINK_MAKER, XPATH_PARSER
from scoopi.defs.scrape.data_def_builder import WrittenDataDef
from scoopi.defs.scrape.defs_groups import WrittenTask, WrittenTaskGroup
from scoopi.defs.scrape.step_def_builder import SetStep
from scoopi.defs.scrape.step_sets import Steps

Chains = Mapping[str, list[SetStep] | None]
"""Key of a task -> its chain of steps; None when it has none (a finding elsewhere)."""


Sets = Mapping[str, Steps | None]
"""Key of a task -> all steps of its set, likewise."""


class DataDefUse(msgspec.Struct):
    """How the reached tasks use a data definition.

    Attributes:
        parsers: the classes of their parser steps.
        makes_links: whether one of them makes links; None if unknown.
    """

    parsers: set[str] = set()
    makes_links: bool | None = False


class Reach:
    """Follows locators to task groups, tasks to data definitions, and their links to further groups.

    Attributes:
        groups: names of the task groups reached.
        uses: data definitions reached, by name, and how they are used.
    """

    def __init__(
        self,
        groups: Mapping[str, WrittenTaskGroup],
        sets: Sets,
        chains: Chains,
        data_defs: Mapping[str, WrittenDataDef],
    ) -> None:
        self._all = groups
        self._sets = sets
        self._chains = chains
        self._data_defs = data_defs
        self.groups: set[str] = set()
        self.uses: dict[str, DataDefUse] = {}

    def follow(self, starts: Iterable[str]) -> None:
        """Mark what these groups lead to."""
        waiting = [name for name in starts if name in self._all]
        while waiting:
            name = waiting.pop()
            if name in self.groups:
                continue
            self.groups.add(name)
            for task in self._all[name].tasks:
                waiting += [group for group in self._use(task) if group in self._all]

    def _use(self, task: WrittenTask) -> list[str]:
        """Note how the task uses its data definition; the groups that it links to."""
        use = self.uses.setdefault(task.data_def, DataDefUse())
        chain = self._chains[task.key]
        # Where the chain is wrong, its selectors are checked by the parsers of the set.
        steps = chain if chain is not None else list((self._sets[task.key] or {}).values())
        classes = {each.step.class_name for each in steps}
        use.parsers |= classes & {CSS_PARSER, XPATH_PARSER}
        written = self._data_defs.get(task.data_def)
        if use.makes_links is not True:
            use.makes_links = LINK_MAKER in classes or (None if chain is None else use.makes_links)
        may_link = chain is None or LINK_MAKER in classes
        return written.link_groups if written is not None and may_link else []
