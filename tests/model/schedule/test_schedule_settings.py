"""Schedule: a process is found by its name, defined or launched without a definition."""

from __future__ import annotations

from scoopi.model.schedule.process import Executes, Process, launched_scrape
from scoopi.model.schedule.schedule_settings import Schedule

BOOKS = Process(name="shop.books", executes=Executes(kind="scrape", what=("books",)), mode="managed")
SCHEDULE = Schedule({"shop.books": BOOKS})


def test_a_defined_process_has_its_name() -> None:
    assert SCHEDULE.process("shop.books") is BOOKS
    assert SCHEDULE.process("shop.towns") is None


def test_a_launched_scrape_needs_no_definition() -> None:
    assert SCHEDULE.process("scrape:books") == launched_scrape("scrape:books")
