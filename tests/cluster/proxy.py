"""Proxy: stands between a client and a member, and cuts, delays and drops as its plan says."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from types import TracebackType

CHUNK = 65_536
LONGEST_S = 60.0


@dataclass(frozen=True)
class Plan:
    """What happens to what a client sends, in shares of its chunks (about one a burst or request).

    Attributes:
        cut: it is forwarded, then the connection is cut: the member does it, the answer is lost.
        drop: it is not forwarded, and the connection is cut.
        delay: it is forwarded up to `delay_ms` later.
        spared: number of chunks of each connection that pass first: its greeting.
    """

    cut: float = 0.0
    drop: float = 0.0
    delay: float = 0.0
    delay_ms: int = 30
    spared: int = 6


class Proxy:
    """Listens on a free port of the loopback from `with` to its end; `target` may be set later.

    Attributes:
        plan: may be changed at any time.
        at_risk: chunks so far that the plan might have cut, dropped or delayed.
        cuts, drops, delays: what was done so far.
    """

    def __init__(self, plan: Plan | None = None, seed: int = 0, target: int = 0) -> None:
        self.plan = plan or Plan()
        self.target = target
        self.at_risk = self.cuts = self.drops = self.delays = 0
        self._random = Random(seed)
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]

    def __enter__(self) -> Proxy:
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut_all()
        for thread in self._threads:
            thread.join(LONGEST_S)

    def cut_all(self) -> None:
        """Cut every connection."""
        with self._lock:
            for end in self._open:
                _shut(end, socket.SHUT_RDWR)

    def _accept(self) -> None:
        while not self._stopped.is_set():
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                member = socket.create_connection(("127.0.0.1", self.target), timeout=5)
                member.settimeout(None)
            except OSError:
                client.close()
                continue
            for end in (client, member):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._open |= {client, member}
            self._start(self._serve, client, member)

    def _serve(self, client: socket.socket, member: socket.socket) -> None:
        back = self._start(self._answer, member, client)
        self._forward(client, member)
        back.join(LONGEST_S)
        with self._lock:
            self._open -= {client, member}
        client.close()
        member.close()

    def _forward(self, client: socket.socket, member: socket.socket) -> None:
        number = 0
        with suppress(OSError):
            while data := client.recv(CHUNK):
                number += 1
                if not self._passes(data, client, member, spared=number <= self.plan.spared):
                    break
        # What was forwarded still arrives: the member reads it to its end.
        _shut(member, socket.SHUT_WR)

    def _passes(self, data: bytes, client: socket.socket, member: socket.socket, spared: bool) -> bool:
        """Do to a chunk as the plan says; whether the connection stands."""
        with self._lock:
            die, delayed = self._random.random(), self._random.random() < self.plan.delay
            wait_s = self._random.random() * self.plan.delay_ms / 1000
            self.at_risk += not spared
        if not spared and die < self.plan.drop:
            self.drops += 1
            _shut(client, socket.SHUT_RDWR)
            return False
        if not spared and delayed:
            self.delays += 1
            self._stopped.wait(wait_s)
        is_cut = not spared and die < self.plan.drop + self.plan.cut
        if is_cut:
            # First the way back, so that no answer is quicker than the cut.
            self.cuts += 1
            _shut(client, socket.SHUT_RDWR)
        member.sendall(data)
        return not is_cut

    def _answer(self, member: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while data := member.recv(CHUNK):
                client.sendall(data)
        _shut(client, socket.SHUT_RDWR)

    def _start(self, target: Callable[..., object], *arguments: object) -> threading.Thread:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()
        return thread


def _shut(end: socket.socket, how: int) -> None:
    with suppress(OSError):
        end.shutdown(how)
