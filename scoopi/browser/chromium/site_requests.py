"""SiteRequests: holds up requests of a page until they may be sent; some get the headers of the site."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from scoopi.browser.chromium.devtools import DevTools
from scoopi.browser.pool_messages import PartWanted, Visit
from scoopi.browser.started import Ask, allow

_UNSENT = frozenset({"user-agent", "cookie", "host", "connection", "accept-encoding", "content-length"})
"""Headers that a browser sets by itself, or that are set in another way."""
_PAGES = {"urlPattern": "*", "resourceType": "Document"}
_WEB = ("http://", "https://")


class SiteRequests:
    """Holds up requests of a page until they may be sent, and gives its headers to those of its site.

    The headers may be credentials (`Authorization`, an API key), and pages take scripts and images from
    everywhere: they go to the site's host only, and only over TLS if the site is asked over it. The first
    request of a visit has its grant; held up are the requests for further pages, those that get headers, and
    with `paced` all.
    """

    def __init__(self, devtools: DevTools) -> None:
        self._devtools = devtools
        self._ask: Ask = allow
        self._tab = ""
        self._extra: Mapping[str, str] = {}
        self._site = urlsplit("")
        self._is_paced = False
        self._has_begun = False
        self._patterns: list[dict[str, str]] = []
        self._watched: dict[str, list[dict[str, str]]] = {}

    def begin(self, visit: Visit, tab: str, ask: Ask) -> None:
        """Do so for a visit, in a tab whose main frame has the same name."""
        self._ask, self._tab = ask, tab
        self._extra = {
            name.lower(): value for name, value in visit.headers.items() if name.lower() not in _UNSENT
        }
        self._site = urlsplit(visit.url)
        self._is_paced = visit.how.paced
        self._has_begun = False
        self._patterns = [{"urlPattern": "*"}] if self._is_paced else [_PAGES, *self._own()]

    def watch(self, session: str) -> None:
        """Hold up requests of a page, or of one of its frames."""
        if self._watched.get(session) != self._patterns:
            self._watched[session] = self._patterns
            self._devtools.post("Fetch.enable", {"patterns": self._patterns}, session)

    def forget(self, *sessions: str) -> None:
        """Forget pages and frames that are closed."""
        for session in sessions:
            self._watched.pop(session, None)

    def take(self, session: str, event: Mapping[str, Any]) -> None:
        """Continue a request that is held up, once it may be sent."""
        url = str(event["request"]["url"])
        is_page = event["resourceType"] == "Document" and event["frameId"] == self._tab
        is_first = is_page and not self._has_begun
        self._has_begun = self._has_begun or is_page
        needs_grant = (is_page or self._is_paced) and not is_first and url.startswith(_WEB)
        if needs_grant:
            self._ask(PartWanted(url, is_page), partial(self._end, session, event))
        else:
            self._end(session, event, True)

    def _end(self, session: str, event: Mapping[str, Any], is_allowed: bool) -> None:
        wanted: dict[str, Any] = {"requestId": event["requestId"]}
        if not is_allowed:
            refusal = {**wanted, "errorReason": "BlockedByClient"}
            self._devtools.post("Fetch.failRequest", refusal, session)
            return
        if self._extra and self._is_own(str(event["request"]["url"])):
            own = event["request"]["headers"].items()
            headers = {name: value for name, value in own if name.lower() not in self._extra}
            pairs = [{"name": name, "value": value} for name, value in {**headers, **self._extra}.items()]
            wanted["headers"] = pairs
        self._devtools.post("Fetch.continueRequest", wanted, session)

    def _own(self) -> list[dict[str, str]]:
        """The patterns of requests to the site, if they get headers."""
        scheme, host = "https" if self._site.scheme == "https" else "*", self._site.hostname or ""
        shown = f"[{host}]" if ":" in host else host
        patterns = [{"urlPattern": f"{scheme}://{shown}{port}/*"} for port in ("", ":*")]
        return patterns if self._extra else []

    def _is_own(self, url: str) -> bool:
        asked = urlsplit(url)
        is_safe = asked.scheme == "https" or self._site.scheme != "https"
        return is_safe and asked.hostname == self._site.hostname
