"""Browser: one Chromium with its driver; loads one page at a time and gives its rendered document."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.common.exceptions import (
    InvalidElementStateException,
    JavascriptException,
    TimeoutException,
    WebDriverException,
)
from selenium.webdriver.chrome.service import Service
from urllib3.exceptions import HTTPError

from scoopi.browser.pool_messages import Rendered, Visit, VisitFailed
from scoopi.configs.groups import BrowserSettings
from scoopi.descendants import kill_tree

_ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",  # a container's root has no user namespace to put it in; the page's process stays its own
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-breakpad",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--mute-audio",
)
_WITHOUT_IMAGES = ("--blink-settings=imagesEnabled=false", "--disable-remote-fonts")
_UNSENT = frozenset({"user-agent", "host", "connection", "accept-encoding", "content-length"})
"""Headers that a browser sets by itself, or that are set in another way."""
_PAGE = 200
_POLL_S = 0.05
_ANSWER_S = 5.0
"""How long the driver may take to report the answer, after the page has loaded."""
_CONDITIONS = """
const [selector, gone, text] = arguments;
return (!selector || document.querySelector(selector) !== null)
    && (!gone || document.querySelector(gone) === null)
    && (!text || (document.body !== null && document.body.innerText.includes(text)));
"""
_DOCUMENT = """
const kind = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : '';
return kind + (document.documentElement ? document.documentElement.outerHTML : '');
"""
DEATH = (WebDriverException, HTTPError, OSError)
"""What is raised when the browser or its driver has died."""
_NETWORK = (
    ("ERR_NAME_NOT_RESOLVED", "dns", "the host's name cannot be resolved"),
    ("ERR_CONNECTION_RESET", "reset", "the host has reset the connection"),
    ("ERR_EMPTY_RESPONSE", "reset", "the host has closed the connection without an answer"),
    ("ERR_CONNECTION", "connect", "the host refuses the connection or cannot be reached"),
    ("ERR_ADDRESS_UNREACHABLE", "connect", "the host refuses the connection or cannot be reached"),
    ("ERR_TIMED_OUT", "timeout", "the page did not come within its timeout"),
)


class Browser:
    """One Chromium with its driver, which loads one page at a time. Belongs to one thread, except `kill`.

    Args:
        profile: a folder of its own, for all that the browser keeps on disk.

    Attributes:
        pages: that it has loaded.

    Raises:
        WebDriverException: the driver or the browser does not start.
    """

    def __init__(self, settings: BrowserSettings, profile: Path) -> None:
        options = webdriver.ChromeOptions()
        blocked = () if settings.images else _WITHOUT_IMAGES
        for argument in (*_ARGUMENTS, *blocked, f"--user-data-dir={profile}"):
            options.add_argument(argument)
        options.enable_bidi = True
        options.set_capability("unhandledPromptBehavior", "dismiss")
        options.binary_location = settings.binary
        service = Service(settings.driver, log_output=str(profile / "driver.log"))
        self._driver = webdriver.Chrome(options=options, service=service)
        assert service.process is not None
        self._pid = service.process.pid
        self._answer: Mapping[str, Any] | None = None
        self._answered = threading.Condition()
        self._driver.network.add_event_handler("response_completed", self._on_answer)
        self._context = ""
        self._tab = ""
        self.profile = profile
        self.pages = 0

    def load(self, visit: Visit) -> Rendered | VisitFailed:
        """The page of one visit; cookies and storage of former ones are gone.

        Raises:
            DEATH: the browser or its driver has died.
        """
        self.pages += 1
        self._prepare(visit)
        self._driver.set_page_load_timeout(visit.timeout_s)
        try:
            self._driver.get(visit.url)
        except TimeoutException:
            return VisitFailed(
                "the page did not come within its timeout", "the page did not come in time", "timeout"
            )
        except WebDriverException as error:
            failure = _network_failure(str(error.msg))
            if failure is None:
                raise
            return failure
        with self._answered:  # the driver reports it in a thread of its own, perhaps later
            self._answered.wait_for(lambda: self._answer is not None, _ANSWER_S)
            answer = self._answer or {}
        status = int(answer.get("status", _PAGE))
        missing = self._missing(visit) if status == _PAGE else None
        if missing:
            return missing
        headers = {
            each["name"].lower(): str(each["value"].get("value", "")) for each in answer.get("headers", ())
        }
        body: str = self._driver.execute_script(_DOCUMENT)
        return Rendered(self._driver.current_url, body.encode(), status, headers)

    def kill(self) -> None:
        """End driver and browser at once, as nothing of them is kept; callable from any thread."""
        kill_tree(self._pid)

    def _prepare(self, visit: Visit) -> None:
        """A new tab in a context of its own, which has no cookies and storage."""
        driver = self._driver
        if self._context:
            driver.browser.remove_user_context(self._context)
        self._context = driver.browser.create_user_context()
        self._tab = driver.browsing_context.create(type="tab", user_context=self._context)
        driver.switch_to.window(self._tab)
        with self._answered:
            self._answer = None
        agent = next((value for name, value in visit.headers.items() if name.lower() == "user-agent"), "")
        if agent:
            driver.emulation.set_user_agent_override(user_agent=agent, contexts=[self._tab])
        extra = [
            {"name": name, "value": {"type": "string", "value": value}}
            for name, value in visit.headers.items()
            if name.lower() not in _UNSENT
        ]
        driver.network.set_extra_headers(headers=extra)

    def _missing(self, visit: Visit) -> VisitFailed | None:
        """Wait for what the definitions name; the failure if it does not come."""
        waits = visit.waits
        time.sleep(waits.time_ms / 1000)
        ends = time.monotonic() + waits.timeout_ms / 1000
        while True:
            try:
                if self._driver.execute_script(_CONDITIONS, waits.selector, waits.gone, waits.text):
                    return None
            except (InvalidElementStateException, JavascriptException) as error:
                if "is not a valid selector" in str(error.msg):
                    said = str(error.msg).partition(": ")[2]
                    what = f"a selector of `until` cannot be read by a browser: {said}"
                    hint = "use selectors as in document.querySelector"
                    return VisitFailed(what, "a selector of `until` cannot be read by a browser", hint=hint)
                # otherwise the page has just navigated, or left no document
            if time.monotonic() > ends:
                wanted = ", ".join(
                    f"{name} `{value}`"
                    for name, value in (
                        ("selector", waits.selector),
                        ("gone", waits.gone),
                        ("text", waits.text),
                    )
                    if value
                )
                what = f"the page did not become complete within {waits.timeout_ms / 1000:g} s: {wanted}"
                return VisitFailed(
                    what, "what `until` waits for did not come", hint="look at `until` of its group"
                )
            time.sleep(_POLL_S)

    def _on_answer(self, event: Any) -> None:
        """Note the answer to the tab's last navigation; called by the driver's thread."""
        if event.navigation is not None and event.context == self._tab:
            with self._answered:
                self._answer = event.response
                self._answered.notify()


def _network_failure(message: str) -> VisitFailed | None:
    """The failure that a driver's message of a failed navigation stands for; None for any other."""
    if "net::" not in message:
        return None
    found = message.partition("net::")[2].split()[0].rstrip(")")
    for begin, reason, cause in _NETWORK:
        if found.startswith(begin):
            return VisitFailed(f"{cause} ({found})", cause, reason)
    return VisitFailed(f"the browser cannot load the page ({found})", "the browser cannot load the page")
