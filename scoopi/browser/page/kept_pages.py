"""KeptPages: saves what a browser showed of pages that failed, so that the cause can be found."""

from __future__ import annotations

import json
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

Console = Callable[[], list[dict[str, Any]]]
Whole = Callable[[], str | None]
MOST = 100
"""The most pages that are kept; if thousands fail, they mostly fail alike."""


def nothing_more() -> str | None:
    """Read nothing, for a page whose document is all that the definitions want of it."""
    return None


class KeptPages:
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
            whole: reads the document with what the definitions add to it; called last, as a frame may not
                answer.
        Returns:
            The path of the files without their suffixes; empty if enough pages have been saved.
        """
        mark = page_mark(url)
        with self._lock:
            if mark not in self._kept and len(self._kept) >= MOST:
                return ""
            self._kept.add(mark)
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"failed-{mark}"
        with suppress(WebDriverException):
            driver.switch_to.default_content()
            document: str | None = with_dialogs_dismissed(
                driver, lambda: driver.execute_script(DOCUMENT, False, False)
            )
            if document is not None:  # as of a script that a dialog has ended
                path.with_suffix(".html").write_bytes(document.encode(errors="replace"))
        with suppress(WebDriverException):
            path.with_suffix(".png").write_bytes(driver.get_screenshot_as_png())
        with suppress(WebDriverException):
            path.with_suffix(".log").write_text(_console(console(), url, since))
        with suppress(WebDriverException, VisitFailedError):
            document = whole()
            if document is not None:
                path.with_suffix(".html").write_bytes(document.encode(errors="replace"))
        return _shown(path)


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
