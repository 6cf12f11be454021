"""WireWatch: how many bytes have come over the connection of a transfer, whatever they are.

curl hands on the body only. What lies around it, as extensions of chunks and answers that announce others,
has no end of its own.
"""

from __future__ import annotations

import socket
import struct

import pycurl

WATCH_S = 0.25
"""Time between two looks at all transfers."""
_RECEIVED = struct.Struct("=128xQ")
"""tcpi_bytes_received of Linux's struct tcp_info."""


class WireWatch:
    """Looks at transfers from time to time; belongs to the thread that has a turn.

    Args:
        most_bytes: of one transfer, counted from the first look at it.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._first: dict[pycurl.Curl, tuple[int, int]] = {}

    def is_flooded(self, handle: pycurl.Curl) -> bool:
        """Whether more has come than any page needs."""
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
        """The transfer has ended."""
        self._first.pop(handle, None)


def _received(descriptor: int) -> int:
    # The family and type are given so that nothing is asked of the descriptor, which stays curl's.
    view = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, descriptor)
    try:
        facts = view.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _RECEIVED.size)
    finally:
        view.detach()
    return int(_RECEIVED.unpack(facts)[0]) if len(facts) == _RECEIVED.size else 0
