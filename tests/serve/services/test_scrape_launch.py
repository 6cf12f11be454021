"""Scrapes that are launched by their path, without a process."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.app import check_scrape
from scoopi.errors import DefsError, StateRefusedError, UsageError
from scoopi.serve.services.job_service import JobService
from scoopi.serve.services.process_service import ProcessService
from scoopi.serve.state import State
from tests.serve.conftest import NOW, Deployed

PROJECT = "processes: { p: { executes: external:x } }"
DEFS = """
locatorGroups: { list: { url: "https://shop.example/%{input.day}" } }
taskGroups: { list: { cards: { dataDef: card, output: cards.csv } } }
dataDefs: { card: { fields: { title: h1 } } }
"""


@pytest.fixture
def state(deployed: Deployed, tmp_path: Path) -> State:
    folder = tmp_path / "jobs/shops/books"
    folder.mkdir(parents=True)
    (folder / "books.yml").write_text(DEFS)
    return deployed(PROJECT)


def test_a_scrape_gets_jobs_of_its_own_name(state: State) -> None:
    service = ProcessService(state, NOW)
    rows = [service.launch("scrape:shops/books", {"day": "1"}, check=check_scrape) for _ in range(2)]
    assert [row["job"] for row in rows] == ["scrape:shops:books/!1", "scrape:shops:books/!2"]
    state.passes.run(NOW)
    process = service.process("scrape:shops/books")
    (attempt, _) = state.store.open_attempts()
    assert state.process(attempt) == process
    assert (process.executes.kind, process.executes.what, process.mode) == (
        "scrape",
        ("shops/books",),
        "manual",
    )
    assert attempt.inputs == {"day": "1"}
    assert service.launch("scrape:shops/books/", {"day": "2"}, "!7")["job"] == "scrape:shops:books/!7"
    with pytest.raises(StateRefusedError, match="exists already"):
        service.launch("scrape:shops/books", {}, "!7")


def test_it_is_paused_and_asked_for_as_processes_are(state: State) -> None:
    service = ProcessService(state, NOW)
    service.launch("scrape:shops/books#list", {"day": "1"})
    service.pause("scrape:shops/books#list", "its site is down")
    state.passes.run(NOW)
    assert state.store.open_attempts() == []
    jobs = JobService(state, NOW, lambda name: service.process(name).name)
    assert "its site is down" in jobs.why("scrape:shops/books#list/!1")["reason"]
    assert [row["process"] for row in service.processes()] == ["p"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("scrape:shops/boks", "no definitions at shops/boks; did you mean scrape:shops/books?"),
        ("scrape:", "no definitions at this path"),
        ("scrape:../jobs", "no definitions at ../jobs"),
        ("scrape:shops:books", "no definitions at shops:books"),
        ("command:ls", "command:ls cannot be launched without a process; only a scrape can"),
        ("python:os:abort", "python:os:abort cannot be launched without a process"),
    ],
)
def test_what_is_not_a_scrape_of_the_project_is_refused(state: State, name: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        ProcessService(state, NOW).launch(name, {})
    assert message in str(refused.value)
    assert state.store.active_jobs() == {}


def test_wrong_definitions_and_missing_inputs_are_reported_before_a_job_exists(state: State) -> None:
    with pytest.raises(DefsError, match="day"):
        ProcessService(state, NOW).launch("scrape:shops/books", {}, check=check_scrape)
    with pytest.raises(DefsError, match="nosuch"):
        ProcessService(state, NOW).launch("scrape:shops/books#nosuch", {"day": "1"}, check=check_scrape)
    assert state.store.active_jobs() == {}


def test_one_that_was_never_launched_has_no_record(state: State) -> None:
    with pytest.raises(UsageError, match="scrape:shops/books has not been launched"):
        ProcessService(state, NOW).pause("scrape:shops/books", "")


def test_before_a_project_is_deployed_there_is_nothing_to_launch(tmp_path: Path) -> None:
    with State(tmp_path / "empty") as state, pytest.raises(UsageError, match="no project is deployed"):
        ProcessService(state, NOW).launch("scrape:books", {})
