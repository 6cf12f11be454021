"""SiteRequests: gives the headers of a site to those requests of a page that go to its host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from scoopi.browser.chromium.devtools import DevTools

_UNSENT = frozenset({"user-agent", "cookie", "host", "connection", "accept-encoding", "content-length"})
"""Headers that a browser sets by itself, or that are set in another way."""


class SiteRequests:
    """Gives the headers of a site to those requests of a page that go to its host, and to no others.

    They may be credentials (`Authorization`, an API key), and pages take scripts and images from everywhere.
    Only requests to that host are held up. A host that is asked over TLS gets none without it.
    """

    def __init__(self, devtools: DevTools) -> None:
        self._devtools = devtools
        self._extra: Mapping[str, str] = {}
        self._patterns: list[dict[str, str]] = []
        self._watched: dict[str, list[dict[str, str]]] = {}

    def begin(self, url: str, headers: Mapping[str, str]) -> None:
        """Use these headers for the host of an address, in place of those of a former visit."""
        self._extra = {name.lower(): value for name, value in headers.items() if name.lower() not in _UNSENT}
        address = urlsplit(url)
        scheme, host = "https" if address.scheme == "https" else "*", address.hostname or ""
        shown = f"[{host}]" if ":" in host else host
        self._patterns = [{"urlPattern": f"{scheme}://{shown}{port}/*"} for port in ("", ":*")]
        if not self._extra:
            self._patterns = []

    def watch(self, session: str) -> None:
        """Hold up the requests of a page, or of one of its frames, that get headers."""
        if self._watched.get(session, []) == self._patterns:
            return
        self._watched[session] = self._patterns
        if self._patterns:
            self._devtools.post("Fetch.enable", {"patterns": self._patterns}, session)
        else:
            self._devtools.post("Fetch.disable", {}, session)

    def take(self, session: str, event: Mapping[str, Any]) -> None:
        """Continue a request that is held up, with the headers of its site."""
        own = event["request"]["headers"].items()
        headers = {name: value for name, value in own if name.lower() not in self._extra}
        pairs = [{"name": name, "value": value} for name, value in {**headers, **self._extra}.items()]
        wanted = {"requestId": event["requestId"], "headers": pairs}
        self._devtools.post("Fetch.continueRequest", wanted, session)
