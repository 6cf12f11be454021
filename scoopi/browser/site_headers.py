"""SiteHeaders: gives the headers of a site to those requests of a page that go to its host."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import websocket
from selenium import webdriver
from selenium.common.exceptions import WebDriverException

_UNSENT = frozenset({"user-agent", "cookie", "host", "connection", "accept-encoding", "content-length"})
"""Headers that a browser sets by itself, or that are set in another way."""
_ANSWER_S = 10.0


class SiteHeaders:
    """Gives the headers of a site to those requests of a page that go to its host, and to no others.

    They may be credentials (`Authorization`, an API key), and pages take scripts and images from everywhere.
    Only requests to that host are held up, over a connection of its own: the driver handles one command at a
    time, and would not continue a request while it waits for the page.
    """

    def __init__(self, driver: webdriver.Chrome) -> None:
        self._address = driver.capabilities["goog:chromeOptions"]["debuggerAddress"]
        self._link: Any = None  # a WebSocket, whose methods have no types

    def put(self, tab: str, url: str, headers: Mapping[str, str]) -> None:
        """Use these headers, in place of those of a former tab, for the host of an address.

        A host that is asked over TLS gets none without it.

        Raises:
            WebDriverException: the browser does not answer.
        """
        self.clear()
        extra = {name.lower(): value for name, value in headers.items() if name.lower() not in _UNSENT}
        if not extra:
            return
        address = urlsplit(url)
        scheme, host = "https" if address.scheme == "https" else "*", address.hostname or ""
        shown = f"[{host}]" if ":" in host else host
        patterns = [{"urlPattern": f"{scheme}://{shown}{port}/*"} for port in ("", ":*")]
        try:
            link = websocket.create_connection(
                f"ws://{self._address}/devtools/page/{tab}", _ANSWER_S, suppress_origin=True
            )
            _send(link, 0, "Fetch.enable", {"patterns": patterns})
            answer = json.loads(link.recv())
        except (OSError, websocket.WebSocketException) as error:
            raise WebDriverException(f"the browser does not take the headers of its site: {error}") from error
        if "error" in answer:
            raise WebDriverException(f"the browser does not take the headers of its site: {answer['error']}")
        link.settimeout(None)
        self._link = link
        threading.Thread(target=_serve, args=(link, extra), daemon=True).start()

    def clear(self) -> None:
        """No request gets headers any more."""
        if self._link is not None:
            self._link.abort()  # which also wakes the thread that reads from it
            self._link = None


def _serve(link: Any, extra: Mapping[str, str]) -> None:
    """Continue each request that is held up; ends when the connection is closed, as with its tab."""
    number = 0
    try:
        while text := link.recv():
            event = json.loads(text)
            if event.get("method") == "Fetch.requestPaused":
                number += 1
                asked = event["params"]
                headers = {
                    name: value
                    for name, value in asked["request"]["headers"].items()
                    if name.lower() not in extra
                }
                pairs = [{"name": name, "value": value} for name, value in {**headers, **extra}.items()]
                _send(
                    link, number, "Fetch.continueRequest", {"requestId": asked["requestId"], "headers": pairs}
                )
    except (OSError, websocket.WebSocketException):
        return


def _send(link: Any, number: int, method: str, params: Mapping[str, Any]) -> None:
    link.send(json.dumps({"id": number, "method": method, "params": params}))
