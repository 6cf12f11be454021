"""WindowSwitch: takes the actions of a page to a window that it has opened, and back."""

from __future__ import annotations

import time

from selenium.common.exceptions import NoSuchWindowException
from selenium.webdriver.remote.webdriver import WebDriver

from scoopi.browser.page.action_faults import MissingError
from scoopi.browser.page.page_wait import first_found, with_dialogs_dismissed
from scoopi.browser.page.page_windows import PageWindows

_HAS_PAGE = """
const isWritten = document.body !== null && document.body.childNodes.length > 0;
return document.readyState === 'complete' && (document.URL !== 'about:blank' || isWritten);
"""
"""A window is `about:blank` until its page comes, or a script writes into it."""


class WindowSwitch:
    """Takes the actions of a page to a window that it has opened, and back.

    Args:
        driver: the browser's driver.
        windows: the windows that the page has opened.
    """

    def __init__(self, driver: WebDriver, windows: PageWindows) -> None:
        self._driver = driver
        self._windows = windows

    def to_new(self, timeout_s: float) -> None:
        """Go to the window that the last action has opened, once its page has loaded.

        Raises:
            MissingError: no window opened in time, or it has no page; the one before is current.
        """
        ends, before = time.monotonic() + timeout_s, self._windows.current
        handle = first_found(self._windows.take_new, ends)
        if handle is None:
            raise MissingError("no window opened")
        try:
            self._show(handle)
            if first_found(self._has_page, ends):
                return
            what = "its page did not come"
        except NoSuchWindowException:
            what = "it closed before its page came"
        self._show(before)
        raise MissingError(f"a window opened, but {what}")

    def to_main(self) -> None:
        """Go back to the window of the page itself."""
        self._show(self._windows.own)

    def has_closed(self) -> bool:
        """Return whether the current window was closed, for example by its page.

        Raises:
            WebDriverException: the browser has crashed.
        """
        return self._windows.current not in self._driver.window_handles

    def _show(self, handle: str) -> None:
        with_dialogs_dismissed(self._driver, lambda: self._driver.switch_to.window(handle))
        self._windows.current = handle

    def _has_page(self) -> bool | None:
        return with_dialogs_dismissed(self._driver, lambda: self._driver.execute_script(_HAS_PAGE)) or None
