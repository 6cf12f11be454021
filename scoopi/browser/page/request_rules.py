"""RequestRules: which requests of a page are sent, when, and with which headers of its site."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from urllib.parse import SplitResult, urlsplit

from scoopi.browser.pool_messages import PartWanted, Visit
from scoopi.browser.started import Ask, allow

_UNSENT = frozenset({"user-agent", "cookie", "host", "connection", "accept-encoding", "content-length"})
"""Headers that a browser sets by itself, or that are set in another way."""
_WEB = ("http://", "https://")
OnRuling = Callable[[Mapping[str, str] | None], None]
"""Takes the headers that a request gets, which may be none; None if it must not be sent."""


class RequestRules:
    """Which requests of a page are sent, when, and with which headers of its site.

    The headers may be credentials (`Authorization`, an API key), and pages take scripts and images from
    everywhere: they go to the site's host only, and only over TLS if the site is asked over it. The first
    request of a visit has its grant; those for further pages ask for one, and with `paced` all do.

    Attributes:
        headers: of the site, names in lower case.
        site: the address of the visit.
        is_paced: all requests ask for grants.
    """

    def __init__(self) -> None:
        self.headers: Mapping[str, str] = {}
        self.site: SplitResult = urlsplit("")
        self.is_paced = False
        self._ask: Ask = allow
        self._has_begun = False

    def begin(self, visit: Visit, ask: Ask) -> None:
        """Hold for the requests of a visit from now on."""
        self.headers = {
            name.lower(): value for name, value in visit.headers.items() if name.lower() not in _UNSENT
        }
        self.site = urlsplit(visit.url)
        self.is_paced = visit.how.paced
        self._ask = ask
        self._has_begun = False

    def rule(self, url: str, is_page: bool, on_ruling: OnRuling) -> None:
        """Decide on a request, now or once it has its grant; called in the order of the requests.

        Args:
            is_page: the tab goes to this address; else it is for a part of the page.
        """
        is_first = is_page and not self._has_begun
        self._has_begun = self._has_begun or is_page
        headers = self.headers if self._is_own(url) else {}
        if (is_page or self.is_paced) and not is_first and url.startswith(_WEB):
            self._ask(PartWanted(url, is_page), partial(_ruled, on_ruling, headers))
        else:
            on_ruling(headers)

    def _is_own(self, url: str) -> bool:
        asked = urlsplit(url)
        is_safe = asked.scheme == "https" or self.site.scheme != "https"
        return is_safe and asked.hostname == self.site.hostname


def _ruled(on_ruling: OnRuling, headers: Mapping[str, str], is_allowed: bool) -> None:
    on_ruling(headers if is_allowed else None)
