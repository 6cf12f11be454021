"""RowTables: the tables of a node's outputs, and how they are brought up to its segments."""

from __future__ import annotations

import contextlib
import functools
import secrets
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from scoopi.model.handover import Part
from scoopi.model.job import Frame
from scoopi.publishing.output_file import HELD, TEMPORARIES, OutputSpec
from scoopi.store.retries import retried

if TYPE_CHECKING:
    from scoopi.outputs.databases.record_table import RecordTable
    from scoopi.publishing.table_load import DeferredLoad, TableLoad

AWAY_S = 60.0
"""How long a database that does not answer is asked again before the rows are left to `scoopi resume`."""


FinishLoad = Callable[[Callable[[], bool]], None]
"""Ends what fills tables during the run, or raises StoreError when it is late."""


class Loaded(NamedTuple):
    """Records of a run that stand in a table, and those that an equal key had before them."""

    rows: int
    dropped: int


class SegmentSink(Protocol):
    """Takes the frames of segments, in their order.

    Attributes:
        retry: makes a call again while it raises StoreError, as long as its owner wants to.
    """

    retry: Callable[[Callable[[], None]], None]

    def begin(self, segment: str) -> int:
        """Begin a segment.

        Returns:
            The offset in bytes up to which its frames have been taken already.
        Raises:
            StoreError, AppenderError: the database does not answer, or refuses.
        """

    def add(self, frame: Frame, end: int) -> None:
        """Take a frame that counts; it ends at the offset `end` in its segment, in bytes."""

    def flush(self) -> None:
        """Commit what was added."""

    def close(self) -> None:
        """Close what it has opened."""


class RowTables:
    """Brings the tables of a node's outputs up to its segments.

    Without outputs that are databases it loads no library and does nothing.

    Args:
        folder: what the paths of SQLite files are relative to.
        run: incarnation of the run.
        work_folder: where rows wait that are loaded at the end.
        finish_live: ends what fills the tables during the run; asks whether it is late.
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
        """Create the tables that are missing, and compare the others.

        Raises:
            DefsError: one does not match.
            StoreError, AppenderError: a database does not answer, or refuses.
        """
        for spec in self._specs:
            with contextlib.closing(self._table(spec)) as table:
                table.ensure()

    def compare(self) -> None:
        """Compare the tables that exist; makes nothing.

        Raises:
            As `ensure`.
        """
        for spec in self._specs:
            with contextlib.closing(self._table(spec)) as table:
                table.compare()

    def discard(self) -> dict[str, int]:
        """Remove the rows of the run from tables without a key; how many, by the names of the outputs.

        Raises:
            StoreError, AppenderError: a database does not answer, or refuses.
        """
        found: dict[str, int] = {}
        for spec in self._specs:
            with contextlib.closing(self._table(spec)) as table:
                if number := table.discard():
                    found[spec.file] = number
        return found

    def during_run(self) -> list[TableLoad]:
        """Loads of the tables that are filled during the run; the caller closes them."""
        if not self._specs:
            return []
        from scoopi.publishing.table_load import TableLoad

        return [TableLoad(self._table(spec), spec.written_parts) for spec in self._specs if not spec.deferred]

    @contextlib.contextmanager
    def opened(self, is_over: bool, is_late: Callable[[], bool]) -> Iterator[list[SegmentSink]]:
        """Everything that takes rows; what waits for the end of the run only when it is over.

        Args:
            is_late: whether no time is left to ask a database again.
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
        """Add records that no frame holds to what was gathered."""
        for _, deferred in self._deferred:
            deferred.add_part(part)

    def load_rest(self, is_held: Callable[[OutputSpec], bool]) -> dict[str, Loaded]:
        """Load what was gathered; returns what the tables hold now, by the names of their outputs."""
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
