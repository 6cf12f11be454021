"""PluginLoads: the calls of one loader plugin that are in progress in a worker."""

from __future__ import annotations

import itertools
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

import msgspec

from scoopi.configs.groups import WebClientSettings
from scoopi.errors import FetchError
from scoopi.fetch.address import redirect_address
from scoopi.fetch.connections.private_hosts import PrivateHosts
from scoopi.fetch.hop_results import FurtherGrant, HopResult, NotModified, PluginResult, Redirect, Response
from scoopi.fetch.http_exchange import NOT_MODIFIED, REDIRECTS
from scoopi.fetch.http_faults import redirects_fault, status_fault
from scoopi.fetch.reception import PAGE_STATUS, charset_of
from scoopi.fetch.request import Request, body_of, is_downgrade
from scoopi.fetch.request_options import plain_headers
from scoopi.model.handover import Grant
from scoopi.model.sites import Sites
from scoopi.model.text.shown import shown
from scoopi.plugins.loader_port import LoaderPlugin, Terms
from scoopi.steps.loading.loader import OnPluginResult, OnSent
from scoopi.worker.plugin_call import (
    AbandonedError,
    CallAnswered,
    CallNeedsGrant,
    CallRules,
    Event,
    PluginCall,
    RequestSent,
)

CHECK_S = 0.25
"""Seconds between two checks for calls that take too long."""
_LED_BY = "a redirect, a script of the page or an action"
"""What leads a browser to another address than that of the page."""
MOST_HANGING = 64
"""A plugin with this many abandoned calls that have not ended gets no more pages."""


class LoadLimits(msgspec.Struct, frozen=True):
    """What all loader plugins of a worker have in common."""

    settings: WebClientSettings
    sites: Sites
    private_hosts: PrivateHosts


class _Call(msgspec.Struct):
    call: PluginCall
    request: Request
    on_result: OnPluginResult
    on_sent: OnSent | None
    waits: bool = False


class PluginLoads:
    """The calls of one loader plugin that are in progress in a worker.

    See `PluginClient`. All methods but `abandon` are called by the thread that has the turn, see `Fetching`.

    Args:
        name: name of the plugin, for errors.
        wake: ends the wait of the current turn.
        watch: called with each event of a request, in the thread that has the turn.
    """

    def __init__(
        self,
        plugin: LoaderPlugin,
        name: str,
        limits: LoadLimits,
        wake: Callable[[], None],
        watch: Callable[[Request, Event], None] | None = None,
    ) -> None:
        self._plugin = plugin
        self._name = name
        self._limits = limits
        self._wake = wake
        self._watch = watch
        self._waking = threading.Lock()
        self._is_closed = False
        self._numbers = itertools.count(1)
        self._calls: dict[int, _Call] = {}
        self._hanging: list[PluginCall] = []
        self._events: deque[tuple[int, Event]] = deque()
        self._check_at = 0.0

    def begin(
        self, request: Request, grant: Grant, on_result: OnPluginResult, on_sent: OnSent | None
    ) -> None:
        """See `PluginClient`."""
        self._hanging = [call for call in self._hanging if call.thread.is_alive()]
        if len(self._hanging) >= MOST_HANGING:
            what = f"{MOST_HANGING} calls of the loader {self._name} hang"
            on_result(FetchError(what, at=shown(request.url), hint="set a timeout for its requests"))
            return
        number = next(self._numbers)
        rules = CallRules(partial(self._terms, number), self._is_public, request.public_only)
        call = PluginCall(self._plugin, self._name, request.url, rules, partial(self._happened, number))
        self._calls[number] = _Call(call, request, on_result, on_sent)
        call.give(grant)
        call.thread.start()

    def resume(
        self, call: int, request: Request, grant: Grant, on_result: OnPluginResult, on_sent: OnSent | None
    ) -> bool:
        """See `PluginClient`."""
        known = self._calls.get(call)
        if known is None:
            return False
        known.request, known.on_result, known.on_sent, known.waits = request, on_result, on_sent, False
        known.call.give(grant)
        return True

    def abandon(self, call: int) -> None:
        """See `PluginClient`."""
        known = self._calls.pop(call, None)
        if known is not None:
            known.call.abandon()

    def under_way(self) -> int:
        """See `PluginClient`."""
        return sum(not each.waits for each in list(self._calls.values()))

    def turn(self) -> None:
        """See `PluginClient`."""
        while self._events:
            number, event = self._events.popleft()
            known = self._calls.get(number)
            if known is not None:
                self._take(number, known, event)
        now = time.monotonic()
        if self._calls and now >= self._check_at:
            self._check_at = now + CHECK_S
            self._end_overdue()

    def close(self) -> None:
        """See `PluginClient`."""
        with self._waking:
            self._is_closed = True
        for number in list(self._calls):
            self.abandon(number)

    def _happened(self, number: int, event: Event) -> None:
        self._events.append((number, event))
        with self._waking:
            if not self._is_closed:
                self._wake()

    def _take(self, number: int, known: _Call, event: Event) -> None:
        if self._watch is not None:
            self._watch(known.request, event)
        if isinstance(event, RequestSent):
            if known.on_sent is not None:
                known.on_sent(event.host)
            return
        if isinstance(event, CallNeedsGrant):
            known.waits = True
            known.on_result(FurtherGrant(event.host, event.url, number))
            return
        self._calls.pop(number, None)
        known.on_result(self._result(known.request, event))

    def _end_overdue(self) -> None:
        for number, known in list(self._calls.items()):
            error = known.call.overdue()
            if error is not None:
                self._hanging.append(known.call)
                known.call.abandon()
                self._take(number, known, error)

    def _result(self, request: Request, event: CallAnswered | Exception) -> PluginResult:
        if isinstance(event, Exception):
            return event
        try:
            return self._answered(request, event)
        except FetchError as error:
            return error

    def _answered(self, request: Request, came: CallAnswered) -> HopResult:
        answer, url = came.answer, came.answer.url
        headers = {name.lower(): value for name, value in answer.headers.items()}
        cookies = request.cookies if answer.cookies is None else answer.cookies
        most = self._limits.settings.max_bytes
        if answer.status in REDIRECTS and "location" in headers:
            return self._redirect(request, came, headers["location"], cookies)
        if answer.status == NOT_MODIFIED and request.known is not None:
            return NotModified(headers, cookies)
        if answer.status != PAGE_STATUS:
            is_own = url.partition("#")[0] == request.url.partition("#")[0]
            fault = status_fault(answer.status, url, headers, request.site, "" if is_own else _LED_BY)
            fault.cookies = cookies if request.keeps_cookies else None
            raise fault
        if len(answer.body) > most:
            hint = "raise scoopi.loader.maxBytes"
            raise FetchError(f"the page is larger than {most} bytes", at=shown(url), hint=hint)
        charset = charset_of(headers.get("content-type", ""))
        return Response(PAGE_STATUS, headers, bytes(answer.body), charset, url, came.is_public, cookies)

    def _redirect(
        self, request: Request, came: CallAnswered, location: str, cookies: tuple[str, ...]
    ) -> Redirect:
        most = self._limits.settings.max_redirects
        if request.hops >= most:
            raise redirects_fault(most, request.url)
        target = redirect_address(location, came.answer.url)
        only = request.public_only or self._limits.private_hosts.must_be_public(came.is_public)
        content = request.redirected(target.url, target.host, came.answer.status)
        hop = Request(target.url, None, request.hops + 1, cookies, public_only=only, content=content)
        return Redirect(target.host, hop, is_downgrade(request.url, target.url))

    def _terms(self, number: int, url: str, host: str) -> Terms:
        """The terms of one request of a call; called by the plugin's thread."""
        known = self._calls.get(number)
        if known is None:
            raise AbandonedError
        request = known.request
        site = self._limits.sites.for_host(host)
        if url != request.url:
            return Terms(url, plain_headers(site, Request(url)), site.timeout_ms / 1000)
        site, content = request.site or site, request.content
        if content is not None and content.params:
            hint = "pass them to the loader as a field, as in token: ${env:TOKEN}"
            raise FetchError("secret params are not sent by a loader plugin", at=shown(url), hint=hint)
        headers = plain_headers(site, request)
        method = "GET" if content is None else content.method
        cookies = request.cookies if request.keeps_cookies else None
        of = request.locator
        name, address = ("", "") if of is None else (of.name, of.url)
        return Terms(url, headers, site.timeout_ms / 1000, method, body_of(content), cookies, name, address)

    def _is_public(self, url: str, if_unknown: bool) -> bool:
        """Whether all addresses of the host are public; called by the plugin's thread."""
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        try:
            found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
        except OSError:
            return if_unknown
        return all(self._limits.private_hosts.is_public(url, str(peer[0]), port) for *_, peer in found)
