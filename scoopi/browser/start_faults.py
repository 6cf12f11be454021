"""start_fault: derives why no browser could be started, from the settings and what was raised."""

from __future__ import annotations

import os

from urllib3.exceptions import MaxRetryError

from scoopi.browser.pool_messages import VisitFailed
from scoopi.configs.groups import BrowserSettings
from scoopi.errors import NO_BROWSER
from scoopi.model.text.shown import cut

_CAUSE = "no browser can be started"
_LONGEST = 300


def start_fault(settings: BrowserSettings, error: Exception) -> VisitFailed:
    """Return the failure of a page for which no browser could be started.

    It is transient if the programs are there: the browser was perhaps killed, or short of memory.
    """
    message = _one_line(error)
    if settings.url:
        cause = f"{_CAUSE} by the grid"
        hint = "look at scoopi.webDriver.url, and whether the grid has such a browser"
        return VisitFailed(f"{cause}: {message}", cause, NO_BROWSER, hint)
    names = {"driverPath": settings.driver, "browserPath": settings.binary}
    for name, program in names.items():
        if not os.path.exists(program):
            packages = {"chromium": "chromium and chromium-driver", "firefox": "firefox-esr, and geckodriver"}
            hint = f"install Debian's {packages[settings.browser]}, or set scoopi.webDriver.{name}"
            return VisitFailed(f"{_CAUSE}: there is no program {program}", _CAUSE, hint=hint)
    hint = "look at scoopi.webDriver.browserPath and driverPath, and whether memory is short"
    return VisitFailed(f"{_CAUSE}: {message}", _CAUSE, NO_BROWSER, hint)


def _one_line(error: Exception) -> str:
    """What was raised, in one line, without advice that is about Selenium."""
    if isinstance(error, MaxRetryError) and error.reason is not None:
        return str(error.reason).rpartition(": ")[2]
    message = str(getattr(error, "msg", error)).strip().partition("\n")[0]
    if message.startswith("<"):
        return "a page of HTML was answered, so this is no grid"
    message = message.partition("; For documentation")[0].partition(" Examine ChromeDriver")[0]
    return cut(message, _LONGEST)
