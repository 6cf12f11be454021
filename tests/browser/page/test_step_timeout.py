"""StepTimeout: what the driver is limited to, and when a page is interrupted."""

from __future__ import annotations

from functools import partial
from typing import Any

from scoopi.browser.page.step_timeout import StepTimeout

FAR_S = 3600.0


class Limits:
    """A driver that notes its timeouts."""

    def __init__(self) -> None:
        self.set: list[tuple[str, float]] = []

    def set_page_load_timeout(self, seconds: float) -> None:
        self.set.append(("load", seconds))

    def set_script_timeout(self, seconds: float) -> None:
        self.set.append(("script", seconds))


def limited(driver: Limits) -> tuple[StepTimeout, list[str]]:
    interrupted: list[str] = []
    given: Any = driver

    def interrupt() -> bool:
        interrupted.append("now")
        return True

    return StepTimeout(given, interrupt), interrupted


def test_a_timeout_that_the_driver_has_costs_no_command() -> None:
    driver = Limits()
    limit, _ = limited(driver)
    limit.navigate(29.7)
    limit.navigate(30.1)
    limit.wait(10.0)
    limit.act(9.99)
    assert driver.set == [("load", 30.0), ("load", 10.0), ("script", 10.0)]
    limit.act(0.0)
    assert driver.set[3:] == [("load", 0.1), ("script", 0.1)], "the driver takes no zero"


def test_a_page_is_interrupted_only_during_an_action_that_takes_too_long() -> None:
    limit, interrupted = limited(Limits())
    seen: list[bool] = []
    for begin, seconds in ((limit.wait, -FAR_S), (limit.act, FAR_S)):
        begin(seconds)
        limit.check()
        seen.append(limit.was_interrupted)
    assert not interrupted
    limit.act(-FAR_S)
    limit.check()
    limit.end()
    limit.check()
    seen.append(limit.was_interrupted)  # until the next action begins
    limit.act(FAR_S)
    seen.append(limit.was_interrupted)
    assert interrupted == ["now"]
    assert seen == [False, False, True, False]


def test_only_an_action_that_cannot_be_interrupted_is_stuck() -> None:
    given: Any = Limits()
    seen: list[bool] = []
    for can_interrupt in (True, False):
        limit = StepTimeout(given, partial(bool, can_interrupt))
        limit.act(-FAR_S)
        seen.append(limit.is_stuck())
        limit.check()
        seen.append(limit.is_stuck())
        limit.end()
        seen.append(limit.is_stuck())
    assert seen == [False, False, False, False, True, False]
