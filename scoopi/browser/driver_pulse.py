"""DriverPulse: notices that a driver has stopped answering, without waiting for its answer."""

from __future__ import annotations

import socket
from contextlib import suppress
from urllib.parse import urlsplit

_EVERY = 4
"""Looks from an answer to the next request."""
_MOST = 20
"""Looks without an answer after which a driver is silent. Seconds are not counted, as they also pass while
the machine is suspended."""
_CONNECT_S = 1.0
_ANSWER = 65_536


class DriverPulse:
    """Notices that a driver has stopped answering, without waiting for its answer.

    ChromeDriver answers `/status` while one of its sessions waits for a page, so a driver that does not is
    frozen, and its page need not be waited for. One thread at a time looks; any may forget.

    Args:
        url: the address of the driver; empty for one that cannot be asked, which is never silent.
    """

    def __init__(self, url: str = "") -> None:
        parts = urlsplit(url)
        self._address = (parts.hostname or "", parts.port or 80)
        self._asked: socket.socket | None = None
        self._looks = 0

    def is_silent(self) -> bool:
        """Return whether the driver has not answered for many looks; to be called at regular intervals."""
        if not self._address[0]:
            return False
        self._looks += 1
        asked = self._asked
        if asked is None:
            if self._looks >= _EVERY:
                self._ask()
        elif _has_answered(asked):
            self.forget()
        return self._looks >= _MOST

    def forget(self) -> None:
        """Start from the beginning, and wait for no answer."""
        asked, self._asked, self._looks = self._asked, None, 0
        if asked is not None:
            asked.close()

    def _ask(self) -> None:
        host, port = self._address
        with suppress(OSError):  # it has ended, which is noticed elsewhere, or accepts nothing
            asked = self._asked = socket.create_connection(self._address, _CONNECT_S)
            asked.sendall(f"GET /status HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            asked.setblocking(False)


def _has_answered(asked: socket.socket) -> bool:
    try:
        asked.recv(_ANSWER)
    except BlockingIOError:
        return False
    except OSError:  # it has ended, or is not waited for any longer
        return True
    return True
