"""TaskGroup: what loads its pages decides which addresses are different pages."""

from __future__ import annotations

import pytest

from scoopi.model.scrape.browser_def import BrowserDef
from scoopi.model.scrape.plugin_def import PluginDef, StepDef
from scoopi.model.scrape.task_def import TaskDef, TaskGroup

PLUGIN, OTHER = PluginDef("mine", "shop.Loader"), PluginDef("other", "shop.Other")
SEEDER = StepDef("seed", "LocatorSeeder", "start", "load")
READER = StepDef("read", "DataReader", "load", "end")


def task(*plugins: PluginDef) -> TaskDef:
    """A task whose loader has plugins."""
    loader = StepDef("load", "PageLoader", "seed", "read", plugins)
    return TaskDef("books", "prices", "book", (SEEDER, loader, READER))


@pytest.mark.parametrize(
    ("group", "plugins", "sees_fragments", "has_page_each_fragment"),
    [
        (TaskGroup("books", (task(),)), (), False, False),
        (TaskGroup("books", (task(PLUGIN), task(OTHER))), (PLUGIN,), True, False),
        (TaskGroup("books", (task(),), browser=BrowserDef()), (), True, True),
        (TaskGroup("books", (task(),), browser=BrowserDef(), is_auto=True), (), True, False),
        (TaskGroup("books", (task(PLUGIN),), browser=BrowserDef()), (), True, True),
    ],
    ids=["plain HTTP", "a loader of the first task", "a browser", "a browser if need be", "a browser first"],
)
def test_fragments_matter_as_the_loader_sees_them(
    group: TaskGroup, plugins: tuple[PluginDef, ...], sees_fragments: bool, has_page_each_fragment: bool
) -> None:
    assert group.loader_plugins == plugins
    assert group.sees_fragments is sees_fragments
    assert group.has_page_each_fragment is has_page_each_fragment


def test_a_task_of_links_is_read_by_a_definition_of_its_own_name() -> None:
    assert TaskDef("books", "pages", "books.pages", ()).is_of_links
    assert not task().is_of_links
