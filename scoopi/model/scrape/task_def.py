"""TaskDef: a data definition with its steps and outputs; TaskGroup: the tasks that run on each page."""

from __future__ import annotations

import msgspec

from scoopi.model.limits.budget import NO_BUDGET, Budget
from scoopi.model.place import NOWHERE, Place
from scoopi.model.scrape.browser_def import BrowserDef
from scoopi.model.scrape.plugin_def import PluginDef, StepDef


class OutputDef(msgspec.Struct, frozen=True):
    """One entry of a task's `output`.

    Attributes:
        to: the name of a file, a URL, or `-` for stdout, as written.
        stream: whether a database is loaded during the run although `expect` may still fail.
    """

    to: str
    stream: bool = False
    place: Place = NOWHERE


class TaskDef(msgspec.Struct, frozen=True):
    """One task: a data definition and its chain of steps.

    Attributes:
        steps: the chain in the order in which it runs, beginning with the seeder (the successor of `start`).
        persist_data: whether parsed data may be saved and reused (`persist: { data: … }`).
        outputs: where its records are written; empty for a grid, whose appender step names the files.
        links: `follow`, `next` or `crawl` if the task has links instead of a data definition, else empty.
    """

    group: str
    name: str
    data_def: str
    steps: tuple[StepDef, ...]
    persist_data: bool = True
    place: Place = NOWHERE
    outputs: tuple[OutputDef, ...] = ()
    links: str = ""

    @property
    def is_of_links(self) -> bool:
        """Whether the task has links, its own or those of a list, instead of a data definition."""
        return self.data_def == f"{self.group}.{self.name}"


class TaskGroup(msgspec.Struct, frozen=True):
    """The tasks that run on every page of the group, in the order of their definition; never empty.

    Attributes:
        live: `live` as written; empty if it is not given.
        parents: the fields of the record that led to a page that the group's definitions use.
        uses_locator: whether a row may depend on the locator from which its page was reached.
        browser: how its pages are loaded in a browser; None if they are not.
        changed: whether only those records are written that differ from the last finished run.
        is_auto: whether a browser loads only those pages that lack content when loaded by plain HTTP.
        budget: the limits of a run for the pages of this group.
    """

    name: str
    tasks: tuple[TaskDef, ...]
    live: str = ""
    place: Place = NOWHERE
    parents: tuple[str, ...] = ()
    uses_locator: bool = True
    browser: BrowserDef | None = None
    changed: bool = False
    is_auto: bool = False
    budget: Budget = NO_BUDGET

    @property
    def loader_plugins(self) -> tuple[PluginDef, ...]:
        """The plugins of the first task's loader, which load the pages in place of Scoopi's HTTP client."""
        if self.browser is not None:
            return ()
        return tuple(plugin for task in self.tasks[:1] for step in task.steps[1:2] for plugin in step.plugins)

    @property
    def sees_fragments(self) -> bool:
        """Whether the loader sees fragments: a browser or a plugin may return a page of its own for each."""
        return self.browser is not None or bool(self.loader_plugins)

    @property
    def has_page_each_fragment(self) -> bool:
        """Whether addresses that differ only in their fragment are different pages, as a browser loads them.

        With `loader: auto` they are one page, as with plain HTTP: there, most fragments are plain anchors.
        """
        return self.browser is not None and not self.is_auto
