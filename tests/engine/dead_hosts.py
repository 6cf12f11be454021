"""DeadHosts: loopback addresses whose connections are never taken up."""

from __future__ import annotations

import socket
from types import TracebackType

HELD = 4


class DeadHosts:
    """One listener on all addresses 127.x.y.z, whose queue is full; `with DeadHosts() as dead:`."""

    def __enter__(self) -> DeadHosts:
        self._listener = socket.socket()
        self._listener.bind(("0.0.0.0", 0))
        self._listener.listen(0)
        self.port: int = self._listener.getsockname()[1]
        self._held = [socket.socket() for _ in range(HELD)]
        for held in self._held:
            held.setblocking(False)
            held.connect_ex(("127.0.0.1", self.port))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each in (*self._held, self._listener):
            each.close()

    def urls(self, count: int) -> list[str]:
        """Pages of `count` hosts."""
        return [
            f"http://127.{1 + n // 62500}.{n // 250 % 250}.{1 + n % 250}:{self.port}/" for n in range(count)
        ]
