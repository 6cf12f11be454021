"""LoaderPlugin: the interface of plugins that load web pages themselves, and what is passed to them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Protocol

import msgspec


class Answer(msgspec.Struct, frozen=True):
    """What a server answered; Scoopi judges it as it judges the answers to its own requests.

    Attributes:
        url: the address that answered.
        body: after decoding Content-Encoding.
        status: Scoopi follows a redirect by calling `load` again; 304 means that the archived page is still
            current; any other status than 200 fails the page, transiently or permanently.
        headers: names in any case. Scoopi reads Content-Type, Location, Retry-After, ETag and Last-Modified.
        cookies: cookies of the site's session after the answer, as in `Terms`; None if unchanged.
    """

    url: str
    body: bytes
    status: int = 200
    headers: Mapping[str, str] = {}
    cookies: tuple[str, ...] | None = None


class Terms(msgspec.Struct, frozen=True):
    """How one request may be made.

    Attributes:
        url: the requested address, escaped as browsers do.
        headers: headers to send: those of the site's settings, including User-Agent, and conditional headers
            (If-None-Match, If-Modified-Since) for a page that is archived.
        timeout_s: timeout of the whole request.
        method: HTTP method, as in the page's locator.
        body: request body; None without one.
        cookies: cookies of the site's session, for the request of the page itself, as lines of a cookie file
            (domain, TRUE to include subdomains, path, TRUE for HTTPS only, expiry in seconds since 1970, name
            and value, separated by tabs); None if the site keeps no session.
        locator_name: name of the page's locator in the definitions.
        locator_url: URL of the page's locator in the definitions.
    """

    url: str
    headers: Mapping[str, str]
    timeout_s: float
    method: str = "GET"
    body: bytes | None = None
    cookies: tuple[str, ...] | None = None
    locator_name: str = ""
    locator_url: str = ""


class HeldGrant(Protocol):
    """A grant for a request that is sent later.

    Attributes:
        terms: how the request may be made.
    """

    terms: Terms

    def use(self) -> bool:
        """Report that the request is sent now; False if the grant has expired or was used before."""


class Web(Protocol):
    """Obtains grants for the requests of one `load`."""

    def grant(self, url: str) -> AbstractContextManager[Terms]:
        """Wait until a request to the host of `url` is allowed; send one request within the `with` block.

        Raises:
            FetchError: the address is malformed, or a public page leads to a private host.
        """

    def hold(self, url: str) -> AbstractContextManager[HeldGrant]:
        """As `grant`, for a request that takes long to prepare: it counts as sent when the grant is used."""

    def grant_part(self, url: str) -> AbstractContextManager[Terms]:
        """As `grant`, for a subresource of a page (a script, data); robots.txt is not checked for it."""


class LoaderPlugin(Protocol):
    """Loads pages in place of Scoopi's own HTTP client; called from several threads at a time."""

    def load(self, url: str, web: Web) -> Answer:
        """Request `url`, and return the server's answer to this request or to one that followed from it.

        Raises:
            FetchError: the page cannot be loaded; its `fault` says whether another attempt may help.
            OSError: no connection, a lost connection or a timeout; another attempt may help.
        """
