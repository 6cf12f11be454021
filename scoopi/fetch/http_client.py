"""HttpClient: asks hosts for pages, many at a time, over connections that are kept for the next."""

from __future__ import annotations

import contextlib
import math
import os
import select
import time
from collections import deque
from collections.abc import Callable

import pycurl

from scoopi.configs.groups import WebClientSettings
from scoopi.fetch.connection_room import connection_room
from scoopi.fetch.http_exchange import HttpExchange
from scoopi.fetch.private_hosts import PrivateHosts
from scoopi.fetch.reception import OTHER_BYTES, PageRoom
from scoopi.fetch.request import Redirect, Request, Response, Unsent
from scoopi.fetch.wire_watch import WATCH_S, WireWatch

KEPT_CONNECTIONS = 64
LONGEST_WAIT_S = 1.0
LONGEST_ABSENCE_S = 0.1
"""Time between two turns counts as so much of a connect timeout at most: nobody looks at connections then."""

Answer = Response | Redirect | Unsent
Ended = Callable[[Answer | Exception], None]
"""Is told what came of a hop: an answer, or the error that `HttpClient.begin` names."""


class HttpClient:
    """Sends when it is told to and receives when it is given a turn; several threads may take turns.

    Only one of them at a time may be in any method but `wake`. Names are looked up by curl's own
    threads; connections, names and TLS sessions serve all hops.
    """

    def __init__(self, settings: WebClientSettings, private_hosts: PrivateHosts | None = None) -> None:
        self._settings = settings
        self._private_hosts = private_hosts or PrivateHosts(settings.private_hosts)
        self._under_way: dict[pycurl.Curl, tuple[HttpExchange, Ended, float]] = {}
        self._waiting: deque[tuple[Request, Ended, Callable[[], None] | None]] = deque()
        self._page_room = PageRoom(settings.max_held_bytes)
        self._wire = WireWatch(2 * settings.max_bytes + OTHER_BYTES)
        self._watch_at = 0.0
        self._turned_at = time.monotonic()
        self._looked_s = 0.0  # the time for which connections were looked after
        self._idle: list[HttpExchange] = []
        self._gone_out: list[HttpExchange] = []
        self._due = math.inf
        self._sockets: dict[int, int] = {}
        self._poll = select.epoll()
        self._bell = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._poll.register(self._bell, select.EPOLLIN)
        self._multi = pycurl.CurlMulti()
        self._room = connection_room()
        self._multi.setopt(pycurl.M_MAXCONNECTS, min(KEPT_CONNECTIONS, self._room))
        self._multi.setopt(pycurl.M_MAX_TOTAL_CONNECTIONS, self._room)
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._on_socket)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._on_timer)

    def begin(self, request: Request, ended: Ended, on_sent: Callable[[], None] | None = None) -> None:
        """Begin one hop; redirects are not followed.

        Args:
            ended: called here or in a later `turn`, with a Response for a status from 200 to 299 (its body
                may be empty), a Redirect, or Unsent when a (further) grant is needed: `request.not_after`
                had passed before the request could go out, or it went out in vain over a kept connection
                that had ended. Else with a FetchError: any other status, a network error, a limit that was
                passed; 204 and 205, which have no page; a redirect beyond the most allowed.
            on_sent: called in a later `turn` when the request has gone out. What it raises is given to
                `ended`, in the end.
        Source: language, B 4.4; design, "Politeness".
        """
        if len(self._under_way) < self._room:
            self._begin(request, ended, on_sent)
        else:  # it waits here, where no connect timeout runs, and not in curl
            self._waiting.append((request, ended, on_sent))

    def under_way(self) -> int:
        """How many hops have begun and not ended."""
        return len(self._under_way) + len(self._waiting)

    def turn(self, wait_s: float = LONGEST_WAIT_S) -> None:
        """Move on all that can be moved on.

        Args:
            wait_s: the longest wait for the network, and for `wake`, when nothing can be.
        """
        began = time.monotonic()
        rest_s = max(0.0, min(wait_s, self._due - began))
        ready = self._poll.poll(rest_s)
        now = time.monotonic()
        self._looked_s += min(LONGEST_ABSENCE_S, began - self._turned_at) + now - began
        self._turned_at = now
        for descriptor, events in ready:
            if descriptor == self._bell:
                os.eventfd_read(self._bell)
            else:
                self._multi.socket_action(descriptor, _readiness(events))
        if self._due <= time.monotonic():
            self._due = math.inf
            self._multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)
        # Not told by curl's call before it sends: telling may wait, for a full pipe or for a processor, and
        # the delay of the next request would be counted from too early.
        while self._gone_out:
            self._gone_out.pop().tell_sent()
        if self._under_way:
            self._collect()
            if now >= self._watch_at or self._waiting or self._page_room.is_waited_for:
                self._watch(now)

    def wake(self) -> None:
        """End the wait of a turn, or of the next one; callable from any thread."""
        os.eventfd_write(self._bell, 1)

    def close(self) -> None:
        """Close the connections; what is under way is dropped."""
        for handle in self._under_way:
            self._multi.remove_handle(handle)
        for exchange in (*self._idle, *(exchange for exchange, *_ in self._under_way.values())):
            exchange.close()
        self._multi.close()
        self._poll.close()
        os.close(self._bell)

    def _begin(self, request: Request, ended: Ended, on_sent: Callable[[], None] | None) -> None:
        exchange = self._idle.pop() if self._idle else self._new_exchange()
        if exchange.begin(request, on_sent):
            self._add(exchange, ended)
        else:
            self._idle.append(exchange)
            ended(Unsent())

    def _new_exchange(self) -> HttpExchange:
        return HttpExchange(self._settings, self._gone_out.append, self._page_room, self._private_hosts)

    def _add(self, exchange: HttpExchange, ended: Ended) -> None:
        self._under_way[exchange.handle] = exchange, ended, self._looked_s
        self._multi.add_handle(exchange.handle)

    def _watch(self, now: float) -> None:
        """Begin or continue what waited, for a connection or for room; end what floods its connection."""
        while self._waiting and len(self._under_way) < self._room:
            self._begin(*self._waiting.popleft())
        if self._page_room.reopens():
            for handle, (exchange, *_) in list(self._under_way.items()):
                try:
                    exchange.go_on()
                except pycurl.error as error:  # what was left with curl is taken now, and ended the page
                    self._end(handle, *error.args)
        if now >= self._watch_at:
            self._watch_at = now + WATCH_S
            for handle in [handle for handle in self._under_way if self._wire.is_flooded(handle)]:
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
        exchange, ended, looked_from_s = self._under_way.pop(handle)
        self._wire.forget(handle)
        if exchange.was_starved(number, self._looked_s - looked_from_s):
            self._add(exchange, ended)
            return
        answer: Answer | Exception
        try:
            answer = exchange.end(number, words)
        except Exception as error:
            answer = error
        self._idle.append(exchange)
        ended(answer)

    # curl's wishes; nothing may be raised from these

    def _on_socket(self, wish: int, descriptor: int, *_: object) -> None:
        events = _EVENTS[wish]
        if not events:
            if self._sockets.pop(descriptor, 0):
                with contextlib.suppress(OSError):  # it may be closed
                    self._poll.unregister(descriptor)
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
    """What curl is told of a socket; of a broken one both, and it finds out."""
    broken = events & (select.EPOLLHUP | select.EPOLLERR)
    return (pycurl.CSELECT_IN if events & select.EPOLLIN or broken else 0) | (
        pycurl.CSELECT_OUT if events & select.EPOLLOUT or broken else 0
    )
