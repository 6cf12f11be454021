"""FetchedPage: the requests and answers of one page, as `scoopi fetch` shows them."""

from __future__ import annotations

import msgspec

from scoopi.model.locator import Pairs

BY_LOADER = "loader"
"""The purpose of a further request of a loader plugin, whose answer only the plugin sees."""


class Hop(msgspec.Struct, frozen=True):
    """One request and its answer; credentials are masked.

    Attributes:
        url: that was asked for.
        request: the headers as they were sent; `response` those of the answer.
        status: of the answer; 0 without one.
        address: `ip:port` that was connected to; empty without a connection.
        ms: milliseconds since the hop began until the name was looked up (`dns`), the connection stood
            (`connect`), TLS was agreed on (`tls`), the answer began (`first`), and the end (`total`).
        size_bytes: of the body as it came.
        purpose: `page`, `robots.txt`, `login`, or BY_LOADER.
        version: of the protocol of the answer, `HTTP/1.1` or `HTTP/2`; empty without one.
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
    """The requests and answers of one page, as `scoopi fetch` shows them.

    Attributes:
        hops: each request with its answer, in their order.
        content_type: of the page; empty if it was not loaded.
        charset: that its server declares; empty if none.
        size_bytes: of the body, content coding undone.
        error: why it was not loaded; empty if it was.
        curl: the command that makes the first request for the page itself.
        notes: what robots.txt says, and how logins have ended, in words.
        retries: what a run does after the error, in words; empty without one.
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
