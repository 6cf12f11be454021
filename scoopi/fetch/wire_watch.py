"""WireWatch: limits the bytes that a transfer's connection receives, including what curl discards.

curl passes on the headers and the body only. Chunk extensions and 1xx responses have no limit of their own.
"""

from __future__ import annotations

import socket
import struct

import pycurl

WATCH_S = 0.25
"""The interval between two checks of all transfers."""
_RECEIVED = struct.Struct("=128xQ")
"""tcpi_bytes_received of Linux's struct tcp_info."""


class WireWatch:
    """Finds transfers that receive too much; used by the thread that has the turn.

    Args:
        most_bytes: limit of one transfer, counted from its first check.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._first: dict[pycurl.Curl, tuple[int, int]] = {}

    def is_flooded(self, handle: pycurl.Curl) -> bool:
        """Whether the transfer has received more than `most_bytes`."""
        descriptor = handle.getinfo(pycurl.ACTIVESOCKET)
        if descriptor < 0:
            return False
        received = _received(descriptor)
        first_descriptor, first = self._first.setdefault(handle, (descriptor, received))
        if first_descriptor != descriptor:
            self._first[handle] = descriptor, received
            return False
        return received - first > self._most_bytes

    def forget(self, handle: pycurl.Curl) -> None:
        """Forget a transfer that has ended."""
        self._first.pop(handle, None)


def _received(descriptor: int) -> int:
    # With the family and type given, Python does not query the descriptor, which remains curl's.
    view = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, descriptor)
    try:
        facts = view.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _RECEIVED.size)
    finally:
        view.detach()
    return int(_RECEIVED.unpack(facts)[0]) if len(facts) == _RECEIVED.size else 0
