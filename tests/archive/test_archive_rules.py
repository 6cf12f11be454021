"""ArchiveRules: which groups of a run the archive serves, and how fresh a page of it must be."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from scoopi.archive.archive_rules import ArchiveRules
from scoopi.configs.groups import ArchiveSettings
from scoopi.model.job import JobPayload
from scoopi.model.locator import Document, Locator
from scoopi.model.scrape.definitions import Definitions
from scoopi.model.scrape.task_def import TaskDef, TaskGroup

NOW = datetime(2026, 11, 21, 8, 0, tzinfo=UTC)
LASTING, PASSING = TaskDef("lasting", "t", "d", ()), TaskDef("passing", "t", "d", ())
DEFINITIONS = Definitions(
    {},
    {"lasting": TaskGroup("lasting", (LASTING,), live="P1D"), "passing": TaskGroup("passing", (PASSING,))},
    {},
)
PAGE = Locator("brie", "lasting", "http://shop.example/")


@dataclass
class Folder:
    """Where rules keep their pages."""

    path: Path

    def rules(self, now: datetime = NOW, **settings: object) -> ArchiveRules:
        given = replace(ArchiveSettings(folder=self.path), **settings)
        return ArchiveRules(given, DEFINITIONS, now, "dd-MM-yyyy HH:mm:ss")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.mark.parametrize(
    ("enable", "served"), [("auto", ["lasting"]), ("true", ["lasting", "passing"]), ("false", [])]
)
def test_it_serves_groups_that_are_live_or_all_or_none(
    folder: Folder, enable: str, served: list[str]
) -> None:
    rules = folder.rules(enable=enable)
    assert [group for group in ("lasting", "passing") if rules.saves_pages(group)] == served
    assert [task.group for task in (LASTING, PASSING) if rules.saves_data(task)] == served
    assert (rules.archive is not None) is bool(served)


def test_pages_and_data_are_kept_only_as_far_as_settings_and_task_allow(folder: Folder) -> None:
    assert not folder.rules(persist_locator=False).saves_pages("lasting")
    assert folder.rules(persist_locator=False).saves_data(LASTING)
    assert not folder.rules(persist_data=False).saves_data(LASTING)
    assert not folder.rules().saves_data(replace(LASTING, persist_data=False))


def test_a_page_is_fresh_for_as_long_as_its_group_says(folder: Folder) -> None:
    rules, job = folder.rules(), JobPayload(PAGE, "seed")
    assert rules.archive is not None
    assert not rules.is_fresh(job), "nothing is kept yet"
    assert rules.archive.save(Document(PAGE, PAGE.url, NOW, "utf-8", b"<p>"))
    assert rules.is_fresh(job)
    assert folder.rules(NOW + timedelta(hours=23)).is_fresh(job)
    assert not folder.rules(NOW + timedelta(hours=25)).is_fresh(job)
    assert not folder.rules(persist_locator=False).is_fresh(job)
    assert not rules.is_fresh(JobPayload(replace(PAGE, group="passing"), "seed"))
