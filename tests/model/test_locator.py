"""Locator and PageRequest: what makes two requests one page, and which may be sent twice."""

from __future__ import annotations

import pytest

from scoopi.model.locator import Locator, PageRequest, Validators


def test_a_page_is_its_group_address_and_request() -> None:
    plain = Locator("a", "g", "/x")
    assert plain.identity == Locator("b", "g", "/x").identity == ("g", "/x")
    posted = Locator("a", "g", "/x", PageRequest("POST", form=(("k", "1"),)))
    other = Locator("a", "g", "/x", PageRequest("POST", form=(("k", "2"),)))
    assert len({plain.identity, posted.identity, other.identity}) == 3


@pytest.mark.parametrize(
    ("request_", "is_repeatable"),
    [
        (PageRequest(), True),
        (PageRequest("PUT"), True),
        (PageRequest("POST"), False),
        (PageRequest("PATCH"), False),
        (PageRequest("POST", idempotent=True), True),
    ],
)
def test_a_request_that_changes_something_is_sent_once(request_: PageRequest, is_repeatable: bool) -> None:
    assert request_.is_repeatable is is_repeatable


def test_a_missing_validator_is_taken_from_the_former_version() -> None:
    assert Validators("e2").or_else(Validators("e1", "monday")) == Validators("e2", "monday")
    assert Validators().or_else(Validators("e1")) == Validators("e1")
