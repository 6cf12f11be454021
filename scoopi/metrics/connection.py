"""Connection: one client of the metrics server, which has a limited time."""

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
"""Of a request; what comes behind is not read."""


class Connection(io.RawIOBase):
    """A socket whose reads and writes all end by one deadline.

    Attributes:
        waits: whether it waits for its client, not for the node's answer.
    """

    def __init__(self, connection: socket.socket, patience_s: float) -> None:
        self._socket = connection
        self._ends = time.monotonic() + patience_s
        self._room = MOST_BYTES
        self.waits = True

    def readable(self) -> bool:
        """See `io`."""
        return True

    def writable(self) -> bool:
        """See `io`."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read what has come; nothing at the end, and behind the last byte that a request may have."""
        with memoryview(buffer) as view:
            self._arm()
            count = self._socket.recv_into(view, min(len(view), self._room)) if self._room else 0
        self._room -= count
        return count

    def write(self, data: ReadableBuffer) -> int:
        """Send as much as the socket takes."""
        self._arm()
        return self._socket.send(data)

    def drop(self) -> None:
        """End it from another thread; its own sees the end of the stream."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:  # it has just ended by itself
            log.debug("metrics: a connection had ended", exc_info=True)

    def _arm(self) -> None:
        left = self._ends - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)
