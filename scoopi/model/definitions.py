"""Definitions: what a run does, validated and normalized."""

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
    """A plugin, as defined.

    Attributes:
        class_name: the short name of a built-in plugin (dotted names are shortened), or a user's name.
        fields: all keys but `name`, `class` and `plugins`, with scalars as the text that was written.
        plugins: the plugins nested in it (the encoder of an appender).
    """

    name: str
    class_name: str
    fields: dict[str, Any] = {}
    plugins: tuple[PluginDef, ...] = ()
    place: Place = NOWHERE


class StepDef(msgspec.Struct, frozen=True):
    """A step of a task's expanded steps set; `class_name` as in PluginDef."""

    name: str
    class_name: str
    previous: str
    next: str
    plugins: tuple[PluginDef, ...] = ()
    place: Place = NOWHERE


MOST_SINGLE = 10_000
"""The most pages of a group's locators with placeholders that are searched for an address."""


class LocatorDef(msgspec.Struct, frozen=True):
    """One entry of a group's `locators`: a page, or a template of pages.

    Attributes:
        request: how the page is requested; None for a plain GET.
        values: the values of the placeholders in a template; empty for a single page.
        given: of a page that was made from a template, the values of its placeholders by name.
    """

    name: str
    url: str
    place: Place = NOWHERE
    request: PageRequest | None = None
    values: tuple[LocatorValues, ...] = ()
    given: dict[str, str] = {}

    @property
    def count(self) -> int:
        """How many pages the entry stands for."""
        return count_of(self.values) if self.values else 1

    def each(self, skip: int = 0) -> Iterator[LocatorDef]:
        """The pages that the entry stands for, without placeholders; the first `skip` are left out."""
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
    """Locators that share a name and hence a task group; they may be very many."""

    name: str
    locators: Collection[LocatorDef]
    place: Place = NOWHERE

    def single_pages(self) -> Iterator[LocatorDef]:
        """The pages one by one; of locators with placeholders, at most MOST_SINGLE pages in all."""
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


class Until(msgspec.Struct, frozen=True):
    """When a page is complete; every condition that is given must hold.

    Attributes:
        selector: a CSS selector that an element matches; empty for none.
        gone: a CSS selector that no element matches any more.
        text: a text that the page shows; empty for none.
        idle_ms: how long the page must have had no request in flight; 0 for no such condition.
        time_ms: a fixed wait; 0 for none.
        place: where it is defined; NOWHERE if it is not.
        optional: CSS selectors that are waited for briefly; a page without them is complete nevertheless.
    """

    selector: str = ""
    gone: str = ""
    text: str = ""
    idle_ms: int = 0
    time_ms: int = 0
    optional: tuple[str, ...] = ()
    place: Place = NOWHERE

    @property
    def is_given(self) -> bool:
        """Whether the definitions say when a page is complete."""
        return self != Until(optional=self.optional, place=self.place)


class ActionDef(msgspec.Struct, frozen=True):
    """One action in the browser, such as a click.

    Attributes:
        verb: the action's key in the definitions (`click`, `type`, …).
        key: its path in the definitions, such as `taskGroups.bread.browser.actions[0]`.
        timeout_ms: the longest that it may take; None for the timeout of the group.
        optional: whether it is skipped if its element is missing.
        selector: the selector of its element or frame, or of what scrolling loads; empty for none.
        text: the text to type, the key to press, the option, the script, the name of the screenshot, or the
            answer to the dialog (`accept`, `dismiss`), or the window to switch to (`new`, `main`).
        most: the most times that it is repeated (clicks, scrolls) as long as it has an effect; 1 for once.
        until: the condition of a `wait`.
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
    """How pages are loaded in a browser: the actions, and what is waited for afterwards.

    Attributes:
        timeout_ms: the longest wait for `until`, and for the element of an action.
        block: patterns of the hosts whose requests are blocked.
        frames: whether the content of frames is read with the page.
        shadow: whether the content of open shadow roots is read with the page.
        paced: whether the page's own requests also wait for the pace of their host.
        scripts: plugins that are given the driver once the page is complete; `until` is then waited for
            again.
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
