"""LoaderPlugin: the interface of plugins that load web pages themselves, and what they are given."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Protocol

import msgspec


class Answer(msgspec.Struct, frozen=True):
    """What a server answered; Scoopi judges it as it judges the answers to its own requests.

    Attributes:
        url: the address that answered.
        body: with its content codings undone.
        status: a redirect is followed by Scoopi, which calls `load` again; 304 stands for the kept page, any
            other than 200 is an error of the page, transient or permanent by its number.
        headers: names in any case; used are Content-Type, Location, Retry-After, ETag and Last-Modified.
        cookies: of the site's session after the answer, as in `Terms`; None: as they were.
    """

    url: str
    body: bytes
    status: int = 200
    headers: Mapping[str, str] = {}
    cookies: tuple[str, ...] | None = None


class Terms(msgspec.Struct, frozen=True):
    """How one request may be made.

    Attributes:
        url: as asked for, escaped as browsers do.
        headers: that the settings of the site want, User-Agent among them, and for the page itself the
            conditions under which it need not be sent again.
        timeout_s: of the request as a whole.
        method: of the request, as the locator of the page has it.
        body: that is sent; None without one.
        cookies: of the site's session, for the request of the page itself, as lines of a cookie file (domain,
            TRUE with its subdomains, path, TRUE for encrypted requests only, end in seconds, name and value,
            parted by tabs); None if the site keeps no session.
        locator_name: of the page's locator, as in the definitions.
        locator_url: likewise.
    """

    url: str
    headers: Mapping[str, str]
    timeout_s: float
    method: str = "GET"
    body: bytes | None = None
    cookies: tuple[str, ...] | None = None
    locator_name: str = ""
    locator_url: str = ""


class Web(Protocol):
    """Obtains grants for the requests of one `load`."""

    def grant(self, url: str) -> AbstractContextManager[Terms]:
        """Wait until the host of `url` may be asked, for one request, which is sent within the `with`.

        Raises:
            FetchError: the address is malformed, or a public page led to a private host.
        """

    def grant_part(self, url: str) -> AbstractContextManager[Terms]:
        """Likewise for something that a page loads (a script, data), of which robots.txt is not asked."""


class LoaderPlugin(Protocol):
    """Loads pages in place of Scoopi's own HTTP client; called in several threads at a time."""

    def load(self, url: str, web: Web) -> Answer:
        """The answer of the server to a request for `url`, or one of any further requests.

        Raises:
            FetchError: the page cannot be loaded; its `fault` says whether another attempt may help.
            OSError: no connection, a lost connection or a timeout; another attempt may help.
        """
