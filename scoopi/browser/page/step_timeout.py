"""StepTimeout: limits how long one step of a visit may take, even if a script of the page does not end."""

from __future__ import annotations

import time
from collections.abc import Callable

from selenium.webdriver.remote.webdriver import WebDriver

_NEVER = float("inf")
_LEAST_S = 0.1
_LATE_S = 0.2
"""The driver's own timeouts come first; they do not end a loop in a script."""
_STUCK_S = 5.0
"""Seconds after an action's time when it counts as overdue, if the browser cannot interrupt it."""


class StepTimeout:
    """Limits how long one step of a visit may take, even if a script of the page does not end.

    The driver stops waiting for a page or a promise in time; a loop without end is interrupted over the
    browser's own protocol. Belongs to the browser's thread, except for `check` and `is_stuck`.

    Args:
        driver: the browser's driver.
        interrupt: ends the script that the page runs now, without waiting; returns False if the browser
            cannot.
    Attributes:
        was_interrupted: whether a script of the page was interrupted during the last action.
    """

    def __init__(self, driver: WebDriver, interrupt: Callable[[], bool]) -> None:
        self._driver = driver
        self._interrupt = interrupt
        self._load_s = self._script_s = 0.0
        self._ends = _NEVER
        self._is_ended = True
        self.was_interrupted = False

    def navigate(self, seconds: float) -> None:
        """Limit how long the driver waits for a page; rounded to seconds, so that few limits must be sent.

        Raises:
            WebDriverException: the driver does not answer.
        """
        self._set_load(max(_LEAST_S, round(seconds, 0)))

    def wait(self, seconds: float) -> None:
        """Limit each command of the driver from now on; scripts of the page are not interrupted.

        Raises:
            WebDriverException: the driver does not answer.
        """
        limit_s = max(_LEAST_S, round(seconds, 1))
        self._set_load(limit_s)
        if limit_s != self._script_s:
            self._driver.set_script_timeout(limit_s)
            self._script_s = limit_s
        self._ends = _NEVER

    def act(self, seconds: float) -> None:
        """Begin an action and its time limit, after which a script that the page runs is interrupted.

        Raises:
            WebDriverException: the driver does not answer.
        """
        self.wait(seconds)
        self.was_interrupted, self._is_ended = False, True
        self._ends = time.monotonic() + seconds + _LATE_S

    def end(self) -> None:
        """End the action and its time limit."""
        self._ends = _NEVER

    def check(self) -> None:
        """Interrupt the page if its action takes too long; to be called regularly, by any thread."""
        if time.monotonic() >= self._ends:
            self.was_interrupted = True
            self._is_ended = self._interrupt()

    def is_stuck(self) -> bool:
        """Return whether an action that cannot be interrupted is 5 s overdue; for any thread."""
        return not self._is_ended and time.monotonic() >= self._ends + _STUCK_S

    def _set_load(self, seconds: float) -> None:
        if seconds != self._load_s:
            self._driver.set_page_load_timeout(seconds)
            self._load_s = seconds
