"""PageSnapshots: saves what a browser showed of pages that failed, so that the cause can be found."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from selenium.common.exceptions import WebDriverException
from selenium.webdriver.remote.webdriver import WebDriver

from scoopi.browser.page.page_actions import page_mark
from scoopi.browser.page.page_document import DOCUMENT
from scoopi.browser.page.page_wait import VisitFailedError, with_dialogs_dismissed

log = logging.getLogger(__name__)
Console = Callable[[], list[dict[str, Any]]]
"""Returns the messages in a page's console, each with a `timestamp` in ms."""
Whole = Callable[[], str | None]
"""Returns a document with its frames and shadow roots; None if the definitions want neither."""
MOST = 100
"""The most pages that are kept; if thousands fail, they mostly fail alike."""


def nothing_more() -> str | None:
    """Return None, for a page of which the definitions want neither frames nor shadow roots."""
    return None


class PageSnapshots:
    """Saves what browsers showed of pages that failed: document, screenshot and console.

    Args:
        folder: the folder of the files; created with the first page.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._kept: set[str] = set()

    def keep(
        self, driver: WebDriver, console: Console, url: str, since: float, whole: Whole = nothing_more
    ) -> str:
        """Save the page that the browser shows now, as far as the browser still answers.

        Args:
            console: returns the messages in the page's console, each with a `timestamp` in ms.
            url: address of the visit; another attempt replaces the files of the one before.
            since: when the visit began, as `time.time()`; earlier messages are left out.
            whole: reads the document with its frames and shadow roots; called last, as a frame may not
                answer.
        Returns:
            The path of the files without their suffixes; empty if enough pages have been saved.
        """
        mark = page_mark(url)
        with self._lock:
            if mark not in self._kept and len(self._kept) >= MOST:
                return ""
            self._kept.add(mark)
        path = self._folder / f"failed-{mark}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            _save(path, driver, lambda: _console(console(), url, since), whole)
        except OSError as error:
            log.warning("a page that failed cannot be kept: %s", error)
            return ""
        return _shown(path)


def _save(path: Path, driver: WebDriver, log_of: Callable[[], str], whole: Whole) -> None:
    """Save what the browser still gives.

    Raises:
        OSError: the folder cannot be written.
    """
    with suppress(WebDriverException):
        driver.switch_to.default_content()
        document: str | None = with_dialogs_dismissed(
            driver, lambda: driver.execute_script(DOCUMENT, False, False)
        )
        if document is not None:  # None if a dialog has ended the script
            path.with_suffix(".html").write_bytes(document.encode(errors="replace"))
    with suppress(WebDriverException):
        path.with_suffix(".png").write_bytes(driver.get_screenshot_as_png())
    with suppress(WebDriverException):
        path.with_suffix(".log").write_text(log_of())
    with suppress(WebDriverException, VisitFailedError):
        document = whole()
        if document is not None:
            path.with_suffix(".html").write_bytes(document.encode(errors="replace"))


def _console(entries: list[dict[str, Any]], url: str, since: float) -> str:
    begins = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(since))
    lines = [json.dumps({"url": url, "begun": begins})]
    lines += [json.dumps(entry) for entry in entries if entry.get("timestamp", 0) >= since * 1000]
    return "".join(f"{line}\n" for line in lines)


def _shown(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
