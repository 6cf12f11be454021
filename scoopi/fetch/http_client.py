"""HttpClient: asks hosts for pages, many at a time, over connections that are kept for the next."""

from __future__ import annotations

import contextlib
import math
import os
import select
import time
from collections.abc import Callable

import pycurl

from scoopi.configs.groups import WebClientSettings
from scoopi.fetch.connection_room import connection_room
from scoopi.fetch.http_exchange import HttpExchange
from scoopi.fetch.request import Redirect, Request, Response, Unsent

KEPT_CONNECTIONS = 64
LONGEST_WAIT_S = 1.0

Answer = Response | Redirect | Unsent
Ended = Callable[[Answer | Exception], None]
"""Is told what came of a hop: an answer, or the error that `HttpClient.begin` names."""


class HttpClient:
    """Sends when it is told to and receives when it is given a turn; several threads may take turns.

    Only one of them at a time may be in any method but `wake`. Names are looked up by curl's own
    threads; connections, names and TLS sessions serve all hops.
    """

    def __init__(self, settings: WebClientSettings) -> None:
        self._settings = settings
        self._under_way: dict[pycurl.Curl, tuple[HttpExchange, Ended]] = {}
        self._idle: list[HttpExchange] = []
        self._gone_out: list[HttpExchange] = []
        self._due = math.inf
        self._sockets: dict[int, int] = {}
        self._poll = select.epoll()
        self._bell = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._poll.register(self._bell, select.EPOLLIN)
        self._multi = pycurl.CurlMulti()
        room = connection_room()
        self._multi.setopt(pycurl.M_MAXCONNECTS, min(KEPT_CONNECTIONS, room))
        self._multi.setopt(pycurl.M_MAX_TOTAL_CONNECTIONS, room)  # a request beyond them waits for one to end
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
        exchange = self._idle.pop() if self._idle else HttpExchange(self._settings, self._gone_out.append)
        if not exchange.begin(request, on_sent):
            self._idle.append(exchange)
            ended(Unsent())
            return
        self._under_way[exchange.handle] = exchange, ended
        self._multi.add_handle(exchange.handle)

    def under_way(self) -> int:
        """How many hops have begun and not ended."""
        return len(self._under_way)

    def turn(self, wait_s: float = LONGEST_WAIT_S) -> None:
        """Move on all that can be moved on.

        Args:
            wait_s: the longest wait for the network, and for `wake`, when nothing can be.
        """
        rest_s = max(0.0, min(wait_s, self._due - time.monotonic()))
        for descriptor, events in self._poll.poll(rest_s):
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

    def wake(self) -> None:
        """End the wait of a turn, or of the next one; callable from any thread."""
        os.eventfd_write(self._bell, 1)

    def close(self) -> None:
        """Close the connections; what is under way is dropped."""
        for handle in self._under_way:
            self._multi.remove_handle(handle)
        for exchange in (*self._idle, *(exchange for exchange, _ in self._under_way.values())):
            exchange.close()
        self._multi.close()
        self._poll.close()
        os.close(self._bell)

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
        exchange, ended = self._under_way.pop(handle)
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
