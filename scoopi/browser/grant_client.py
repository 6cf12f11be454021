"""GrantClient: asks the loader of a visit for grants for the further requests of its page."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection

from scoopi.browser.pool_messages import PartRequested, Rendered, VisitFailed, receive_grant, send

OnGrant = Callable[[bool], None]
"""Called with whether a request may be sent; if so, at once."""


class GrantClient:
    """Asks the loader of a visit for grants for the further requests of its page, one after another.

    Args:
        connection: the connection to the loader that has sent the visit.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._wanted: queue.SimpleQueue[tuple[PartRequested, OnGrant] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._is_open = True
        self._thread: threading.Thread | None = None

    def ask(self, wanted: PartRequested, on_grant: OnGrant) -> None:
        """Ask for a grant, without waiting for it; `on_grant` is called in another thread.

        It is never called if the visit ends before the grant comes.
        """
        with self._lock:
            if not self._is_open:
                return
            self._wanted.put((wanted, on_grant))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="browser-grants", daemon=True)
                self._thread.start()

    def end(self, result: Rendered | VisitFailed) -> None:
        """Send the result of the visit; no grants are asked for after it.

        Raises:
            OSError: the loader no longer wants the page.
        """
        with self._lock:
            self._is_open = False
            self._wanted.put(None)  # else the thread would wait for as long as the pool lives
            send(self._connection, result)

    def _run(self) -> None:
        while (asked := self._wanted.get()) is not None:
            wanted, on_grant = asked
            try:
                with self._lock:
                    if not self._is_open:
                        return
                    send(self._connection, wanted)
                grant = receive_grant(self._connection)
            except (EOFError, OSError):
                return
            on_grant(grant.is_allowed)
