"""PageReader: reads what a page in the browser shows, including its frames."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any

from selenium.common.exceptions import (
    JavascriptException,
    NoSuchElementException,
    NoSuchFrameException,
    NoSuchWindowException,
    StaleElementReferenceException,
)
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement

from scoopi.browser.page.page_document import CONDITIONS, DOCUMENT, ERROR, IN_FRAME, OTHER_FRAMES, READING
from scoopi.browser.page.page_wait import RAISE_SITE, VisitFailedError, Words, with_dialogs_dismissed
from scoopi.browser.pool_messages import VisitFailed
from scoopi.errors import NO_BROWSER
from scoopi.model.scrape.browser_def import BrowserDef

ANY = ("", "", "")
"""The arguments of CONDITIONS with which these hold on each page."""
MOST_FRAMES = 100
"""The most frames of other origins that are read from a page; each takes some commands."""
_TOO_MANY = VisitFailed(
    "its frames of other origins could not be read in the time for the page",
    "the frames of the page could not be read in time",
    NO_BROWSER,
    hint=f"leave out `frames`, or {RAISE_SITE}",
)
_GONE = (
    JavascriptException,
    NoSuchElementException,
    NoSuchFrameException,
    NoSuchWindowException,
    StaleElementReferenceException,
)
"""What is said of a frame that the page has removed or replaced meanwhile."""


class PageReader:
    """Reads what a page in the browser shows, including its frames."""

    def __init__(self, driver: WebDriver) -> None:
        self._driver = driver
        self._left = 0
        self._ends = math.inf

    def read(self, how: BrowserDef) -> Mapping[str, Any]:
        """Return the result of the script `READING` for the page."""
        found = self.read_if(how, ANY)
        assert found is not None
        return found

    def read_if(self, how: BrowserDef, words: Words, ends: float = math.inf) -> Mapping[str, Any] | None:
        """Return the result of the script `READING` if the conditions hold on the page, else None.

        Without frames, this takes a single command of the driver.

        Args:
            words: the conditions.
            ends: when the time for reading frames is over, as `time.monotonic()`.
        Raises:
            VisitFailedError: the frames of other origins take longer.
        """
        self._ends = ends
        if how.frames and not self._run(CONDITIONS, *words):
            return None
        self._left = MOST_FRAMES
        frames = self._others(how) if how.frames else {}
        given = ANY if how.frames else words
        found: Mapping[str, Any] | None = self._run(
            READING, given, how.frames, how.shadow, *_arguments(frames)
        )
        return found

    def error(self) -> str:
        """Return the browser's name of the fault if the page was not loaded; empty if it was.

        Raises:
            WebDriverException: the browser does not answer.
        """
        return str(self._run(ERROR))

    def _others(self, how: BrowserDef) -> dict[WebElement, str]:
        """The frames of the current document that cannot be read from it -> the documents that they show."""
        return self._documents(self._run(OTHER_FRAMES, how.shadow), how)

    def _documents(self, found: list[WebElement], how: BrowserDef) -> dict[WebElement, str]:
        """Frames of the current document -> the documents that they show."""
        documents = {}
        for frame in found:
            if self._left <= 0:
                break
            if time.monotonic() > self._ends:
                raise VisitFailedError(_TOO_MANY)
            self._left -= 1
            document = self._inside(frame, how)
            if document is not None:
                documents[frame] = document
        return documents

    def _inside(self, frame: WebElement, how: BrowserDef) -> str | None:
        """The document that a frame shows; None if it shows none."""
        try:
            with_dialogs_dismissed(self._driver, lambda: self._driver.switch_to.frame(frame))
        except _GONE:
            return None
        try:
            seen = self._run(IN_FRAME, how.frames, how.shadow)
            if seen is None or "document" in seen:
                return None if seen is None else str(seen["document"])
            others = self._documents(seen["others"], how)
            return str(self._run(DOCUMENT, how.frames, how.shadow, *_arguments(others)))
        except _GONE:
            return None
        finally:
            self._driver.switch_to.parent_frame()

    def _run(self, script: str, *arguments: object) -> Any:
        return with_dialogs_dismissed(self._driver, lambda: self._driver.execute_script(script, *arguments))


def _arguments(frames: Mapping[WebElement, str]) -> tuple[list[WebElement], list[str]]:
    return [*frames], [*frames.values()]
