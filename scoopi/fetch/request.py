"""Request, Response, Redirect, Unsent: one hop's question and its possible answers."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class Request(msgspec.Struct, frozen=True):
    """Asks for one page at one host.

    Attributes:
        url: absolute and escaped, as Address.url.
        not_after: seconds of the monotonic clock after which the request may not go out; None: ever.
        hops: redirects followed so far.
        cookies: set in this chain of redirects, as HttpClient notes them.
        fresh: goes over a new connection, for it was Unsent in vain over a kept one.
        public_only: a public page led here: a host of a private address is not asked.
    """

    url: str
    not_after: float | None = None
    hops: int = 0
    cookies: tuple[str, ...] = ()
    fresh: bool = False
    public_only: bool = False


class Response(msgspec.Struct, frozen=True):
    """A page.

    Attributes:
        status: 200 to 299.
        headers: names in lower case; of repeated ones the values joined by `, `, of `location` the first.
        body: content coding undone.
        charset: of the Content-Type header, as written there; None when it has none.
        url: the address that answered.
        is_public: whether that is a public host.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    charset: str | None
    url: str
    is_public: bool = False


class Redirect(msgspec.Struct, frozen=True):
    """The page is elsewhere.

    Attributes:
        host: of the target, `host:port`; the next request needs a grant of this host.
        request: the next hop; give it the grant's `not_after`.
    """

    host: str
    request: Request


class Unsent(msgspec.Struct, frozen=True):
    """The request needs a further grant.

    Attributes:
        in_vain: it went out over a kept connection that had ended; else the grant had run out before, and
            the site saw nothing of it.
    """

    in_vain: bool = False
