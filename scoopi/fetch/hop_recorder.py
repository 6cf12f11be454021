"""HopRecorder: records what each hop of a page sends and receives, and when, for `scoopi fetch`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

import pycurl

from scoopi.fetch.request import Request
from scoopi.model.locator import PageRequest, Pairs
from scoopi.model.report.fetched_page import Hop
from scoopi.model.sites import Site
from scoopi.model.text.secrets import MASK, is_open
from scoopi.model.text.shown import shown

_SECRET = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie"})
_STATUS_LINE = re.compile(rb"(?m)^HTTP/")
"""Start of a response; anchored, as headers may contain a version, too: `Server: BaseHTTP/0.6`."""


class HopRecorder:
    """Records what each hop of a page sends and receives, and when, for `scoopi fetch`.

    The client must have only one page in flight at a time.

    Attributes:
        hops: the recorded hops, in order.
        purpose: purpose of the next hops, see `Hop`.
    """

    def __init__(self) -> None:
        self.hops: list[Hop] = []
        self.purpose = "page"
        self._request = Request("")
        self._sent = self._received = b""

    def watch(self, handle: pycurl.Curl) -> None:
        """Make curl report what the hop that starts now sends and receives, until its `end`.

        Not to be called earlier: pycurl cannot call back while cookies are being set on a handle.
        """
        handle.setopt(pycurl.DEBUGFUNCTION, self._take)
        handle.setopt(pycurl.VERBOSE, 1)

    def begin(self, request: Request) -> None:
        """Set the request of the next hop."""
        self._request = request

    def end(self, handle: Any) -> None:
        """Record the hop that the handle has just ended."""
        handle.setopt(pycurl.VERBOSE, 0)
        request, site = self._request, self._request.site or Site()
        sent, self._sent = self._sent, b""
        received, self._received = self._received, b""
        content = request.content or PageRequest()
        given = dict((*site.headers.items(), *content.headers))
        secret = {name.lower() for name, text in given.items() if not is_open(name, text)} | _SECRET
        address = handle.getinfo(pycurl.PRIMARY_IP)
        times = {
            "dns": pycurl.NAMELOOKUP_TIME,
            "connect": pycurl.CONNECT_TIME,
            "tls": pycurl.APPCONNECT_TIME,
            "first": pycurl.STARTTRANSFER_TIME,
            "total": pycurl.TOTAL_TIME,
        }
        answer = _STATUS_LINE.split(received)[-1]
        self.hops.append(
            Hop(
                content.method,
                shown(request.url),
                _headers(sent, secret),
                handle.getinfo(pycurl.RESPONSE_CODE),
                _headers(answer, secret),
                f"{address}:{handle.getinfo(pycurl.PRIMARY_PORT)}" if address else "",
                {name: round(1000 * handle.getinfo(code), 1) for name, code in times.items()},
                int(handle.getinfo(pycurl.SIZE_DOWNLOAD_T)),
                self.purpose,
                f"HTTP/{answer.split(maxsplit=1)[0].decode()}" if answer else "",
            )
        )

    def _take(self, kind: int, data: bytes) -> None:
        if kind == pycurl.INFOTYPE_HEADER_OUT:
            self._sent += data
        elif kind == pycurl.INFOTYPE_HEADER_IN:
            self._received += data


def _headers(block: bytes, secret: set[str] | frozenset[str]) -> Pairs:
    lines = [line.partition(":") for line in block.decode("utf-8", "replace").splitlines()[1:]]
    return masked_pairs(((name, value.strip()) for name, mark, value in lines if mark), secret)


def masked_pairs(pairs: Iterable[tuple[str, str]], secret: Collection[str] = _SECRET) -> Pairs:
    """Headers for display: the values of those in `secret` (lower-case names) are masked."""
    return tuple((name, MASK if name.lower() in secret else shown(value)) for name, value in pairs)
