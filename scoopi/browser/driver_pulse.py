"""DriverPulse: notices that a driver has stopped answering, without waiting for its answer."""

from __future__ import annotations

import socket
from contextlib import suppress
from urllib.parse import urlsplit

_EVERY = 4
"""One look in so many asks the driver."""
_MOST = 20
"""A driver that has not answered for so many looks is silent. Looks are counted instead of seconds, so that
a machine that was suspended does not make it so."""
_CONNECT_S = 1.0
_ANSWER = 65_536


class DriverPulse:
    """Notices that a driver has stopped answering, without waiting for its answer.

    ChromeDriver answers `/status` while one of its sessions waits for a page, so a driver that does not is
    frozen, and its page need not be waited for. Used by one thread at a time.

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
        if self._asked is None:
            if self._looks >= _EVERY:
                self._ask()
        elif self._has_answered():
            self.forget()
        return self._looks >= _MOST

    def forget(self) -> None:
        """Start from the beginning."""
        if self._asked is not None:
            self._asked.close()
        self._asked, self._looks = None, 0

    def _ask(self) -> None:
        host, port = self._address
        with suppress(OSError):  # it has ended, which is noticed elsewhere, or accepts nothing
            self._asked = socket.create_connection(self._address, _CONNECT_S)
            self._asked.sendall(f"GET /status HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            self._asked.setblocking(False)

    def _has_answered(self) -> bool:
        assert self._asked is not None
        try:
            self._asked.recv(_ANSWER)
        except BlockingIOError:
            return False
        except OSError:  # it has ended
            return True
        return True
