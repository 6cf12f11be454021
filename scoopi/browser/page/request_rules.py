"""RequestRules: decides which requests of a page are sent, when, and with which headers of the site."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from functools import partial
from urllib.parse import SplitResult, urlsplit

from scoopi.browser.pool_messages import PartRequested, Visit
from scoopi.browser.started import Ask, allow

_UNSENT = frozenset({"user-agent", "cookie", "host", "connection", "accept-encoding", "content-length"})
"""Headers that a browser sets by itself, or that are set in another way."""
_MEDIA_ENDING = re.compile(r"/favicon\.|\.(aac|flac|m4a|mp3|og[agv]|opus|wav|m3u8|m4v|mov|mp4|mpd|webm)$")
_WEB = ("http://", "https://")
OnRuling = Callable[[Mapping[str, str] | None], None]
"""Called with the headers to add to a request, which may be none; with None if it must not be sent."""


class RequestRules:
    """Decides which requests of a page are sent, when, and with which headers of the site.

    The headers may be credentials (`Authorization`, an API key), and pages load scripts and images from
    anywhere, so the headers are sent to the site's host only, and only over TLS if the site uses TLS.
    Requests for further pages need grants; with `paced`, all requests do. The first request of a visit has
    a grant already; its loader is asked nevertheless if it wants to know when that is used.

    Attributes:
        headers: headers of the site by name in lower case.
        site: the address of the visit.
        is_paced: whether all requests need grants.
    """

    def __init__(self) -> None:
        self.headers: Mapping[str, str] = {}
        self.site: SplitResult = urlsplit("")
        self.is_paced = False
        self._block: tuple[str, ...] = ()
        self._ask: Ask = allow
        self._has_begun = self._asks_first = False

    def begin(self, visit: Visit, ask: Ask) -> None:
        """Apply the rules of this visit to the requests from now on.

        Args:
            ask: asks for the grants of requests that need one.
        """
        self.headers = {
            name.lower(): value for name, value in visit.headers.items() if name.lower() not in _UNSENT
        }
        self.site = urlsplit(visit.url)
        self.is_paced = visit.how.paced
        self._block = tuple(pattern.lower() for pattern in visit.how.block)
        self._ask = ask
        self._has_begun, self._asks_first = False, visit.asks_first

    def rule(self, url: str, is_page: bool, on_ruling: OnRuling, is_window: bool = False) -> None:
        """Decide on a request, at once or when its grant comes; called in the order of the requests.

        Args:
            url: address of the request.
            is_page: whether the tab navigates to this address; otherwise it is for a part of the page.
            on_ruling: called with the decision.
            is_window: whether the request is for the page of a window that this page has opened.
        """
        is_first = is_page and not self._has_begun
        self._has_begun = self._has_begun or is_page
        headers = self.headers if self._is_own(url) else {}
        needs_grant = self._asks_first if is_first else is_page or is_window or self.is_paced
        if needs_grant and url.startswith(_WEB):
            self._ask(PartRequested(url, is_page or is_window, is_first), partial(_ruled, on_ruling, headers))
        else:
            on_ruling(headers)

    def is_blocked(self, url: str) -> bool:
        """Return whether the definitions block the host of an address, for parts of the page."""
        host = urlsplit(url).hostname or ""
        return any(fnmatchcase(host, pattern) for pattern in self._block)

    def _is_own(self, url: str) -> bool:
        asked = urlsplit(url)
        is_safe = asked.scheme == "https" or self.site.scheme != "https"
        return is_safe and asked.hostname == self.site.hostname


def _ruled(on_ruling: OnRuling, headers: Mapping[str, str], is_allowed: bool) -> None:
    on_ruling(headers if is_allowed else None)


def has_media_ending(url: str) -> bool:
    """Return whether the address is that of a sound, a film or an icon, judged by the end of its path."""
    return bool(_MEDIA_ENDING.search(urlsplit(url).path.lower()))
