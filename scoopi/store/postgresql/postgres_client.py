"""PostgresClient: a pool of connections to a PostgreSQL database, reopened after an error."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from scoopi.errors import ClusterError, StoreError
from scoopi.model.text.store_url import StoreUrl
from scoopi.store.call_timeout import CallTimeout

ANSWER_S = 15.0
"""Timeout of one answer in seconds, so that a server that hangs does not block its caller for ever."""
CONNECTIONS = 4
"""Several, so that a heartbeat is not delayed by other threads of the node."""
_TRIES = 5
_PARAMETERS: dict[str, Any] = {
    "application_name": "scoopi",
    "connect_timeout": "5",
    "client_encoding": "UTF8",
    "keepalives_idle": "20",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "15000",
}
_DURABLE = b"""SELECT set_config('synchronous_commit', 'on', false)
WHERE current_setting('synchronous_commit') = 'off'"""
"""Makes acknowledged writes survive a crash of the server, whatever its configuration."""
_ROLLED_BACK = (errors.DeadlockDetected, errors.SerializationFailure)
"""Errors after which the statement has had no effect, and is retried."""
_AWAY = "start it, or check the address, the database's name and the user's rights"
_HINTS: tuple[tuple[type[psycopg.Error] | tuple[type[psycopg.Error], ...], str], ...] = (
    (errors.InsufficientPrivilege, "grant the user the rights to create tables and to use them"),
    (errors.ReadOnlySqlTransaction, "name the primary server: this one is a standby"),
    (errors.DiskFull, "free space on the database's disk"),
    ((errors.UndefinedTable, errors.UndefinedColumn), "the tables were changed: use another database"),
    (psycopg.OperationalError, _AWAY),
    (psycopg.InterfaceError, _AWAY),
)
ValueType = TypeVar("ValueType")
ResultRows = Sequence[tuple[Any, ...]]


class _Connection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that waits for answers for as long as its timeout allows."""

    timeout = CallTimeout(ANSWER_S)

    def wait(self, gen: Generator[Any, Any, ValueType], *args: Any, **kwargs: Any) -> ValueType:
        return super().wait(_bounded(gen, self.timeout), *args, **kwargs)


class PostgresClient:
    """A pool of connections to a PostgreSQL database, opened on demand, and reopened after an error.

    Thread-safe; up to CONNECTIONS calls run at a time, further ones wait. Each statement is a transaction.

    Args:
        url: URL of the database; its password is never part of an error.
        timeout: how long to wait for an answer.
        give_up_s: seconds without a successful call after which calls raise ClusterError; None for never.
    """

    def __init__(
        self, url: StoreUrl, timeout: CallTimeout | None = None, give_up_s: float | None = None
    ) -> None:
        self.url = url
        self.timeout = timeout or CallTimeout(ANSWER_S)
        self._give_up_s = give_up_s
        self._failing_since: float | None = None
        self._free = threading.Semaphore(CONNECTIONS)
        self._idle: list[_Connection] = []
        self._is_closed = False

    def rows(self, statement: bytes, values: Mapping[str, object], *, is_repeatable: bool) -> ResultRows:
        """Run a statement.

        Args:
            values: by the names of the statement's parameters.
            is_repeatable: whether the statement is idempotent, so that it is repeated on a new connection if
                the old one turns out to be dead.
        Returns:
            The rows of the result; empty if it has none.
        Raises:
            StoreError: the database does not answer, or reports an error; the outcome is not known.
            ClusterError: no call has succeeded for `give_up_s`.
        """
        with self._faults_named(), self._slot():
            was_open = bool(self._idle)
            try:
                return self._run(statement, values)
            except psycopg.OperationalError:
                if not (is_repeatable and was_open):
                    raise
                return self._run(statement, values)

    @contextmanager
    def transaction(self) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        """Yield a connection for several statements in one transaction.

        Raises:
            StoreError, ClusterError: as `rows`.
        """
        with self._faults_named(), self._slot():
            connection = self._taken()
            try:
                with connection.transaction():
                    yield connection
            except BaseException:
                self._drop(connection)
                raise
            self._idle.append(connection)

    def is_listening(self) -> bool:
        """Whether a server accepts connections, even if it rejects this user or database."""
        try:
            answer = psycopg.pq.PGconn.ping(self._conninfo().encode())
        except psycopg.Error:
            return False
        return answer in (psycopg.pq.Ping.OK, psycopg.pq.Ping.NO_ATTEMPT)

    def error(self, what: str, hint: str) -> StoreError:
        """Make a StoreError that names the database."""
        return StoreError(what, at=self.url.shown, hint=hint)

    def close(self) -> None:
        """Close the connections; idempotent."""
        self._is_closed = True
        self._drop_idle()

    @contextmanager
    def _slot(self) -> Iterator[None]:
        """Wait for the permission to use one connection."""
        if not self.timeout.wait(lambda s: self._free.acquire(timeout=s)):
            raise self.error("the database does not answer: all connections wait for it", hint=_AWAY)
        try:
            yield
        finally:
            self._free.release()
            if self._is_closed:
                self._drop_idle()

    def _run(self, statement: bytes, values: Mapping[str, object]) -> ResultRows:
        for left in reversed(range(_TRIES)):
            connection = self._taken()
            try:
                cursor = connection.execute(statement, values, binary=True)
                rows = cursor.fetchall() if cursor.description is not None else ()
            except BaseException as error:
                if connection.info.transaction_status is psycopg.pq.TransactionStatus.IDLE:
                    self._idle.append(connection)
                else:
                    self._drop(connection)
                if isinstance(error, _ROLLED_BACK) and left:
                    continue
                raise
            self._idle.append(connection)
            self._failing_since = None
            self.timeout.answered()
            return rows
        raise AssertionError("the last try returns or raises")

    def _taken(self) -> _Connection:
        """The most recently used idle connection, or a new one; only for this thread."""
        if self._is_closed:
            raise self.error("the store is closed", hint="")
        with suppress(IndexError):
            while (connection := self._idle.pop()).closed:
                pass
            return connection
        return self.new_connection()

    def new_connection(self) -> _Connection:
        """Open an additional connection, which the caller closes.

        It is opened in a thread of its own, because the library may wait for a server that hangs longer than
        a shutdown allows.

        Raises:
            psycopg.Error: the database cannot be reached, or does not answer in time.
        """
        answer: Future[_Connection] = Future()
        done = threading.Event()

        def connect() -> None:
            try:
                answer.set_result(self._connected())
            except Exception as fault:
                answer.set_exception(fault)
            finally:
                done.set()

        began = time.monotonic()
        threading.Thread(target=connect, name="database", daemon=True).start()
        if not self.timeout.wait(done.wait):
            answer.add_done_callback(_close_late)
            raise psycopg.OperationalError(f"no connection in {time.monotonic() - began:.1f} s")
        return answer.result()

    def _connected(self) -> _Connection:
        connection = _Connection.connect(self._conninfo(), autocommit=True)
        try:
            connection.timeout = self.timeout
            connection.execute(_DURABLE)
        except BaseException:
            connection.close()
            raise
        return connection

    def _conninfo(self) -> str:
        given = conninfo_to_dict(self.url.text)
        others = {name: value for name, value in _PARAMETERS.items() if name not in given}
        return make_conninfo(self.url.text, **others)

    def _drop(self, connection: _Connection) -> None:
        """Close a connection and all idle ones, which may have been broken by the same cause."""
        with suppress(psycopg.Error):
            connection.close()
        self._drop_idle()

    def _drop_idle(self) -> None:
        with suppress(IndexError):
            while True:
                with suppress(psycopg.Error):
                    self._idle.pop().close()

    @contextmanager
    def _faults_named(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise self._judged(self._named(error)) from None  # its text may hold the password
        except StoreError as error:
            raise self._judged(error) from None

    def _judged(self, error: StoreError) -> StoreError | ClusterError:
        """The error of a failed call; after too long a time without success, the error that ends the node."""
        now = time.monotonic()
        self._failing_since = since = self._failing_since or now
        if self._give_up_s is None or now - since < self._give_up_s:
            return error
        what = f"no call to the database has succeeded for {now - since:.0f} s: this node gave up"
        return ClusterError(f"{what} ({error.what})", at=error.at, hint="start it again, then this node")

    def _named(self, error: psycopg.Error) -> StoreError:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        reason = self.url.masked(lines[0].strip())
        if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None:
            return self.error(f"the URL is not valid: {reason}", hint="postgresql://USER@HOST:PORT/DATABASE")
        hint = next((hint for kind, hint in _HINTS if isinstance(error, kind)), "try again")
        what = "does not answer" if hint is _AWAY else "reports an error"
        return self.error(f"the database {what}: {reason}", hint=hint)


def _close_late(answer: Future[_Connection]) -> None:
    """Close a connection that was opened too late."""
    if answer.exception() is None:
        with suppress(psycopg.Error):
            answer.result().close()


def _bounded(
    generator: Generator[Any, Any, ValueType], timeout: CallTimeout
) -> Generator[Any, Any, ValueType]:
    """Wrap psycopg's generator of an answer with a timeout.

    Raises:
        OperationalError: no answer came in time.
    """
    began = time.monotonic()
    try:
        wanted = next(generator)
        while True:
            ready = yield wanted
            if not ready and time.monotonic() >= timeout.until(began):
                timeout.shorten()
                raise psycopg.OperationalError(f"no answer in {time.monotonic() - began:.1f} s")
            wanted = generator.send(ready)
    except StopIteration as end:
        value: ValueType = end.value
        return value
