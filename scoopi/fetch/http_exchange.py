"""HttpExchange: sends requests over a curl handle, one at a time, and evaluates the results."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Any

import pycurl
from msgspec.structs import replace

from scoopi.configs.groups import WebClientSettings
from scoopi.errors import FetchError
from scoopi.fetch.address import redirect_address
from scoopi.fetch.connections.private_hosts import LentSocket, PrivateHosts
from scoopi.fetch.connections.proxy_pool import ProxyPool
from scoopi.fetch.hop_results import GrantNeeded, HopResult, NotModified, Redirect, Response
from scoopi.fetch.http_faults import (
    CONNECTION_ENDED,
    NOT_TRIED,
    fault,
    private_host_fault,
    proxies_fault,
    redirects_fault,
    status_fault,
    truncated_fault,
)
from scoopi.fetch.reception import BufferLimit, Reception
from scoopi.fetch.request import Request, is_downgrade
from scoopi.fetch.request_options import RequestOptions, trusted_certificates
from scoopi.model.robots import MOST_ROBOTS_BYTES, MOST_ROBOTS_REDIRECTS
from scoopi.model.text.shown import shown

REDIRECTS = frozenset((301, 302, 303, 307, 308))
NOT_MODIFIED = 304
FIRST_FINAL_STATUS = 200
"""Lower statuses (1xx) announce another response."""
RECEIVE_BYTES = 131_072
MOST_REFUSALS = 5
"""Limit of how often closing HTTP/2 connections may refuse one request."""

_NO_REQUEST = Request("")


class HttpExchange:
    """Sends requests over a curl handle, one at a time, and evaluates the results.

    Not thread-safe. curl takes proxies from the environment (`http_proxy`, `https_proxy`, `all_proxy`,
    `no_proxy`). Cookies last for one hop, except along redirects (`Request.cookies`).

    Args:
        on_sending: called when curl is about to send; must not block, or the request is sent late.
        buffer_limit: limits the bytes in memory; shared by all exchanges of a client.
        private_hosts: decides which hosts a public page may lead to.
        proxies: chooses the proxy of each request; shared by all exchanges of a client.

    Attributes:
        handle: the transfer that curl performs between `begin` and `end`.
        options: sets the options of the handle for a request.
    """

    def __init__(
        self,
        settings: WebClientSettings,
        on_sending: Callable[[HttpExchange], None],
        buffer_limit: BufferLimit | None = None,
        private_hosts: PrivateHosts | None = None,
        proxies: ProxyPool | None = None,
    ) -> None:
        self._private_hosts = private_hosts or PrivateHosts(settings.private_hosts)
        self._peer, self._refused = ("", 0), ""
        self._settings = settings
        self._on_sending = on_sending
        self._reception = self._new_reception(buffer_limit or BufferLimit(settings.max_held_bytes))
        self._request = _NO_REQUEST
        self._on_sent: Callable[[], None] | None = None
        self._is_held_back = False
        self._was_sent = False
        self._began = 0.0
        self._sent_error: Exception | None = None
        self.handle = pycurl.Curl()
        self._set_up(self.handle)
        self.options = RequestOptions(self.handle, settings.site(), trusted_certificates(), proxies)

    def begin(self, request: Request, on_sent: Callable[[], None] | None) -> bool:
        """Prepare the handle for a request; arguments as in `HttpClient.begin`.

        Returns:
            False if the request's grant has expired.
        """
        now = time.monotonic()
        if request.not_after is not None and now > request.not_after:
            return False
        self._reception.reset(MOST_ROBOTS_BYTES if request.is_robots else 0)
        self._request = request
        self._on_sent = on_sent
        self._is_held_back = False
        self._was_sent = False
        self._sent_error = None
        self._refused = ""
        self._began = now
        self.options.set(request)
        self.handle.setopt(pycurl.COOKIELIST, "ALL")
        for cookie in request.cookies:
            self.handle.setopt(pycurl.COOKIELIST, cookie)
        return True

    def end(self, number: int = pycurl.E_OK, words: str = "") -> HopResult:
        """The result of the hop that curl has ended.

        Args:
            number: curl's error number, pycurl.E_….
            words: curl's error message.
        Raises:
            FetchError: as in `HttpClient.begin`.
            Exception: what `on_sent` raised.
        """
        try:
            if self._sent_error is not None:
                raise self._sent_error
            if self._refused and number != pycurl.E_OK:
                raise private_host_fault(self._refused, self._request.url)
            if self._is_held_back and not self._was_sent:
                return GrantNeeded()
            if self.options.is_proxy_fault(number, self._was_sent, self._reception.status):
                return self._on_proxy_fault()
            if self._is_held_back or self._was_lost(number):
                return self._lost()
            failed = number != pycurl.E_OK and not self._reception.is_cut
            if failed and (self._reception.is_wanted or self._reception.status < FIRST_FINAL_STATUS):
                raise self._fault(number, words)
            return self._answer(self._request)
        except FetchError as error:  # a response without a page may set cookies, too
            if self._request.keeps_cookies and self._reception.is_headed:
                error.cookies = self._cookies()
            raise
        finally:
            self._on_sent = None
            self._reception.reset()  # frees the page now: there may be no next hop

    def was_starved(self, number: int, attended_s: float) -> bool:
        """Whether the connect timeout expired only because this process was busy with other pages.

        Args:
            number: curl's error number.
            attended_s: seconds of the transfer in which the client polled its connections.
        """
        if number != pycurl.E_OPERATION_TIMEDOUT or self._was_sent:
            return False
        lasted_s = time.monotonic() - self._began
        return (
            attended_s < self.options.site.connect_timeout_ms / 1000
            and lasted_s < self.options.site.timeout_ms / 1000
        )

    def refuse_size(self) -> None:
        """Mark the page as too large; the caller then calls `end` with an error."""
        self._reception.refuse_size()

    def unpause(self) -> None:
        """Receive what curl has buffered; pycurl.error is raised if that ends the transfer."""
        self.handle.pause(pycurl.PAUSE_CONT)

    def report_sent(self) -> None:
        """Call `on_sent` of the current request; if it raises, `end` raises the same."""
        try:
            if self._on_sent is not None:
                self._on_sent()
        except Exception as error:
            self._sent_error = error

    def close(self) -> None:
        """Free the handle."""
        self.handle.close()

    def _new_reception(self, buffer_limit: BufferLimit) -> Reception:
        return Reception(self._settings.max_bytes, buffer_limit)

    def _set_up(self, curl: pycurl.Curl) -> None:
        curl.setopt(pycurl.NOSIGNAL, 1)
        curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
        curl.setopt(pycurl.FOLLOWLOCATION, 0)
        curl.setopt(pycurl.COOKIEFILE, "")
        curl.setopt(pycurl.BUFFERSIZE, RECEIVE_BYTES)
        curl.setopt(pycurl.HEADERFUNCTION, self._reception.take_header)
        curl.setopt(pycurl.WRITEFUNCTION, self._reception.take_body)
        curl.setopt(pycurl.PREREQFUNCTION, self._before_sending)
        curl.setopt(pycurl.OPENSOCKETFUNCTION, self._open)

    def _open(self, _: int, address: Any) -> socket.socket | int:
        try:  # curl would ignore an exception
            if not self._may_ask(address.addr[0], address.addr[1]):
                return int(pycurl.SOCKET_BAD)
            return LentSocket(address.family, address.socktype, address.protocol)
        except Exception:
            return int(pycurl.SOCKET_BAD)

    def _may_ask(self, peer: str, port: int) -> bool:
        self._peer = peer, port
        if not self._request.public_only or self._private_hosts.is_public(
            self._request.url, peer, port, self.options.is_proxied
        ):
            self._refused = ""
            return True
        self._refused = peer
        return False

    def _before_sending(self, peer: str, _: str, port: int, *__: object) -> int:
        # Must not raise. If a reused connection ends during a request, curl sends the request again on
        # another one, which needs its own grant; and all reused connections may have ended together.
        is_late = self._request.not_after is not None and time.monotonic() > self._request.not_after
        if is_late or self._was_sent:
            self._is_held_back = True
            return int(pycurl.PREREQFUNC_ABORT)
        if not self._may_ask(peer, port):  # a reused connection, opened by another request
            return int(pycurl.PREREQFUNC_ABORT)
        self._was_sent = True
        self._on_sending(self)
        return int(pycurl.PREREQFUNC_OK)

    def _was_lost(self, number: int) -> bool:
        """Whether a reused connection ended before any response, which is not an error of the page."""
        if number not in CONNECTION_ENDED or not self._was_sent or self._reception.status:
            return False
        return not self._request.lost and not self.handle.getinfo(pycurl.NUM_CONNECTS)

    def _on_proxy_fault(self) -> GrantNeeded:
        """Try another proxy."""
        if self.options.proxy_failed():
            return GrantNeeded()
        raise proxies_fault(self._request.url)

    def _lost(self) -> GrantNeeded:
        """Retry only a few times: a host that also ends new connections would be retried forever."""
        if self._request.lost >= (MOST_REFUSALS if self.options.is_http2 else 1):
            raise self._fault(pycurl.E_SEND_ERROR, "")
        return GrantNeeded(was_lost=True)

    def _answer(self, request: Request) -> HopResult:
        reception = self._reception
        if not reception.is_headed:
            raise truncated_fault("the headers of the response were cut off", request.url)
        if reception.status in REDIRECTS and "location" in reception.headers:
            return self._redirect(request, reception.headers["location"])
        if reception.status == NOT_MODIFIED and request.known is not None:
            return NotModified(reception.headers, self._cookies())
        if not reception.is_wanted:
            led_by = "a redirect" if request.hops else ""
            raise status_fault(reception.status, request.url, reception.headers, self.options.site, led_by)
        body = reception.finish()
        if reception.fault:
            raise truncated_fault(reception.fault, request.url, hint="")
        return Response(
            reception.status,
            reception.headers,
            body,
            reception.charset,
            request.url,
            self._is_public(),
            self._cookies() if request.keeps_cookies else (),
        )

    def _cookies(self) -> tuple[str, ...]:
        return tuple(self.handle.getinfo(pycurl.INFO_COOKIELIST))

    def _redirect(self, request: Request, location: str) -> Redirect:
        most = MOST_ROBOTS_REDIRECTS if request.is_robots else self._settings.max_redirects
        if request.hops >= most:
            raise redirects_fault(most, request.url)
        target = redirect_address(self.options.without_secrets(location), request.url)
        only = request.public_only or self._private_hosts.must_be_public(self._is_public())
        hop = request.hop_to(target.url, target.host, self._reception.status)
        hop = replace(hop, cookies=self._cookies(), public_only=only)
        return Redirect(target.host, hop, is_downgrade(request.url, target.url))

    def _is_public(self) -> bool:
        return self._private_hosts.is_public(self._request.url, *self._peer, self.options.is_proxied)

    def _fault(self, number: int, words: str) -> FetchError:
        url = self._request.url
        if self._reception.fault:
            return FetchError(self._reception.fault, at=shown(url), hint=self._reception.hint)
        if not self._was_sent and number not in NOT_TRIED:
            self.report_sent()  # for the host, an attempt to connect is a request, too
        return fault(
            number,
            words,
            url,
            connected=self._was_sent,
            timeouts=self.options.site,
            answered=self._reception.status > 0,
        )
