"""FetchedPage: the requests and responses of one page, as `scoopi fetch` shows them."""

from __future__ import annotations

import msgspec

from scoopi.model.locator import Pairs

BY_LOADER = "loader"
"""The purpose of a further request of a loader plugin, whose response only the plugin sees."""


class Hop(msgspec.Struct, frozen=True):
    """One request and its response; credentials are masked.

    Attributes:
        url: the requested URL.
        request: the headers of the request, as sent.
        status: the status of the response; 0 if there was none.
        response: the headers of the response.
        address: the `ip:port` of the connection; empty if there was none.
        ms: milliseconds from the beginning of the hop until the name was resolved (`dns`), the connection was
            established (`connect`), the TLS handshake was complete (`tls`), the response began (`first`), and
            it ended (`total`).
        size_bytes: the size of the body as received.
        purpose: `page`, `robots.txt`, `login`, or BY_LOADER.
        version: the protocol of the response, `HTTP/1.1` or `HTTP/2`; empty if there was none.
    """

    method: str
    url: str
    request: Pairs
    status: int
    response: Pairs
    address: str
    ms: dict[str, float]
    size_bytes: int
    purpose: str
    version: str = ""


class FetchedPage(msgspec.Struct, frozen=True):
    """The requests and responses of one page, as `scoopi fetch` shows them.

    Attributes:
        hops: each request with its response, in order.
        content_type: the media type of the page; empty if it was not loaded.
        charset: the charset that the server declares; empty if it declares none.
        size_bytes: the size of the decoded body.
        error: why the page was not loaded; empty if it was.
        curl: the curl command that sends the first request for the page itself.
        notes: sentences about robots.txt and about the results of logins.
        retries: a sentence on what a run does after the error; empty if there is none.
        loader: the name of the plugin that loaded it, or `browser`; empty if Scoopi's own client did.
    """

    hops: tuple[Hop, ...]
    content_type: str = ""
    charset: str = ""
    size_bytes: int = 0
    error: str = ""
    curl: str = ""
    notes: tuple[str, ...] = ()
    retries: str = ""
    loader: str = ""
