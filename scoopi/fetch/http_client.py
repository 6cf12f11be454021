"""HttpClient: fetches many pages concurrently over reusable connections."""

from __future__ import annotations

import math
import os
import resource
import select
import time
from collections import deque
from collections.abc import Callable

import pycurl

from scoopi.configs.groups import WebClientSettings
from scoopi.errors import FetchError
from scoopi.fetch.connections.private_hosts import PrivateHosts
from scoopi.fetch.connections.proxy_pool import ProxyPool
from scoopi.fetch.downloads.file_exchange import FileExchange
from scoopi.fetch.hop_recorder import HopRecorder
from scoopi.fetch.hop_results import GrantNeeded, HopResult
from scoopi.fetch.http_exchange import HttpExchange
from scoopi.fetch.reception import OTHER_BYTES, WATCH_S, BufferLimit, WireWatch
from scoopi.fetch.request import Request

KEPT_CONNECTIONS = 64
"""Limit of the idle connections that are kept for later requests."""
OTHER_FILES = 24
"""File descriptors reserved for other uses: segments, the store, plugins, name resolution."""
LEAST_CONNECTIONS = 4
LONGEST_WAIT_S = 1.0
"""Seconds that a turn waits at most, by default, for the network."""
LONGEST_ABSENCE_S = 0.1
"""Most of the time between two turns, when nothing is polled, that counts towards a connect timeout."""
NAMES_S = 30
"""Interval at which curl may expire resolved names that are older than this. It visits all of them at the end
of a request, which is expensive with many hosts. So a name is cached for up to twice this time."""
MOST_SET_COOKIES = 50
"""curl's limit for one response. A handle that has reached it accepts no cookies in its next response."""

OnResult = Callable[[HopResult | Exception], None]
"""Receives the result of a hop, or its error: see `HttpClient.begin`."""


def connection_limit() -> int:
    """Number of connections that the limit of open files allows; at least LEAST_CONNECTIONS."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(LEAST_CONNECTIONS, most - len(os.listdir("/proc/self/fd")) - OTHER_FILES)


class HttpClient:
    """Fetches many pages concurrently over reusable connections.

    `begin` sends a request and `turn` receives. Not thread-safe, except `wake`: several threads may call the
    methods, but only one at a time. curl resolves names in its own threads. All hops share connections,
    resolved names and TLS sessions.

    Args:
        settings: the settings `scoopi.webClient`, and those of the loader that concern it.
        private_hosts: decides which hosts a public page may lead to; None to use the settings.
        recorder: records each hop; None to record nothing.
    """

    def __init__(
        self,
        settings: WebClientSettings,
        private_hosts: PrivateHosts | None = None,
        recorder: HopRecorder | None = None,
    ) -> None:
        self._recorder = recorder
        self._settings = settings
        self._private_hosts = private_hosts or PrivateHosts(settings.private_hosts)
        self._under_way: dict[pycurl.Curl, tuple[HttpExchange, OnResult, float]] = {}
        self._waiting: deque[tuple[Request, OnResult, Callable[[], None] | None]] = deque()
        self._proxies = ProxyPool()
        self._buffer_limit = BufferLimit(settings.max_held_bytes)
        self._wire = WireWatch()
        self._watch_at = self._names_at = 0.0
        self._turned_at = time.monotonic()
        self._attended_s = 0.0  # time in which connections were polled
        self._idle: list[HttpExchange] = []
        self._just_sent: list[HttpExchange] = []
        self._due = math.inf
        self._sockets: dict[int, int] = {}
        self._poll = select.epoll()
        self._wakeup = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._poll.register(self._wakeup, select.EPOLLIN)
        self._multi = pycurl.CurlMulti()
        self._most_connections = connection_limit()
        self._multi.setopt(pycurl.M_MAXCONNECTS, min(KEPT_CONNECTIONS, self._most_connections))
        self._multi.setopt(pycurl.M_MAX_TOTAL_CONNECTIONS, self._most_connections)
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._on_socket)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._on_timer)

    def begin(self, request: Request, on_result: OnResult, on_sent: Callable[[], None] | None = None) -> None:
        """Start one hop; redirects are not followed.

        Args:
            request: the hop.
            on_result: called once, here or in a later `turn`, with one of:
                a Response for status 200, whose body may be empty, or a ReceivedFile;
                a NotModified for status 304, if the request has `known`;
                a Redirect;
                GrantNeeded if `request.not_after` passed before the request was sent, or if it was lost on
                a reused connection that had ended;
                a FetchError for any other status, a network error, an exceeded limit or too many redirects.
            on_sent: called in a later `turn` once the request has been sent. If it raises, `on_result`
                receives that exception.
        """
        if len(self._under_way) < self._most_connections:
            self._begin(request, on_result, on_sent)
        else:  # queued here and not in curl, where the connect timeout would already run
            self._waiting.append((request, on_result, on_sent))

    def under_way(self) -> int:
        """The number of hops in flight, including those that wait for a connection."""
        return len(self._under_way) + len(self._waiting)

    def turn(self, wait_s: float = LONGEST_WAIT_S) -> None:
        """Advance all hops, and call back for those that were sent or have ended.

        Args:
            wait_s: how long to wait for the network or for `wake` when no hop can advance, in seconds.
        """
        began = time.monotonic()
        rest_s = max(0.0, min(wait_s, self._due - began))
        ready = self._poll.poll(rest_s)
        now = time.monotonic()
        self._attended_s += min(LONGEST_ABSENCE_S, began - self._turned_at) + now - began
        self._turned_at = now
        for descriptor, events in ready:
            if descriptor == self._wakeup:
                os.eventfd_read(self._wakeup)
            else:
                self._multi.socket_action(descriptor, _readiness(events))
        if self._due <= time.monotonic():
            self._due = math.inf
            self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)
        # Not in curl's callback before sending: reporting may block on a full pipe or wait for a CPU, and the
        # delay until the next request would start too early.
        while self._just_sent:
            self._just_sent.pop().report_sent()
        if self._under_way:
            self._collect()
            if now >= self._watch_at or self._waiting or self._buffer_limit.is_waited_for:
                self._watch(now)

    def wake(self) -> None:
        """End the wait of the current or next turn. Thread-safe."""
        os.eventfd_write(self._wakeup, 1)

    def close(self) -> None:
        """Close all connections and abandon all hops."""
        for handle in self._under_way:
            self._multi.remove_handle(handle)
        for exchange in (*self._idle, *(exchange for exchange, *_ in self._under_way.values())):
            exchange.close()
        self._multi.close()
        self._poll.close()
        os.close(self._wakeup)

    def _begin(self, request: Request, on_result: OnResult, on_sent: Callable[[], None] | None) -> None:
        exchange = self._new_exchange(request)
        if self._recorder is not None:
            self._recorder.begin(request)
        outcome: GrantNeeded | FetchError = GrantNeeded()
        try:
            if exchange.begin(request, on_sent):
                if self._recorder is not None:
                    self._recorder.watch(exchange.handle)
                self._add(exchange, on_result)
                return
        except FetchError as error:  # nothing was sent
            outcome = error
        self._put_back(exchange)
        on_result(outcome)

    def _new_exchange(self, request: Request) -> HttpExchange:
        if request.file is None and self._idle:
            return self._idle.pop()
        kind = HttpExchange if request.file is None else FileExchange
        return kind(
            self._settings, self._just_sent.append, self._buffer_limit, self._private_hosts, self._proxies
        )

    def _put_back(self, exchange: HttpExchange) -> None:
        cookies = exchange.handle.getinfo(pycurl.INFO_COOKIELIST)
        if isinstance(exchange, FileExchange) or len(cookies) >= MOST_SET_COOKIES:
            exchange.close()
        else:
            self._idle.append(exchange)

    def _is_flooded(self, handle: pycurl.Curl) -> bool:
        exchange = self._under_way[handle][0]
        most = 2 * self._settings.max_bytes + OTHER_BYTES
        if isinstance(exchange, FileExchange):
            most = exchange.most_wire_bytes
        return self._wire.is_flooded(handle, most)

    def _add(self, exchange: HttpExchange, on_result: OnResult) -> None:
        self._under_way[exchange.handle] = exchange, on_result, self._attended_s
        is_due = self._turned_at >= self._names_at
        if is_due:
            self._names_at = self._turned_at + NAMES_S
        exchange.handle.setopt(pycurl.DNS_CACHE_TIMEOUT, NAMES_S if is_due else -1)
        self._multi.add_handle(exchange.handle)

    def _watch(self, now: float) -> None:
        """Start or resume hops that waited for a connection or for room; end those that receive too much."""
        while self._waiting and len(self._under_way) < self._most_connections:
            self._begin(*self._waiting.popleft())
        if self._buffer_limit.reopens():
            for handle, (exchange, *_) in list(self._under_way.items()):
                try:
                    exchange.unpause()
                except pycurl.error as error:  # receiving the data that curl had buffered ended the page
                    self._end(handle, *error.args)
        if now >= self._watch_at:
            self._watch_at = now + WATCH_S
            alone = [handle for handle, (one, *_) in self._under_way.items() if not one.options.is_http2]
            for handle in [handle for handle in alone if self._is_flooded(handle)]:
                self._under_way[handle][0].refuse_size()
                self._end(handle, pycurl.E_WRITE_ERROR)

    def _collect(self) -> None:
        left = 1
        while left:
            left, good, bad = self._multi.info_read()
            for handle in good:
                self._end(handle)
            for handle, number, words in bad:
                self._end(handle, number, words)

    def _end(self, handle: pycurl.Curl, number: int = pycurl.E_OK, words: str = "") -> None:
        self._multi.remove_handle(handle)
        exchange, on_result, attended_from_s = self._under_way.pop(handle)
        self._wire.forget(handle)
        if exchange.was_starved(number, self._attended_s - attended_from_s):
            self._add(exchange, on_result)
            return
        if self._recorder is not None:
            self._recorder.end(handle)
        result: HopResult | Exception
        try:
            result = exchange.end(number, words)
        except Exception as error:
            result = error
        self._put_back(exchange)
        on_result(result)

    # Callbacks for curl, which must not raise

    def _on_socket(self, events_wanted: int, descriptor: int, *_: object) -> None:
        events = _EVENTS[events_wanted]
        if not events:
            if self._sockets.pop(descriptor, 0):
                try:  # noqa: SIM105 - for each page, and `suppress` takes longer than the call
                    self._poll.unregister(descriptor)
                except OSError:  # it may be closed already
                    pass
        elif descriptor in self._sockets:
            self._poll.modify(descriptor, events)
        else:
            self._poll.register(descriptor, events)
        if events:
            self._sockets[descriptor] = events

    def _on_timer(self, timeout_ms: int) -> None:
        self._due = math.inf if timeout_ms < 0 else time.monotonic() + timeout_ms / 1000


_EVENTS = {
    pycurl.POLL_NONE: 0,
    pycurl.POLL_IN: select.EPOLLIN,
    pycurl.POLL_OUT: select.EPOLLOUT,
    pycurl.POLL_INOUT: select.EPOLLIN | select.EPOLLOUT,
    pycurl.POLL_REMOVE: 0,
}


def _readiness(events: int) -> int:
    """The readiness to report to curl; both for a broken socket, so that curl finds the error itself."""
    broken = events & (select.EPOLLHUP | select.EPOLLERR)
    return (pycurl.CSELECT_IN if events & select.EPOLLIN or broken else 0) | (
        pycurl.CSELECT_OUT if events & select.EPOLLOUT or broken else 0
    )
