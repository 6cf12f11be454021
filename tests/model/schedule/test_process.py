"""Process: a scrape that is launched without one has a process by its name."""

from __future__ import annotations

import pytest

from scoopi.model.schedule.process import LAUNCHED_HISTORY, launched_name, launched_scrape


@pytest.mark.parametrize(
    ("path", "groups", "name"),
    [
        ("books", (), "scrape:books"),
        ("shops/books", (), "scrape:shops:books"),
        ("shops/books", ("list", "page"), "scrape:shops:books#list,page"),
    ],
)
def test_the_name_leads_back_to_the_path_and_its_groups(
    path: str, groups: tuple[str, ...], name: str
) -> None:
    assert launched_name(path, groups) == name
    process = launched_scrape(name)
    assert process is not None
    assert (process.name, process.mode, process.history) == (name, "manual", LAUNCHED_HISTORY)
    executes = process.executes
    assert (executes.kind, executes.what, executes.groups) == ("scrape", (path,), groups)


@pytest.mark.parametrize("name", ["books", "shop.books", "scrape"])
def test_other_names_are_those_of_defined_processes(name: str) -> None:
    assert launched_scrape(name) is None
