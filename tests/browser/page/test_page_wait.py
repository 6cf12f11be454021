"""Which requests count as under way, and how what is waited for is named."""

from __future__ import annotations

from typing import Any

from selenium.common.exceptions import JavascriptException

from scoopi.browser.page.page_wait import PageWait, Traffic, at_until, named, unreadable
from scoopi.browser.pool_messages import VisitFailed
from scoopi.model.place import Place
from scoopi.model.scrape.browser_def import BrowserDef, Until


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
    assert named(Until(time_ms=300)) == "time `300 ms`"


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
    PageWait(driver, Traffic()).wait_for_optional(("p:contains(x)", "#late"), 60.0)
    assert asked == ["p:contains(x)", "#late", "#late"]


class Shown:
    """A driver of a page on which these words hold."""

    def __init__(self, *words: str) -> None:
        self._words = words

    def execute_script(self, script: str, *words: str) -> bool:
        return all(not word or word in self._words for word in words)


def waiting(*words: str) -> PageWait:
    driver: Any = Shown(*words)
    return PageWait(driver, Traffic())


def test_only_what_a_page_lacks_is_said_of_it() -> None:
    wanted = Until(selector="#a", gone=".b", text="c", time_ms=50)
    assert waiting(".b").lacking(wanted) == "no element matches `#a`, the text `c` is not shown"
    assert waiting("#a", "c").lacking(wanted) == "an element still matches `.b`"
    assert waiting().lacking(Until(time_ms=50)) == "its `time` alone is 50 ms"
    assert waiting("#a").lacking(Until(selector="#a")) == "selector `#a` came too late"


def test_a_fixed_time_is_a_part_of_the_timeout() -> None:
    assert not waiting().until(Until(time_ms=60_000), 0.0)
    assert waiting().until(Until(time_ms=1), 0.001)


def test_a_failure_of_until_has_its_place_and_the_timeout_that_was_too_short() -> None:
    how = BrowserDef(Until(selector="#a", place=Place("shop.yml", 7, 9)), timeout_ms=2000)
    whole, cut = waiting().incomplete(how, 2.0), waiting().incomplete(how, 1.5)
    assert whole.cause == "what `until` at shop.yml:7:9 waits for did not come"
    assert whole.hint == "look at `until` at shop.yml:7:9 of its group"
    assert "`timeout` of its site" in cut.hint
    assert at_until(how, VisitFailed("no", "no")).what == "`until` at shop.yml:7:9: no"
