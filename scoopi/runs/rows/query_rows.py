"""query_rows: the rows that a database answers a query with, as texts."""

from __future__ import annotations

import contextlib
import math
import time as clock
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus, unquote_plus, urlsplit

from scoopi.errors import DefsError, StoppedError
from scoopi.fetch.file_client import FileFinder
from scoopi.model.text.secrets import MASK, MissingSecretError, filled_with
from scoopi.model.text.shown import nearest
from scoopi.outputs.target import sqlite_path

if TYPE_CHECKING:
    import sqlalchemy as sa

_EXAMPLES = "write sqlite:shops.db, or postgresql://user@host/database"
_KINDS = {"sqlite": "sqlite", "postgresql": "postgresql", "postgres": "postgresql"}
_FILES = (".db", ".sqlite", ".sqlite3")
_MODULES = {"sqlite": ("sqlalchemy",), "postgresql": ("sqlalchemy", "psycopg")}
AT_ONCE = 1000
CONNECT_S = 10
CANCEL_S = 5
"""How long a server may take to cancel a query, in seconds; then its connection is cut."""
_INTERRUPTED = ": interrupted"
_INSTRUCTIONS = 100_000
"""Instructions of SQLite's virtual machine between two checks of the limits, which take some milliseconds."""


def no_stop(_: Callable[[], object]) -> contextlib.AbstractContextManager[object]:
    """An `interrupting` that never calls its argument."""
    return contextlib.nullcontext()


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """When a query is given up.

    Attributes:
        timeout_s: seconds that the query may take, with the reading of its rows; 0 for no limit.
        is_stopped: returns whether the run that needs the rows was asked to stop.
        interrupting: a context manager that calls its argument, from any thread, if the run is cancelled
            during the `with` block.
    """

    timeout_s: int = 0
    is_stopped: Callable[[], bool] = lambda: False
    interrupting: Callable[[Callable[[], object]], contextlib.AbstractContextManager[object]] = no_stop


def query_rows(
    database: str, query: str, files: FileFinder, limits: QueryLimits | None = None
) -> Iterator[Sequence[str]]:
    """Yield the names of the columns, then the values of each row, as texts; only a few rows are in memory.

    The database is read in a transaction that cannot write.

    Args:
        database: its URL, as written: `sqlite:FILE`, or `postgresql://…`, with `${env:…}`.
        files: finds the file of SQLite.
    Raises:
        DefsError: the URL is wrong, the database does not answer, or not in time, or it does not understand
            the query.
        FetchError: there is no such file.
        StoppedError: the run was asked to stop.
    """
    url, secret = _opened(database)
    kind = _kind(url)
    with _errors("the database cannot be opened", "look at its address and user", secret):
        connection = _engine(kind, url, files).connect()
    watch = _QueryWatch(limits or QueryLimits(), connection)
    with (
        connection,
        watch.watched(),
        _errors("the query fails", "correct it, or look at the database", secret),
    ):
        options: dict[str, Any] = {"stream_results": True, "yield_per": AT_ONCE, "no_parameters": True}
        if kind == "postgresql":
            connection.execution_options(postgresql_readonly=True)
            connection.exec_driver_sql(f"SET LOCAL statement_timeout = {watch.limits.timeout_s * 1000}")
        result = connection.execution_options(**options).exec_driver_sql(query)
        columns = _columns(result)
        yield columns
        for number, row in enumerate(result):
            if number % AT_ONCE == 0:
                watch.ensure_goes_on()
            yield [_text(name, value) for name, value in zip(columns, row, strict=True)]


class _QueryWatch:
    """Ends a query that takes too long, or whose run is stopped.

    A database executes a query outside of the interpreter, where no signal is noticed. SQLite calls back
    now and then; PostgreSQL has the timeout, and `interrupting` cancels its query. A server that hangs does
    neither: its answer is not waited for any longer, and the connection is cut.
    """

    def __init__(self, limits: QueryLimits, alchemy: sa.Connection) -> None:
        self.limits = limits
        self._alchemy = alchemy
        self._connection: Any = alchemy.connection.dbapi_connection
        self._calls_back = hasattr(self._connection, "set_progress_handler")
        self._end = clock.monotonic() + limits.timeout_s if limits.timeout_s else math.inf

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Watch the query of the `with` block; an error that the watch causes becomes its reason."""
        if self._calls_back:
            self._connection.set_progress_handler(self._is_over, _INSTRUCTIONS)
        else:
            wait = self._connection.wait
            self._connection.wait = lambda answer, *more, **named: wait(self._bounded(answer), *more, **named)
        try:
            with self.limits.interrupting(self._interrupt):
                yield
        except DefsError as error:
            self.ensure_goes_on()
            if error.what.endswith(_INTERRUPTED) and self._calls_back:
                raise KeyboardInterrupt from None  # raised in the callback, where SQLite has swallowed it
            raise

    def ensure_goes_on(self) -> None:
        """Check that the query may continue.

        Raises:
            StoppedError: the run was asked to stop.
            DefsError: the query has not ended in its time.
        """
        if self.limits.is_stopped():
            raise StoppedError
        if clock.monotonic() >= self._end:
            what = f"the query has not ended within {self.limits.timeout_s} s"
            raise DefsError(what, hint="make it faster, or raise scoopi.query.timeout")

    def _bounded(self, answer: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Wrap psycopg's generator of an answer, which it resumes several times a second while it waits."""
        try:
            wanted = next(answer)
            while True:
                ready = yield wanted
                if not ready and self._is_late():
                    self._alchemy.invalidate()  # without a rollback, which would wait, too
                    self.ensure_goes_on()
                wanted = answer.send(ready)
        except StopIteration as end:
            return end.value

    def _is_late(self) -> bool:
        """Whether the server should have ended the query by now."""
        now = clock.monotonic()
        if self.limits.is_stopped():
            self._end = min(self._end, now)
        return now >= self._end + CANCEL_S

    def _is_over(self) -> bool:
        return self.limits.is_stopped() or clock.monotonic() >= self._end

    def _interrupt(self) -> None:
        if not self._calls_back:
            with contextlib.suppress(Exception):  # the query may have just ended
                self._connection.cancel_safe(timeout=CANCEL_S)


@contextlib.contextmanager
def _errors(what: str, hint: str, secret: str) -> Iterator[None]:
    """Reports what a database rejects, without its password."""
    import sqlalchemy as sa

    try:
        yield
    except sa.exc.DBAPIError as error:
        reason = (str(error.orig).strip().splitlines() or [type(error.orig).__name__])[0]
        shown = reason.replace(secret, MASK) if secret else reason
        raise DefsError(f"{what}: {shown}", hint=hint) from None


def _opened(database: str) -> tuple[str, str]:
    """The URL with its secrets, and its password."""
    try:
        url = filled_with(database, quote_plus)
    except MissingSecretError as error:
        what = f"the environment has no {error.variable}"
        raise DefsError(what, hint=f"export {error.variable}=…") from None
    try:
        return url, unquote_plus(urlsplit(url).password or "")
    except ValueError:
        return url, ""


def _kind(url: str) -> str:
    scheme = url.partition(":")[0].lower().partition("+")[0]
    kind = _KINDS.get(scheme)
    if kind is None:
        near = nearest(scheme, [*_KINDS])
        what = "the URL names no database that can be read"
        if url.lower().endswith(_FILES) and ":" not in url:
            raise DefsError(what, hint=f"write sqlite:{url}")
        raise DefsError(what, hint=f"did you mean {near}:…? {_EXAMPLES}" if near else _EXAMPLES)
    for module in _MODULES[kind]:
        if find_spec(module) is None:
            what = f"reading a database needs {module}, which is not installed"
            raise DefsError(what, hint="pip install 'scoopi[sql]'")
    return kind


def _engine(kind: str, url: str, files: FileFinder) -> sa.Engine:
    import sqlalchemy as sa
    from sqlalchemy.pool import NullPool

    if kind == "sqlite":
        file = quote(str(files.find(sqlite_path(url)).absolute()))
        read_only = sa.URL.create("sqlite", database=f"file:{file}", query={"mode": "ro", "uri": "true"})
        return sa.create_engine(read_only, poolclass=NullPool)
    try:
        made = sa.make_url(f"postgresql{url[url.index(':') :]}").set(drivername="postgresql+psycopg")
    except (ValueError, sa.exc.ArgumentError):
        raise DefsError("the URL of the database is malformed", hint=_EXAMPLES) from None
    arguments = {"connect_timeout": CONNECT_S, "application_name": "scoopi"}
    return sa.create_engine(made, poolclass=NullPool, connect_args=arguments)


def _columns(result: sa.CursorResult[Any]) -> list[str]:
    if not result.returns_rows:
        raise DefsError("the query has no rows", hint="write a SELECT")
    columns = [*result.keys()]
    double = next((name for name in columns if columns.count(name) > 1), None)
    if double is not None:
        what = f"two columns of the query are named {double}"
        raise DefsError(what, hint=f"name them apart, as in `{double} as other`")
    return columns


def _text(column: str, value: Any) -> str:
    """A value as definitions write it; NULL is empty."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, bytes | memoryview | dict | list):
        what = f"column {column} of the query has values that are not texts"
        raise DefsError(what, hint="convert them in the query, or leave the column out")
    return str(value)
