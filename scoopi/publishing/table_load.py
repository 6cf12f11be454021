"""TableLoad: brings the table of an output up to what a segment holds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from scoopi.errors import StoreError
from scoopi.model.handover import Part
from scoopi.model.job import Frame
from scoopi.model.records import read_records
from scoopi.outputs.databases.record_table import Move, MovedError, RecordTable

BATCH_ROWS = 10_000
"""Rows of a transaction, which are held in memory."""

RetryCall = Callable[[Callable[[], None]], None]
"""Makes a call again while it raises StoreError, as long as its owner wants to."""


class TableLoad:
    """Brings the table of an output up to what a segment holds, during the run and at its end.

    Each flush is one transaction.

    A transaction whose outcome is unknown is settled by reading the offset. Belongs to one thread at a time.
    Source: ARCHITECTURE, protocol rule 15.

    Args:
        streams: what its rows are called in frames.
    """

    def __init__(self, table: RecordTable, streams: Collection[str]) -> None:
        self.table = table
        self.retry: RetryCall = lambda attempt: attempt()
        self._streams = frozenset(streams)
        self._segment = ""
        self._start = self._end = 0
        self._added: list[tuple[int, list[Any]]] = []
        self._rows = 0
        self._is_unsure = False

    def begin(self, segment: str) -> int:
        """As `SegmentSink` says."""
        self._segment = segment
        self._forget()
        self.retry(self._read_position)
        self._end = self._start
        return self._start

    def add(self, frame: Frame, end: int) -> None:
        """As `SegmentSink` says; commits when enough rows wait."""
        if end <= self._start:
            return
        self._end = end
        rows = rows_of(frame, self._streams)
        if rows:
            self._added.append((end, rows))
            self._rows += len(rows)
            if self._rows >= BATCH_ROWS:
                self.flush()

    def flush(self) -> None:
        """As `SegmentSink` says; a stretch without rows is read again next time."""
        if self._added:
            self.retry(self._commit)
            self._start = self._end
            self._forget()

    def close(self) -> None:
        """Close the connection."""
        self.table.close()

    def _read_position(self) -> None:
        self._start, self._is_unsure = self.table.position(self._segment), False

    def _commit(self) -> None:
        if self._is_unsure:
            self._read_position()
            self._added = [(end, rows) for end, rows in self._added if end > self._start]
        if not self._added:
            return
        self._is_unsure = True
        move = Move(self._segment, self._start, self._end)
        try:
            self.table.write([move], [[row for _, rows in self._added for row in rows]])
        except MovedError as error:
            raise StoreError("another process writes rows of the same segment", at=self.table.name) from error
        self._is_unsure = False

    def _forget(self) -> None:
        self._added, self._rows = [], 0


class DeferredLoad:
    """Gathers rows in a file, and loads them in one transaction once it is known whether they are held back.

    Args:
        table: of rows that meet what is expected.
        held: the table of those that do not; it is replaced.
        spool: a file of its own, which is removed.
    """

    def __init__(self, table: RecordTable, held: RecordTable, streams: Collection[str], spool: Path) -> None:
        self.retry: RetryCall = lambda attempt: attempt()
        self._table = table
        self._held = held
        self._streams = frozenset(streams)
        self._spool = spool
        self._moves: dict[str, tuple[int, int]] = {}
        self._segment = ""
        self._file = spool.open("wb", 1 << 20)

    def begin(self, segment: str) -> int:
        """As `SegmentSink` says."""
        self._segment = segment
        self.retry(self._read_position)
        return self._moves[segment][0]

    def add(self, frame: Frame, end: int) -> None:
        """As `SegmentSink` says."""
        start, reached = self._moves[self._segment]
        if end <= reached:
            return
        self._moves[self._segment] = (start, end)
        for part in frame.parts:
            self.add_part(part)

    def add_part(self, part: Part) -> None:
        """Gather records, if they are of these names."""
        if part.output in self._streams and part.rows:
            self._file.write(len(part.body).to_bytes(4, "big") + part.body)

    def flush(self) -> None:
        """Nothing is loaded before `load`."""

    def table_of(self, is_held: bool) -> RecordTable:
        """Where the rows are loaded to."""
        return self._held if is_held else self._table

    def load(self, is_held: bool) -> None:
        """Load all rows.

        Raises:
            StoreError, AppenderError: the database does not answer, or refuses; then nothing is loaded.
        """
        self._file.flush()
        table = self.table_of(is_held)
        starts = {segment: table.position(segment, creates=not is_held) for segment in self._moves}
        ends = {segment: end for segment, (start, end) in self._moves.items() if end > start}
        moves = [Move(each, starts[each], end) for each, end in ends.items() if starts[each] != end]
        if moves:  # else this was done before, and an answer was lost
            try:
                table.write(moves, self._batches(), replace=is_held)
            except MovedError as error:
                raise StoreError("another process loads the same rows", at=table.name) from error

    def close(self) -> None:
        """Remove the file, and close the connections."""
        self._file.close()
        self._spool.unlink(missing_ok=True)
        self._table.close()
        self._held.close()

    def _read_position(self) -> None:
        start = self._table.position(self._segment)
        self._moves[self._segment] = (start, start)

    def _batches(self) -> Iterator[list[Any]]:
        batch: list[Any] = []
        with self._spool.open("rb") as file:
            while head := file.read(4):
                batch += read_records(file.read(int.from_bytes(head, "big")))
                if len(batch) >= BATCH_ROWS:
                    yield batch
                    batch = []
        if batch:
            yield batch


def rows_of(frame: Frame, streams: Collection[str]) -> list[Any]:
    """The records of these names in a frame."""
    return [row for part in frame.parts if part.output in streams for row in read_records(part.body)]
