"""LivenessProbe: notices that a driver or a browser has stopped answering, without waiting for its answer."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from scoopi.browser.pool_messages import VisitFailed
from scoopi.browser.protocol.protocol_link import ProtocolLink
from scoopi.errors import NO_BROWSER

BROWSER, DRIVER = "the browser", "the driver of the browser"
"""The names, in messages, of the programs that may stop answering."""
_EVERY = 4
"""Number of checks from an answer to the next request."""
MOST = 20
"""Number of checks without an answer after which a program counts as silent. Seconds are not counted, as they
also pass while the machine is suspended."""
_MOST_BUSY = 40
_CONNECT_S = 1.0
_ANSWER = 65_536
_STOPPED = frozenset("Tt")
"""States of a process that was stopped by a signal or a debugger."""


class PendingRequest(Protocol):
    """A request that was sent without waiting for its answer."""

    def has_answered(self) -> bool:
        """Return whether the answer has come, or will never come, as the program has ended."""

    def close(self) -> None:
        """Drop the request: its answer is no longer wanted."""


class LivenessProbe(Protocol):
    """Notices that a program has stopped answering.

    Attributes:
        name: name of the program, for messages.
    """

    name: str

    def is_silent(self) -> bool:
        """Return whether the program has not answered for many checks; to be called at regular intervals."""

    def forget(self) -> None:
        """Start counting from zero, and drop the pending request."""


class RequestProbe:
    """Notices that a program has stopped answering, without waiting for its answer.

    Only one thread at a time may call `is_silent`; any thread may call `forget`.

    Args:
        name: name of the program, for messages.
        ask: sends the program a request that it answers at once, whatever its page does; returns None if it
            cannot be sent, which counts as no answer.
        most: number of checks without an answer after which the program counts as silent.
    """

    def __init__(self, name: str, ask: Callable[[], PendingRequest | None], most: int = MOST) -> None:
        self.name = name
        self._ask = ask
        self._most = most
        self._asked: PendingRequest | None = None
        self._checks = 0

    def is_silent(self) -> bool:
        """Return whether the program has not answered for many checks; to be called at regular intervals."""
        self._checks += 1
        asked = self._asked
        if asked is None:
            if self._checks >= _EVERY:
                self._asked = self._ask()
        elif asked.has_answered():
            self.forget()
        return self._checks >= self._most

    def forget(self) -> None:
        """Start counting from zero, and drop the pending request."""
        asked, self._asked, self._checks = self._asked, None, 0
        if asked is not None:
            asked.close()


class StatusRequest:
    """Asks a driver for its `/status`, which ChromeDriver answers while one of its sessions waits for a page.

    Args:
        url: the address of the driver.
    Raises:
        OSError: the driver has ended, or accepts no connection.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or 80
        self._connection = socket.create_connection((host, port), _CONNECT_S)
        self._connection.sendall(f"GET /status HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        self._connection.setblocking(False)

    def has_answered(self) -> bool:
        """See `PendingRequest`."""
        try:
            self._connection.recv(_ANSWER)
        except BlockingIOError:
            return False
        except OSError:  # it has ended, or its answer is no longer wanted
            return True
        return True

    def close(self) -> None:
        """See `PendingRequest`."""
        self._connection.close()


class LinkRequest:
    """Asks a browser over its own protocol.

    Args:
        link: the connection to the browser.
        method: a command that the browser executes at once.
    """

    def __init__(self, link: ProtocolLink, method: str) -> None:
        self._answer = link.ask(method)

    def has_answered(self) -> bool:
        """See `PendingRequest`."""
        return self._answer.done()

    def close(self) -> None:
        """See `PendingRequest`."""


class ProcessProbe:
    """Notices that the process of a driver was stopped by a signal or a debugger.

    For a driver that answers nothing while it waits for a page.

    Args:
        pid: id of the driver's process.
    """

    name = DRIVER

    def __init__(self, pid: int) -> None:
        self._stat = Path(f"/proc/{pid}/stat")
        self._checks = 0

    def is_silent(self) -> bool:
        """Return whether the process has been stopped for many checks; to be called at regular intervals."""
        self._checks = self._checks + 1 if self._is_stopped() else 0
        return self._checks >= MOST

    def forget(self) -> None:
        """Start counting from zero."""
        self._checks = 0

    def _is_stopped(self) -> bool:
        try:
            return self._stat.read_text().rpartition(")")[2].split()[0] in _STOPPED
        except OSError:  # it has ended
            return False


def driver_probe(url: str) -> RequestProbe:
    """Return the probe of a driver that answers while it waits for a page; `url` is the driver's address."""

    def ask() -> PendingRequest | None:
        with suppress(OSError):
            return StatusRequest(url)
        return None

    return RequestProbe(DRIVER, ask)


def browser_probe(ask: Callable[[], PendingRequest]) -> RequestProbe:
    """Return the probe of a browser, which gets more checks, as it may be busy with the frames of a page.

    Args:
        ask: see RequestProbe.
    """
    return RequestProbe(BROWSER, ask, _MOST_BUSY)


def silence(name: str) -> VisitFailed:
    """Return the failure of a page whose browser or driver has stopped answering; `name` is which of them."""
    cause = f"{name} stopped answering"
    hint = "it is tried again; if it happens often, look whether memory or processor time is short"
    return VisitFailed(f"{cause}, and was killed", cause, NO_BROWSER, hint)
