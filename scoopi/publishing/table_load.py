"""TableLoad and DeferredLoad: load the rows in segments into the table of an output."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from scoopi.errors import StoreError
from scoopi.model.handover import Part
from scoopi.model.job import Frame
from scoopi.model.records import read_records
from scoopi.outputs.databases.record_table import MovedError, OffsetMove, RecordTable

BATCH_ROWS = 10_000
"""Rows per transaction, which are held in memory."""

RetryCall = Callable[[Callable[[], None]], None]
"""Retries a call that raises StoreError, until the owner gives up."""


class TableLoad:
    """Loads the rows in segments into the table of an output, during the run and at its end.

    Each flush is one transaction.

    A transaction whose outcome is unknown is settled by reading the offset. Used by one thread at a time.
    Source: ARCHITECTURE, protocol rule 15.

    Args:
        streams: the names that the table's rows have in frames.

    Attributes:
        table: the table.
        retry: see `SegmentSink`.
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
        """As `SegmentSink` says; commits once enough rows are buffered."""
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
        """As `SegmentSink` says; the offset stays where it is if no rows were added."""
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
        move = OffsetMove(self._segment, self._start, self._end)
        try:
            self.table.write([move], [[row for _, rows in self._added for row in rows]])
        except MovedError as error:
            raise StoreError("another process writes rows of the same segment", at=self.table.name) from error
        self._is_unsure = False

    def _forget(self) -> None:
        self._added, self._rows = [], 0


class DeferredLoad:
    """Collects rows in a file, and loads them in one transaction once it is known whether they are held back.

    Args:
        table: the table for rows that meet their expectations.
        held: the table for rows that do not; it is replaced.
        streams: the names that the table's rows have in frames.
        spool: path of the file, which is removed by `close`.
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
        """Add the records of a part to the file, if it is one of the table's streams."""
        if part.output in self._streams and part.rows:
            self._file.write(len(part.body).to_bytes(4, "big") + part.body)

    def flush(self) -> None:
        """Nothing is loaded before `load`."""

    def table_of(self, is_held: bool) -> RecordTable:
        """The table for rows that are held back if `is_held`, else that for the others."""
        return self._held if is_held else self._table

    def load(self, is_held: bool) -> None:
        """Load all rows into their table, in one transaction.

        Args:
            is_held: whether they are held back, as they do not meet their expectations.
        Raises:
            StoreError, AppenderError: the database does not answer, or rejects the rows; nothing was loaded.
        """
        self._file.flush()
        table = self.table_of(is_held)
        starts = {segment: table.position(segment, creates=not is_held) for segment in self._moves}
        ends = {segment: end for segment, (start, end) in self._moves.items() if end > start}
        moves = [OffsetMove(each, starts[each], end) for each, end in ends.items() if starts[each] != end]
        if moves:  # otherwise an earlier attempt has committed, and its answer was lost
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
    """Return the records of a frame that are in one of these streams."""
    return [row for part in frame.parts if part.output in streams for row in read_records(part.body)]
