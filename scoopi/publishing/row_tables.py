"""RowTables: loads the rows in a node's segments into the tables of its outputs."""

from __future__ import annotations

import contextlib
import functools
import secrets
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from scoopi.model.handover import Part
from scoopi.model.job import Frame
from scoopi.outputs.output_spec import HELD, OutputSpec
from scoopi.publishing.output_file import TEMPORARIES
from scoopi.store.retries import retried

if TYPE_CHECKING:
    from scoopi.outputs.databases.record_table import RecordTable
    from scoopi.publishing.table_load import DeferredLoad, TableLoad

AWAY_S = 60.0
"""For how many seconds a database that does not answer is retried; then the rows are left to `scoopi
resume`."""


FinishLoad = Callable[[Callable[[], bool]], None]
"""Waits for the end of the loading during the run; takes `is_late`, and raises StoreError once that is
true."""


class Loaded(NamedTuple):
    """How many records of a run a table has, and how many were dropped as duplicates by key."""

    rows: int
    dropped: int


class SegmentSink(Protocol):
    """Takes the frames of segments, in order.

    Attributes:
        retry: retries a call that raises StoreError, until the owner gives up.
    """

    retry: Callable[[Callable[[], None]], None]

    def begin(self, segment: str) -> int:
        """Begin a segment.

        Returns:
            The offset, in bytes, up to which its frames have already been taken.
        Raises:
            StoreError, AppenderError: the database does not answer, or rejects it.
        """

    def add(self, frame: Frame, end: int) -> None:
        """Take a frame that counts.

        Args:
            end: the offset in the segment at which the frame ends, in bytes.
        """

    def flush(self) -> None:
        """Commit what was added."""

    def close(self) -> None:
        """Close what it has opened."""


class RowTables:
    """Loads the rows in a node's segments into the tables of its outputs.

    If no output is a database, it imports no library and does nothing.

    Args:
        folder: the folder that paths of SQLite files are relative to.
        run: incarnation of the run.
        work_folder: folder for rows that are only loaded at the end.
        finish_live: waits for the end of the loading during the run.
    """

    def __init__(
        self,
        outputs: Sequence[OutputSpec],
        folder: Path,
        run: str = "",
        work_folder: Path | None = None,
        finish_live: FinishLoad = lambda is_late: None,
    ) -> None:
        self._finish_live = finish_live
        self._specs = [spec for spec in outputs if spec.is_database]
        self._folder = folder
        self._run = run
        self._work_folder = work_folder or folder
        self._retry: Callable[[Callable[[], None]], None] = lambda attempt: attempt()
        self._live: list[tuple[OutputSpec, TableLoad]] = []
        self._deferred: list[tuple[OutputSpec, DeferredLoad]] = []

    def ensure(self) -> None:
        """Create the tables that are missing, and check that the others match the records.

        Raises:
            DefsError: a table does not match.
            StoreError, AppenderError: a database does not answer, or rejects a statement.
        """
        for spec in self._specs:
            with contextlib.closing(self._table(spec)) as table:
                table.ensure()

    def compare(self) -> None:
        """Check that the existing tables match the records; creates nothing.

        Raises:
            As `ensure`.
        """
        for spec in self._specs:
            with contextlib.closing(self._table(spec)) as table:
                table.compare()

    def discard(self) -> dict[str, int]:
        """Delete the rows of the run from tables without a key.

        Returns:
            The number of deleted rows, by name of the output.
        Raises:
            StoreError, AppenderError: a database does not answer, or rejects a statement.
        """
        found: dict[str, int] = {}
        for spec in self._specs:
            with contextlib.closing(self._table(spec)) as table:
                if number := table.discard():
                    found[spec.file] = number
        return found

    def during_run(self) -> list[TableLoad]:
        """The loads of the tables that are filled during the run; the caller closes them."""
        if not self._specs:
            return []
        from scoopi.publishing.table_load import TableLoad

        return [TableLoad(self._table(spec), spec.written_parts) for spec in self._specs if not spec.deferred]

    @contextlib.contextmanager
    def opened(self, is_over: bool, is_late: Callable[[], bool]) -> Iterator[list[SegmentSink]]:
        """Open the sinks of all tables, but those that are loaded at the end only if the run is over.

        Args:
            is_late: whether no time is left to retry a database.
        """
        self._retry = lambda attempt: retried("loading rows", attempt, AWAY_S, is_late, asked="the database")
        sinks: list[SegmentSink] = []
        self._finish_live(is_late)
        try:
            live = [spec for spec in self._specs if not spec.deferred]
            self._live = [*zip(live, self.during_run(), strict=True)]
            if is_over:
                self._deferred = [(spec, self._gather(spec)) for spec in self._specs if spec.deferred]
            sinks += [load for _, load in self._live]
            sinks += [load for _, load in self._deferred]
            for sink in sinks:
                sink.retry = self._retry
            yield sinks
        finally:
            for sink in sinks:
                sink.close()
            self._live, self._deferred = [], []

    def add_last(self, part: Part) -> None:
        """Add records that are in no frame to those that are loaded at the end."""
        for _, deferred in self._deferred:
            deferred.add_part(part)

    def load_rest(self, is_held: Callable[[OutputSpec], bool]) -> dict[str, Loaded]:
        """Load the tables that are only loaded at the end.

        Args:
            is_held: whether an output is held back, and loaded into the table with the suffix `.held`.
        Returns:
            What each table has now, by name of the output.
        Raises:
            StoreError, AppenderError: a database does not answer, or rejects the rows.
        """
        found = {spec.file: Loaded(*load.table.loaded()) for spec, load in self._live}
        for spec, deferred in self._deferred:
            held = is_held(spec)
            self._retry(functools.partial(deferred.load, held))
            found[spec.file + HELD * held] = Loaded(*deferred.table_of(held).loaded())
        return found

    def _gather(self, spec: OutputSpec) -> DeferredLoad:
        from scoopi.publishing.table_load import DeferredLoad

        spool = self._work_folder / TEMPORARIES.replace("*", secrets.token_hex(6))
        return DeferredLoad(self._table(spec), self._table(spec, HELD), spec.written_parts, spool)

    def _table(self, spec: OutputSpec, suffix: str = "") -> RecordTable:
        from scoopi.outputs.databases.database import Database
        from scoopi.outputs.databases.record_table import RecordTable

        assert spec.target is not None, "it is a database"
        schema = spec.written_schema
        assert schema is not None
        database = Database(spec.target, self._folder)
        return RecordTable(database, spec.target.table, schema, self._run, suffix)
