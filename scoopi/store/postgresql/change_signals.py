"""ChangeSignals: notifies the processes that share a database of changed records; some may be lost."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress

import psycopg

from scoopi.errors import StoreError
from scoopi.store.postgresql.postgres_client import PostgresClient

log = logging.getLogger(__name__)
_LISTEN = b"LISTEN scoopi_schedule"
_NOTIFY = b"SELECT pg_notify('scoopi_schedule', %(sender)s)"
_POLL_S = 0.5
"""Seconds between two checks of a listener whether it was closed."""
_AGAIN_S = 1.0
"""Seconds until the next try after an error; until then changes are found with the heartbeat."""
_CLOSE_S = 1.0
"""How long `close` waits for the thread, which may be waiting for a server that hangs."""


class ChangeSignals:
    """Notifies the processes that share a database of changed records; a notification may be lost.

    Args:
        client: the client of the database; each listener opens a connection of its own.
        sender: unique id of this process, whose listeners ignore its own notifications.
    """

    def __init__(self, client: PostgresClient, sender: str) -> None:
        self._client = client
        self._sender = sender

    def send(self) -> None:
        """Notify the listeners of other processes; a failure is ignored, as if the notification was lost."""
        with suppress(StoreError):
            self._client.rows(_NOTIFY, {"sender": self._sender}, is_repeatable=True)

    def listen(self, heard: Callable[[], object]) -> ChangeListener:
        """Call `heard`, in a new thread, for each notification until the returned listener is closed."""
        return ChangeListener(self._client, self._sender, heard)


class ChangeListener:
    """Calls back for each notification from another process, and whenever some may have been lost.

    The constructor starts the thread. It reconnects after an error.

    Args:
        client: the client of the database.
        sender: notifications from this sender are ignored.
        heard: called from the thread.
    """

    def __init__(self, client: PostgresClient, sender: str, heard: Callable[[], object]) -> None:
        self._client = client
        self._sender = sender
        self._heard = heard
        self._is_closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="listener", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread; waits for it up to a second, so a call of `heard` may still run afterwards."""
        self._is_closed.set()
        self._thread.join(_CLOSE_S)

    def _run(self) -> None:
        while not self._is_closed.is_set():
            try:
                self._listen()
            except (psycopg.Error, StoreError) as error:
                log.info("notifications of the database are not received: %s", type(error).__name__)
                self._is_closed.wait(_AGAIN_S)

    def _listen(self) -> None:
        with self._client.new_connection() as connection:
            if self._is_closed.is_set():
                return
            connection.execute(_LISTEN)
            if not self._is_closed.is_set():
                self._heard()  # for notifications that were sent before this connection listened
            while not self._is_closed.is_set():
                for notification in connection.notifies(timeout=_POLL_S):
                    if notification.payload != self._sender and not self._is_closed.is_set():
                        self._heard()
