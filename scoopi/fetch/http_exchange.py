"""HttpExchange: one hop after another over one curl handle: a question, and what comes of it."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable
from typing import Any

import pycurl

from scoopi.configs.groups import WebClientSettings
from scoopi.errors import FetchError
from scoopi.fetch.address import redirect_address
from scoopi.fetch.certificates import trusted_file
from scoopi.fetch.http_faults import NOT_TRIED, fault, status_fault
from scoopi.fetch.private_hosts import PrivateHosts
from scoopi.fetch.reception import PageRoom, Reception
from scoopi.fetch.request import Redirect, Request, Response, Unsent
from scoopi.model.shown import shown

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
REDIRECTS = frozenset((301, 302, 303, 307, 308))
CONNECTION_ENDED = frozenset((pycurl.E_SEND_ERROR, pycurl.E_RECV_ERROR, pycurl.E_GOT_NOTHING))
FIRST_FINAL_STATUS = 200
"""Below it an answer only announces another."""
RECEIVE_BYTES = 131_072

_CHARSET = re.compile(r";\s*charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;\"']+))", re.IGNORECASE)
_NO_REQUEST = Request("")


class _LentSocket(socket.socket):
    """Given to curl, which makes a descriptor of its own of it and drops this one."""

    def __del__(self) -> None:
        self.close()


class HttpExchange:
    """Used by one thread at a time. Speaks HTTP/1.1.

    Proxies are taken from the environment (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`), as curl
    does. Cookies are forgotten after each hop, except along one chain of redirects (Request.cookies).

    Args:
        going_out: told when curl is about to send; must not wait, or the request would go out late.
        room: for the pages of all exchanges of a client.
        private_hosts: which hosts may be asked after a public page.

    Attributes:
        handle: what is given to curl between `begin` and `end`.
    """

    def __init__(
        self,
        settings: WebClientSettings,
        going_out: Callable[[HttpExchange], None],
        room: PageRoom | None = None,
        private_hosts: PrivateHosts | None = None,
    ) -> None:
        self._private_hosts = private_hosts or PrivateHosts(settings.private_hosts)
        self._peer = "", 0
        self._refused = ""
        self._settings = settings
        self._going_out = going_out
        self._reception = Reception(settings.max_bytes, room or PageRoom(settings.max_held_bytes))
        self._request = _NO_REQUEST
        self._on_sent: Callable[[], None] | None = None
        self._expired = False
        self._went_out = False
        self._began = 0.0
        self._sent_error: Exception | None = None
        self.handle = pycurl.Curl()
        self._set_up(self.handle)

    def begin(self, request: Request, on_sent: Callable[[], None] | None) -> bool:
        """Make the handle ready, if the request may still go out; arguments as of `HttpClient.begin`."""
        now = time.monotonic()
        if request.not_after is not None and now > request.not_after:
            return False
        self._reception.reset()
        self._request = request
        self._on_sent = on_sent
        self._expired = False
        self._went_out = False
        self._sent_error = None
        self._refused = ""
        self._began = now
        self.handle.setopt(pycurl.URL, request.url)
        self.handle.setopt(pycurl.FRESH_CONNECT, request.fresh)
        self.handle.setopt(pycurl.COOKIELIST, "ALL")
        for cookie in request.cookies:
            self.handle.setopt(pycurl.COOKIELIST, cookie)
        return True

    def end(self, number: int = pycurl.E_OK, words: str = "") -> Response | Redirect | Unsent:
        """What came of the hop, which curl has ended.

        Args:
            number: curl's error number, pycurl.E_….
            words: curl's own, for an error.
        Raises:
            FetchError: as `HttpClient.begin` says; what `on_sent` raised.
        """
        try:
            if self._sent_error is not None:
                raise self._sent_error
            if self._refused and number != pycurl.E_OK:
                raise self._private_fault()
            if self._expired and not self._went_out:
                return Unsent()
            if self._expired or self._ended_under_it(number):
                return self._in_vain()
            failed = number != pycurl.E_OK
            if failed and (self._reception.wanted or self._reception.status < FIRST_FINAL_STATUS):
                raise self._fault(number, words)
            return self._answer(self._request)
        finally:
            self._on_sent = None
            self._reception.reset()  # or the page would be kept until the next hop, which may never come

    def was_starved(self, number: int, looked_at_s: float) -> bool:
        """Whether it had too little of a connect timeout because this process was busy with other pages.

        Args:
            number: curl's error number.
            looked_at_s: for how long its connection was looked after.
        """
        if number != pycurl.E_OPERATION_TIMEDOUT or self._went_out:
            return False
        lasted_s = time.monotonic() - self._began
        return (
            looked_at_s < self._settings.connect_timeout_ms / 1000
            and lasted_s < self._settings.timeout_ms / 1000
        )

    def refuse_size(self) -> None:
        """End it as too large; it is given to `end` with an error then."""
        self._reception.refuse_size()

    def go_on(self) -> None:
        """Take what was left with curl while there was no room for it."""
        self.handle.pause(pycurl.PAUSE_CONT)

    def tell_sent(self) -> None:
        """Call `on_sent`: the request has gone out."""
        try:
            if self._on_sent is not None:
                self._on_sent()
        except Exception as error:
            self._sent_error = error

    def close(self) -> None:
        """Free the handle."""
        self.handle.close()

    def _set_up(self, curl: pycurl.Curl) -> None:
        settings = self._settings
        curl.setopt(pycurl.NOSIGNAL, 1)
        curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
        curl.setopt(pycurl.FOLLOWLOCATION, 0)
        # When a site ends a connection of HTTP/2 (many do so after some requests), curl loses or stalls some
        # of the others that share it.
        curl.setopt(pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1)
        curl.setopt(pycurl.CONNECTTIMEOUT_MS, settings.connect_timeout_ms)
        curl.setopt(pycurl.TIMEOUT_MS, settings.timeout_ms)
        curl.setopt(pycurl.USERAGENT, settings.user_agent)
        # Given as a plain header, so that curl leaves the body as it comes: it cannot decode zstd.
        curl.setopt(pycurl.HTTPHEADER, [f"Accept: {ACCEPT}", "Accept-Encoding: gzip, br, zstd"])
        curl.setopt(pycurl.COOKIEFILE, "")
        curl.setopt(pycurl.BUFFERSIZE, RECEIVE_BYTES)
        curl.setopt(pycurl.HEADERFUNCTION, self._reception.take_header)
        curl.setopt(pycurl.WRITEFUNCTION, self._reception.take_body)
        curl.setopt(pycurl.PREREQFUNCTION, self._before_sending)
        curl.setopt(pycurl.OPENSOCKETFUNCTION, self._open)
        trusted = trusted_file()
        if trusted is not None:
            curl.setopt(pycurl.CAINFO, trusted)

    def _open(self, _: int, address: Any) -> socket.socket | int:
        # Nothing may be raised from here: curl then goes on without a word.
        try:
            if not self._may_ask(address.addr[0], address.addr[1]):
                return int(pycurl.SOCKET_BAD)
            return _LentSocket(address.family, address.socktype, address.protocol)
        except Exception:
            return int(pycurl.SOCKET_BAD)

    def _may_ask(self, peer: str, port: int) -> bool:
        self._peer = peer, port
        if not self._request.public_only or self._private_hosts.is_public(self._request.url, peer, port):
            self._refused = ""
            return True
        self._refused = peer
        return False

    def _before_sending(self, peer: str, _: str, port: int, *__: object) -> int:
        # curl's last word before the request: a connection stands. Nothing may be raised from here. When a
        # kept connection ended under a request, curl asks anew: that is a further request, and needs a grant
        # of its own; and curl would ask over other kept ones, that may all have ended together.
        is_late = self._request.not_after is not None and time.monotonic() > self._request.not_after
        if is_late or self._went_out:
            self._expired = True
            return int(pycurl.PREREQFUNC_ABORT)
        if not self._may_ask(peer, port):  # a kept connection, which another request has opened
            return int(pycurl.PREREQFUNC_ABORT)
        self._went_out = True
        self._going_out(self)
        return int(pycurl.PREREQFUNC_OK)

    def _ended_under_it(self, number: int) -> bool:
        """Whether a kept connection ended before any answer, which says nothing of the page."""
        if number not in CONNECTION_ENDED or not self._went_out or self._reception.status:
            return False
        return not self._request.fresh and not self.handle.getinfo(pycurl.NUM_CONNECTS)

    def _in_vain(self) -> Unsent:
        """Once only: a host that does so with a new connection too would be asked for ever."""
        if self._request.fresh:
            raise self._fault(pycurl.E_SEND_ERROR, "")
        return Unsent(in_vain=True)

    def _answer(self, request: Request) -> Response | Redirect:
        reception = self._reception
        if not reception.is_headed:
            what = "the headers of the answer were cut off"
            raise FetchError(what, at=shown(request.url), hint="try again later")
        if reception.status in REDIRECTS and "location" in reception.headers:
            return self._redirect(request, reception.headers["location"])
        if not reception.wanted:
            raise status_fault(reception.status, request.url)
        body = reception.finish()
        if reception.fault:
            raise FetchError(reception.fault, at=shown(request.url))
        content_type = reception.headers.get("content-type", "")
        return Response(
            reception.status, reception.headers, body, _charset(content_type), request.url, self._is_public()
        )

    def _redirect(self, request: Request, location: str) -> Redirect:
        if request.hops >= self._settings.max_redirects:
            raise FetchError(
                f"more than {self._settings.max_redirects} redirects one after another",
                at=shown(request.url),
                hint="does the site send robots round in a circle?",
            )
        target = redirect_address(location, request.url)
        only = request.public_only or self._private_hosts.must_be_public(self._is_public())
        cookies = tuple(self.handle.getinfo(pycurl.INFO_COOKIELIST))
        return Redirect(target.host, Request(target.url, None, request.hops + 1, cookies, public_only=only))

    def _is_public(self) -> bool:
        return self._private_hosts.is_public(self._request.url, *self._peer)

    def _private_fault(self) -> FetchError:
        return FetchError(
            f"a public page leads to the private address {self._refused}",
            at=shown(self._request.url),
            hint="where that is wanted, give the page as a locator, or set scoopi.loader.privateHosts",
            cause="a public page leads to a private address",
        )

    def _fault(self, number: int, words: str) -> FetchError:
        url = self._request.url
        if self._reception.fault:
            hint = "raise scoopi.loader.maxBytes" if self._reception.too_large else ""
            return FetchError(self._reception.fault, at=shown(url), hint=hint)
        if not self._went_out and number not in NOT_TRIED:
            self.tell_sent()  # also an attempt to connect is something that the host sees at its rate
        return fault(
            number,
            words,
            url,
            connected=self._went_out,
            settings=self._settings,
            answered=self._reception.status > 0,
        )


def _charset(content_type: str) -> str | None:
    found = _CHARSET.search(content_type)
    if found is None:
        return None
    return (found[1] or found[2] or found[3] or "").strip() or None
