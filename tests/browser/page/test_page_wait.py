"""Which requests count as under way, and how what is waited for is named."""

from __future__ import annotations

from typing import Any

from selenium.common.exceptions import JavascriptException

from scoopi.browser.page.page_wait import PageWait, Traffic, named, unreadable
from scoopi.model.definitions import Until


def test_a_request_is_under_way_until_its_end_in_whatever_order_both_are_reported() -> None:
    traffic = Traffic()
    assert traffic.is_idle(0.0)
    traffic.began("a")
    assert not traffic.is_idle(0.0)
    traffic.ended("b")
    traffic.ended("a")
    assert traffic.is_idle(0.0)
    traffic.began("b")
    assert traffic.is_idle(0.0)
    assert not traffic.is_idle(60.0), "it has just changed"
    traffic.began("c")
    traffic.clear()
    assert traffic.is_idle(0.0)


def test_what_is_waited_for_is_named_as_written() -> None:
    assert named(Until(gone=".spinner", idle_ms=300)) == "gone `.spinner`, idle `300 ms without a request`"


def test_a_selector_that_cannot_be_read_is_named() -> None:
    failed = unreadable("invalid element state: 'p:x' is not a valid selector.\n  (Session info: chrome)")
    assert failed.what == "a selector cannot be read by a browser: 'p:x' is not a valid selector."


def test_what_a_browser_cannot_read_is_not_hoped_for_and_the_next_selector_is() -> None:
    asked: list[str] = []

    class Driver:
        def execute_script(self, script: str, selector: str, *others: str) -> bool:
            asked.append(selector)
            if ":contains" in selector:
                raise JavascriptException("it is not a valid selector")
            return asked.count(selector) == 2

    driver: Any = Driver()
    PageWait(driver, Traffic()).hope(("p:contains(x)", "#late"), 60.0)
    assert asked == ["p:contains(x)", "#late", "#late"]
