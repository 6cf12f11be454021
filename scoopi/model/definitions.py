"""Definitions: what a run does, checked and normalized."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

import msgspec

from scoopi.model.data_def import DataDef
from scoopi.model.limits.budget import NO_BUDGET, Budget
from scoopi.model.locator import PageRequest, Pairs
from scoopi.model.place import NOWHERE, Place
from scoopi.model.records.record_def import RecordDef
from scoopi.model.sites import SiteBlock
from scoopi.model.text.locator_values import LocatorValues, NumberValues, all_values, count_of
from scoopi.model.text.text_template import TextTemplate, address_template, json_template


class PluginDef(msgspec.Struct, frozen=True):
    """A plugin as defined.

    Attributes:
        class_name: the short name of a built-in (dotted names of built-ins are shortened), or a
            user's name.
        fields: all other keys as written, scalars as their text, without `name`, `class`, `plugins`.
        plugins: nested plugins (the encoder of an appender).
    """

    name: str
    class_name: str
    fields: dict[str, Any] = {}
    plugins: tuple[PluginDef, ...] = ()
    place: Place = NOWHERE


class StepDef(msgspec.Struct, frozen=True):
    """A step as it stands in a task's expanded steps set; `class_name` as in PluginDef."""

    name: str
    class_name: str
    previous: str
    next: str
    plugins: tuple[PluginDef, ...] = ()
    place: Place = NOWHERE


MOST_SINGLE = 10_000
"""Pages of a group's locators with placeholders that are known where a page is looked up by its address."""


class LocatorDef(msgspec.Struct, frozen=True):
    """One entry of a group's `locators`; `request` is None for a plain GET.

    Attributes:
        values: what the placeholders in it stand for; empty for a single page.
        given: of a page that was made from such an entry: their values there.
    """

    name: str
    url: str
    place: Place = NOWHERE
    request: PageRequest | None = None
    values: tuple[LocatorValues, ...] = ()
    given: dict[str, str] = {}

    @property
    def count(self) -> int:
        """How many pages it stands for."""
        return count_of(self.values)

    def each(self, skip: int = 0) -> Iterator[LocatorDef]:
        """The pages that it stands for, without placeholders, but the first `skip` ones of its `count`."""
        if not self.values:
            yield self
            return
        name, url = TextTemplate(self.name), address_template(self.url)
        request = self.request
        for given in all_values(self.values, skip):
            if self.request is not None:
                request = self._request(self.request, given)
            yield LocatorDef(name.filled(given), url.filled(given), self.place, request, given=given)

    def _request(self, request: PageRequest, given: dict[str, str]) -> PageRequest:
        def filled(pairs: Pairs) -> Pairs:
            return tuple((name, TextTemplate(text).filled(given)) for name, text in pairs)

        numbers = [each.name for each in self.values if isinstance(each, NumberValues) and not each.width]
        return msgspec.structs.replace(
            request,
            params=filled(request.params),
            headers=filled(request.headers),
            form=None if request.form is None else filled(request.form),
            json=json_template(request.json, numbers).filled(given),
        )


class LocatorGroup(msgspec.Struct, frozen=True):
    """Locators that share a name and, by it, a task group; there may be very many."""

    name: str
    locators: Collection[LocatorDef]
    place: Place = NOWHERE

    def single_pages(self) -> Iterator[LocatorDef]:
        """The pages one by one; of locators that stand for very many, the first ones."""
        left = MOST_SINGLE
        for locator in self.locators:
            if not locator.values:
                yield locator
            for one in islice(locator.each(), left) if locator.values else ():
                left -= 1
                yield one


class OutputDef(msgspec.Struct, frozen=True):
    """One entry of a task's `output`.

    Attributes:
        to: a file's name, a URL, or `-` for stdout, as written.
        stream: a database is loaded during the run even if its records have an expectation to meet.
    """

    to: str
    stream: bool = False
    place: Place = NOWHERE


class TaskDef(msgspec.Struct, frozen=True):
    """One task: a data definition and its chain of steps.

    Attributes:
        steps: the chain in the order of its run, from the seeder (the successor of `start`) on.
        persist_data: whether parsed data may be kept and reused (`persist: { data: … }`).
        outputs: where its records go; empty for a grid, whose appender step names its files.
        links: the key by which it has links in place of a data definition: `follow`, `next` or `crawl`.
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
        """Whether it has links, its own or those of a list, in place of a data definition."""
        return self.data_def == f"{self.group}.{self.name}"


class Until(msgspec.Struct, frozen=True):
    """When a page is complete; all that is given must hold.

    Attributes:
        selector: a CSS selector that an element matches; empty for none.
        gone: a CSS selector that no element matches any more.
        text: a text that the page shows.
        idle_ms: for so long the page has no request under way; 0 if that is not wanted.
        time_ms: a fixed time.
        place: where it stands; NOWHERE if it is not given.
        hoped: CSS selectors that are waited for a while, and that no page must have.
    """

    selector: str = ""
    gone: str = ""
    text: str = ""
    idle_ms: int = 0
    time_ms: int = 0
    hoped: tuple[str, ...] = ()
    place: Place = NOWHERE

    @property
    def is_given(self) -> bool:
        """Whether the definitions say when a page is complete."""
        return self != Until(hoped=self.hoped, place=self.place)


class ActionDef(msgspec.Struct, frozen=True):
    """One thing that is done on a page.

    Attributes:
        verb: what is done, as in the definitions (`click`, `type`, …).
        key: where it stands, as `taskGroups.bread.browser.actions[0]`.
        timeout_ms: the longest that it may take; None for that of the group.
        optional: it is left out if its element is not there.
        selector: of its element, its frame, or the elements that scrolling brings; empty for none.
        text: that is typed, the key that is pressed, the option, the script, the name of the screenshot, what
            happens to the dialog (`accept`, `dismiss`), or the window that is gone to (`new`, `main`).
        most: how often it is repeated (clicks, scrolls) while it has an effect; 1 for once.
        until: what a `wait` is for.
    """

    verb: str
    key: str
    place: Place = NOWHERE
    timeout_ms: int | None = None
    optional: bool = False
    selector: str = ""
    text: str = ""
    most: int = 1
    until: Until = Until()


class BrowserDef(msgspec.Struct, frozen=True):
    """How pages are loaded in a browser: what is done there, and what is waited for afterwards.

    Attributes:
        timeout_ms: the longest wait for `until`, and for the element of an action.
        block: patterns of hosts that pages get nothing from.
        frames: what its frames show is read with it.
        shadow: so is what stands in open shadow roots.
        paced: what the page loads waits for the pace of its host, too.
        scripts: plugins that run with the driver once the page is complete; then `until` is waited for again.
    """

    until: Until = Until()
    timeout_ms: int = 10_000
    actions: tuple[ActionDef, ...] = ()
    block: tuple[str, ...] = ()
    frames: bool = False
    shadow: bool = False
    paced: bool = False
    scripts: tuple[PluginDef, ...] = ()


class TaskGroup(msgspec.Struct, frozen=True):
    """The tasks done on every page of the group, in the order of their definition; never empty.

    Attributes:
        live: the text of the definition, empty when it has none.
        browser: how its pages are loaded in a browser; None if they are not.
        parents: fields of the record that led to a page which its definitions use.
        uses_locator: whether a row may depend on the locator from which its page was reached.
        changed: only records are written that differ from the last finished run.
        is_auto: a browser loads only those of its pages that by plain HTTP lack what is looked for.
        budget: how much a run may take for it.
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
        """What loads its pages in place of Scoopi's HTTP client: those of the first task's loader."""
        if self.browser is not None:
            return ()
        return tuple(plugin for task in self.tasks[:1] for step in task.steps[1:2] for plugin in step.plugins)

    @property
    def sees_fragments(self) -> bool:
        """Whether a browser or a plugin loads its pages, and may give another page for each fragment."""
        return self.browser is not None or bool(self.loader_plugins)

    @property
    def has_page_each_fragment(self) -> bool:
        """Whether pages that differ only by their fragments are different ones: a browser loads them all.

        With `loader: auto` they are one, as for plain HTTP: most of its pages have plain anchors.
        """
        return self.browser is not None and not self.is_auto


class Definitions(msgspec.Struct, frozen=True):
    """What a run does, checked and normalized: all that it reaches, by name, and a digest of what was read.

    `locator_groups` holds only groups that have a task group of their name; no name is in both
    `data_defs` (grids) and `record_defs`.

    Attributes:
        is_selection: some of its locator groups are not read.
        is_partial: those would lead to further pages of task groups that are read.
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
        """Whether files are downloaded that rows name."""
        grids, records = self.data_defs.values(), self.record_defs.values()
        return any(each.downloads for each in grids) or any(each.has_downloads for each in records)
