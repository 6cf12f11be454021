"""Failure: what is reported of a page has its names, and a bounded length."""

from __future__ import annotations

from scoopi.errors import ConfigError
from scoopi.model.failure import LONGEST_CAUSE, LONGEST_MESSAGE, Failure, page_failure, run_failure
from scoopi.model.locator import Locator


def test_a_failure_of_a_page_names_its_job() -> None:
    page = Locator("shop", "prices", "http://me:secret@a/b")
    failure = page_failure(page, "no row", "no row; look", "task", "parser", "a.yml:3:1")
    assert (failure.job, failure.task, failure.step, failure.at) == (
        "shop:prices",
        "task",
        "parser",
        "a.yml:3:1",
    )
    assert "secret" not in failure.url


def test_a_page_cannot_make_a_report_long() -> None:
    failure = page_failure(Locator("a", "b", "/c"), "x" * 10_000, "y" * 10_000)
    assert len(failure.cause) <= LONGEST_CAUSE + len("…")
    assert len(failure.message) <= LONGEST_MESSAGE + len("…")


def test_the_error_that_ended_a_run_has_its_place_or_its_type() -> None:
    known = run_failure(ConfigError("no such key", at="conf.yml:1", hint="correct it"))
    assert (known.cause, known.at) == ("no such key", "conf.yml:1")
    assert "correct it" in known.message
    assert run_failure(KeyError("x")) == Failure("KeyError: 'x'", "KeyError: 'x'")
