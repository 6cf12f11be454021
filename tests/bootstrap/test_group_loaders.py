"""group_loaders: what loads the pages of each task group."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.bootstrap.group_loaders import BROWSER, group_loaders
from scoopi.browser.browser_loader import BrowserLoader
from scoopi.errors import PluginError
from scoopi.model.scrape.browser_def import BrowserDef
from scoopi.model.scrape.plugin_def import PluginDef, StepDef
from scoopi.model.scrape.task_def import TaskDef, TaskGroup
from scoopi.plugins.builtins import BUILTINS
from scoopi.plugins.plugin_finder import PluginFinder

LOADER = "class {name}:\n    def load(self, url, web):\n        return None\n"


@pytest.fixture
def finder(tmp_path: Path) -> PluginFinder:
    (tmp_path / "token_loader.py").write_text(LOADER.format(name="TokenLoader"))
    return PluginFinder([tmp_path], BUILTINS)


def group(name: str, *plugins: PluginDef, browser: BrowserDef | None = None) -> TaskGroup:
    seeder = StepDef("seeder", "LocatorSeeder", "start", "loader")
    loader = StepDef("loader", "PageLoader", "seeder", "end", plugins)
    return TaskGroup(name, (TaskDef(name, "task", "data", (seeder, loader)),), browser=browser)


def test_only_groups_with_a_loader_of_their_own_are_named(finder: PluginFinder) -> None:
    groups = [
        group("plain"),
        group("signed", PluginDef("token", "TokenLoader")),
        group("rendered", browser=BrowserDef()),
    ]
    loaders = group_loaders(groups, finder, "/tmp/socket")
    assert {name: kind for name, (kind, _) in loaders.items()} == {"signed": "token", "rendered": BROWSER}
    assert type(loaders["signed"][1]).__name__ == "TokenLoader"
    assert isinstance(loaders["rendered"][1], BrowserLoader)


def test_a_loader_that_cannot_be_made_is_an_error(finder: PluginFinder) -> None:
    with pytest.raises(PluginError, match="did you mean TokenLoader"):
        group_loaders([group("signed", PluginDef("token", "TokenLoadr"))], finder, "")
