"""RecordTable: writes the rows of one output to a table, and the offsets in segments that they reach."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import exc
from sqlalchemy.dialects import postgresql, sqlite

from scoopi.errors import StoreError
from scoopi.model.records import RecordSchema
from scoopi.outputs.databases.column_types import bound_value, column_type
from scoopi.outputs.databases.database import Database
from scoopi.outputs.databases.row_insert import RowInsert
from scoopi.outputs.databases.table_difference import differences

OFFSETS = "scoopi_offsets"
RUN_COLUMN = "scoopi_run"
"""The run that last wrote the row. With a key, the first record of a run replaces rows of earlier runs;
without one, the rows of a lost run are found by it."""
TRIES = 3


class OffsetMove(NamedTuple):
    """A range of a segment, in bytes, whose rows are written to the table."""

    segment: str
    start: int
    end: int


class MovedError(Exception):
    """Raised when a segment's offset has moved, by another process or by a commit whose answer was lost."""


class RecordTable:
    """The table of one output, and the offset in each segment up to which its rows are written.

    Rows and offsets are written in one transaction, so each row is in the table exactly once.

    Source: ARCHITECTURE, protocol rule 15.

    Args:
        name: name of the table, with its schema if it has one.
        run: incarnation of the run.
        suffix: appended to the name of the table.
    """

    def __init__(
        self, database: Database, name: str, schema: RecordSchema, run: str, suffix: str = ""
    ) -> None:
        self.database = database
        self.name = name + suffix
        self._schema = schema
        self._run = run
        self._is_ensured = False
        schema_name, _, table_name = name.rpartition(".")
        table_name += suffix
        metadata = sa.MetaData(schema=schema_name or None)
        dialect = database.dialect
        columns = [sa.Column(each.name, column_type(each, dialect)) for each in schema.all_columns]
        bound = [bound_value(each, dialect) for each in schema.all_columns]
        self.table = sa.Table(table_name, metadata, *columns, sa.Column(RUN_COLUMN, sa.Text()))
        if schema.key:
            self.table.append_constraint(sa.UniqueConstraint(*schema.key))
        self._offsets = _offsets_table(metadata)
        self._insert = RowInsert(self.table, schema.key, bound, RUN_COLUMN, run)

    def ensure(self) -> None:
        """Create the table, or check that an existing one matches the records.

        Raises:
            DefsError: it exists and does not match.
            StoreError, AppenderError: as `Database.transaction`.
        """
        for attempt in range(1, TRIES + 1):
            try:
                with self.database.transaction() as connection:
                    differences(connection, self.table, self._schema.key).raise_if_any(self.database.name)
                    self.table.metadata.create_all(connection)
                self._is_ensured = True
                return
            except (StoreError, exc.SQLAlchemyError):
                raise
            except Exception:
                if attempt == TRIES:  # if two nodes create the table at the same time, one fails
                    raise

    def compare(self) -> None:
        """Check that the table, if it exists, matches the records.

        Raises:
            As `ensure`.
        """
        if self.database.exists():
            with self.database.transaction() as connection:
                differences(connection, self.table, self._schema.key).raise_if_any(self.database.name)

    def close(self) -> None:
        """Close the connection."""
        self.database.close()

    def discard(self) -> int:
        """Delete the rows of the run and return their number; a table with a key keeps them for updates.

        Raises:
            StoreError, AppenderError: as `Database.transaction`.
        """
        if self._schema.key or not self.database.exists():
            return 0
        name, schema, written_by = self.table.name, self.table.schema, self.table.c[RUN_COLUMN]
        with self.database.transaction() as connection:
            inspector = sa.inspect(connection)
            if not inspector.has_table(name, schema=schema):
                return 0
            if RUN_COLUMN not in {each["name"] for each in inspector.get_columns(name, schema=schema)}:
                return 0
            return connection.execute(sa.delete(self.table).where(written_by == self._run)).rowcount

    def position(self, segment: str, creates: bool = True) -> int:
        """Return the offset, in bytes, up to which the segment has been written; add a new one with 0.

        Args:
            creates: whether to create the table if it does not exist.
        Raises:
            StoreError, AppenderError: as `Database.transaction`.
        """
        offsets = self._offsets
        if creates and not self._is_ensured:
            self.ensure()
        with self.database.transaction() as connection:
            found = connection.scalar(sa.select(offsets.c.position).where(self._is_of(segment)))
            if found is None:
                new = {"run": self._run, "target": self.name, "segment": segment, "position": 0}
                insert = postgresql.insert if self.database.dialect == "postgresql" else sqlite.insert
                values = {**new, "rows": 0, "dropped": 0}
                connection.execute(insert(offsets).values(values).on_conflict_do_nothing())
        return int(found or 0)

    def loaded(self) -> tuple[int, int]:
        """Return how many rows the run has written, and how many duplicates by key it has dropped.

        Raises:
            StoreError, AppenderError: as `Database.transaction`.
        """
        offsets = self._offsets
        sums = sa.select(sa.func.sum(offsets.c.rows), sa.func.sum(offsets.c.dropped))
        with self.database.transaction() as connection:
            row = connection.execute(
                sums.where(offsets.c.run == self._run, offsets.c.target == self.name)
            ).one()
        return int(row[0] or 0), int(row[1] or 0)

    def write(
        self, moves: Sequence[OffsetMove], batches: Iterable[Sequence[Sequence[Any]]], replace: bool = False
    ) -> None:
        """Add records and advance the offsets, in one transaction.

        Args:
            batches: lists of records, whose values are in their form in frames.
            moves: the ranges of segments that the records come from.
            replace: whether to drop and create the table first.
        Raises:
            MovedError: an offset is not the one expected; nothing was written.
            StoreError, AppenderError: as `Database.transaction`.
        """
        offsets = self._offsets
        with self.database.transaction() as connection:
            for move in moves:  # first, so that the transaction takes its write lock at its beginning
                moved = connection.execute(
                    sa.update(offsets)
                    .where(self._is_of(move.segment), offsets.c.position == move.start)
                    .values(position=move.end)
                )
                if moved.rowcount != 1:
                    raise MovedError
            if replace:
                self.table.drop(connection, checkfirst=True)
                self.table.create(connection)
            rows, dropped = self._insert.all(connection, batches)
            connection.execute(
                sa.update(offsets)
                .where(self._is_of(moves[0].segment))
                .values(rows=offsets.c.rows + rows, dropped=offsets.c.dropped + dropped)
            )

    def _is_of(self, segment: str) -> sa.ColumnElement[bool]:
        offsets = self._offsets
        return sa.and_(
            offsets.c.run == self._run, offsets.c.target == self.name, offsets.c.segment == segment
        )


def _offsets_table(metadata: sa.MetaData) -> sa.Table:
    return sa.Table(
        OFFSETS,
        metadata,
        sa.Column("run", sa.Text(), primary_key=True),
        sa.Column("target", sa.Text(), primary_key=True),
        sa.Column("segment", sa.Text(), primary_key=True),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("rows", sa.BigInteger(), nullable=False),
        sa.Column("dropped", sa.BigInteger(), nullable=False),
    )
