"""PostgresClient: one connection to a PostgreSQL database, opened again after a fault."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from scoopi.errors import StoreError
from scoopi.store.store_url import StoreUrl

ANSWER_S = 15.0
"""How long one answer is waited for; a server that hangs would otherwise hold its caller for ever."""
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
_ROLLED_BACK = (errors.DeadlockDetected, errors.SerializationFailure)
"""The statement left no trace, and is made again."""
_AWAY = "start it, or check the address, the database's name and the user's rights"
_HINTS: tuple[tuple[type[psycopg.Error] | tuple[type[psycopg.Error], ...], str], ...] = (
    (errors.InsufficientPrivilege, "grant the user the rights to create tables and to use them"),
    (errors.ReadOnlySqlTransaction, "name the primary server: this one is a standby"),
    (errors.DiskFull, "free space on the database's disk"),
    ((errors.UndefinedTable, errors.UndefinedColumn), "the tables were changed: use another database"),
    (psycopg.OperationalError, _AWAY),
    (psycopg.InterfaceError, _AWAY),
)
Value = TypeVar("Value")
Rows = Sequence[tuple[Any, ...]]


class _Connection(psycopg.Connection[tuple[Any, ...]]):
    """A connection whose answers are waited for ANSWER_S at most."""

    def wait(self, gen: Generator[Any, Any, Value], *args: Any, **kwargs: Any) -> Value:
        return super().wait(_bounded(gen), *args, **kwargs)


class PostgresClient:
    """One connection to a PostgreSQL database, opened when it is needed, and again after a fault.

    Any thread may call; calls run one after another. A statement is a transaction of its own.

    Args:
        url: of the database; its password is never part of an error.
    """

    def __init__(self, url: StoreUrl) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._connection: _Connection | None = None
        self._is_closed = False

    def rows(self, statement: bytes, values: Mapping[str, object], *, is_repeatable: bool) -> Rows:
        """Run a statement.

        Args:
            is_repeatable: it has the same effect when it is run twice, so it is run again on a new connection
                if the old one turns out to be dead.
        Returns:
            The rows that it gives; none if it gives no rows.
        Raises:
            StoreError: the database does not answer, or refuses; whether the statement was run is not known.
        """
        with self._lock, self._faults_named():
            was_open = self._connection is not None
            try:
                return self._run(statement, values)
            except psycopg.OperationalError:
                if not (is_repeatable and was_open and self._connection is None):
                    raise
                return self._run(statement, values)

    @contextmanager
    def transaction(self) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        """A transaction of several statements.

        Raises:
            StoreError: as `rows`.
        """
        with self._lock, self._faults_named():
            connection = self._opened()
            try:
                with connection.transaction():
                    yield connection
            except BaseException:
                self._drop()
                raise

    def error(self, what: str, hint: str) -> StoreError:
        """A StoreError that names the database."""
        return StoreError(what, at=self._url.shown, hint=hint)

    def close(self) -> None:
        """Close the connection. Harmless when closed."""
        with self._lock:
            self._is_closed = True
            self._drop()

    def _run(self, statement: bytes, values: Mapping[str, object]) -> Rows:
        for left in reversed(range(_TRIES)):
            connection = self._opened()
            try:
                cursor = connection.execute(statement, values, binary=True)
                return cursor.fetchall() if cursor.description is not None else ()
            except _ROLLED_BACK:
                if not left:
                    raise
            except BaseException:
                if connection.info.transaction_status is not psycopg.pq.TransactionStatus.IDLE:
                    self._drop()
                raise
        raise AssertionError("the last try returns or raises")

    def _opened(self) -> _Connection:
        if self._is_closed:
            raise self.error("the store is closed", hint="")
        if self._connection is None or self._connection.closed:
            given = conninfo_to_dict(self._url.text)
            others = {name: value for name, value in _PARAMETERS.items() if name not in given}
            self._connection = _Connection.connect(make_conninfo(self._url.text, **others), autocommit=True)
        return self._connection

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(psycopg.Error):
                connection.close()

    @contextmanager
    def _faults_named(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise self._named(error) from None  # its text may hold the password

    def _named(self, error: psycopg.Error) -> StoreError:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        reason = self._url.masked(lines[0].strip())
        if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None:
            return self.error(f"the URL is not valid: {reason}", hint="postgresql://USER@HOST:PORT/DATABASE")
        hint = next((hint for kind, hint in _HINTS if isinstance(error, kind)), "try again")
        is_away = hint is _AWAY
        return self.error(f"the database {'does not answer' if is_away else 'refuses'}: {reason}", hint=hint)


def _bounded(generator: Generator[Any, Any, Value]) -> Generator[Any, Any, Value]:
    """The generator of an answer; it fails once the answer is late.

    Raises:
        OperationalError: no answer came in ANSWER_S.
    """
    ends = time.monotonic() + ANSWER_S
    try:
        wanted = next(generator)
        while True:
            ready = yield wanted
            if not ready and time.monotonic() > ends:
                raise psycopg.OperationalError(f"no answer in {ANSWER_S:.0f} s")
            wanted = generator.send(ready)
    except StopIteration as end:
        value: Value = end.value
        return value
