"""Connection: one client of the metrics server, with a deadline."""

from __future__ import annotations

import io
import logging
import socket
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

log = logging.getLogger(__name__)

MOST_BYTES = 1 << 16
"""Most bytes of a request that are read."""


class Connection(io.RawIOBase):
    """A socket whose reads and writes share one deadline.

    Attributes:
        waits: whether it waits for its client rather than for the node's answer.
    """

    def __init__(self, connection: socket.socket, timeout_s: float) -> None:
        self._socket = connection
        self._ends = time.monotonic() + timeout_s
        self._room = MOST_BYTES
        self.waits = True

    def readable(self) -> bool:
        """See `io`."""
        return True

    def writable(self) -> bool:
        """See `io`."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read the available bytes; none at the end of the stream or beyond `MOST_BYTES`."""
        with memoryview(buffer) as view:
            self._arm()
            count = self._socket.recv_into(view, min(len(view), self._room)) if self._room else 0
        self._room -= count
        return count

    def write(self, data: ReadableBuffer) -> int:
        """Send as many bytes as the socket accepts."""
        self._arm()
        return self._socket.send(data)

    def drop(self) -> None:
        """Shut the connection down from another thread; its own thread sees the end of the stream."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:  # it has just been closed
            log.debug("metrics: the connection was closed already", exc_info=True)

    def _arm(self) -> None:
        left = self._ends - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)
