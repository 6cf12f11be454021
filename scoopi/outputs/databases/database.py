"""Database: connects to the database of an output, and turns the driver's errors into those of Scoopi."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc, pool

from scoopi.errors import AppenderError, StoreError
from scoopi.outputs.target import Target, TargetKind

log = logging.getLogger(__name__)

CONNECT_S = 10
BUSY_S = 30
"""For how many seconds a transaction waits for others that hold a SQLite file."""
_KEEPALIVE = {
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""A server that disappears is noticed within 30 s, even during a call."""


class Database:
    """A connection that is opened on first use, and again after an error; used by one thread at a time.

    Args:
        target: an output in this database.
        folder: the folder that the path of a SQLite file is relative to.

    Attributes:
        name: the output without its table, for messages.
        path: of the SQLite file; None for another database.
        dialect: `sqlite` or `postgresql`.
    """

    def __init__(self, target: Target, folder: Path) -> None:
        self.name = target.name.partition("#")[0]
        self.path = folder / target.path if target.kind is TargetKind.SQLITE else None
        self._engine = self._made(target)
        self.dialect = self._engine.dialect.name
        driver: Any = self._engine.dialect.loaded_dbapi
        self._driver_error: type[Exception] = driver.Error
        self._passing: tuple[type[Exception], ...] = (driver.OperationalError, driver.InterfaceError)
        self._connection: sa.Connection | None = None

    def _made(self, target: Target) -> sa.Engine:
        if self.path is not None:
            url = sa.URL.create("sqlite", database=str(self.path))
            arguments: dict[str, object] = {"timeout": BUSY_S, "check_same_thread": False}
            return sa.create_engine(url, poolclass=pool.NullPool, connect_args=arguments)
        url = sa.make_url(target.path).set(drivername="postgresql+psycopg")
        arguments = {"connect_timeout": CONNECT_S, "application_name": "scoopi", **_KEEPALIVE}
        return sa.create_engine(url, poolclass=pool.NullPool, connect_args=arguments)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """Run the `with` block in one transaction; after a StoreError it is unknown whether it was committed.

        Raises:
            StoreError: the database does not answer, or the transaction must be repeated.
            AppenderError: it rejects a statement; a retry does not help.
        """
        try:
            if self._connection is None:
                self._connection = self._opened()
            with self._connection.begin():
                yield self._connection
        except exc.DBAPIError as error:
            self.close()
            raise self._fault(error.orig or error) from error
        except self._driver_error as error:  # of the driver's own COPY
            self.close()
            raise self._fault(error) from error
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the connection; the next transaction opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(exc.SQLAlchemyError):
                connection.close()

    def exists(self) -> bool:
        """Whether the database exists; a SQLite file is created by the first run."""
        return self.path is None or self.path.exists()

    def _opened(self) -> sa.Connection:
        is_new = self.path is not None and not self.path.exists()
        if self.path is not None:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                what = f"the folder of the database cannot be created: {error.strerror}"
                raise AppenderError(what, at=str(self.path), hint="use another path") from error
        connection = self._engine.connect()
        if is_new:  # so that readers of the file and the run do not wait for each other
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")
            connection.rollback()
        return connection

    def _fault(self, error: BaseException) -> StoreError | AppenderError:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        if isinstance(error, self._passing) and self.path is not None:
            hint = "free some space, or fix the rights to it and its folder; another program may also hold it"
            return StoreError(f"the file cannot be used: {reason}", at=self.name, hint=hint)
        if isinstance(error, self._passing):
            hint = "start it, or check the address and the user's privileges"
            return StoreError(f"the database does not answer: {reason}", at=self.name, hint=hint)
        hint = "change the table or the definitions; the rows are safe in the run's folder: `scoopi resume`"
        return AppenderError(f"the database rejects the rows: {reason}", at=self.name, hint=hint)
