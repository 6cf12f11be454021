"""RowInsert: inserts records into a table in the fastest way that its database offers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

_STAGE = "scoopi_stage"


class RowInsert:
    """Inserts records into a table in the fastest way that its database offers.

    That is COPY on PostgreSQL and `executemany` on SQLite; with a key, rows of earlier runs are updated.

    A record that lacks a value in a field of the key is never a duplicate.

    Args:
        bound: for each column of a record, the function that converts a value for the driver.
        run_column: the name of the last column of the table, for the run that wrote the row.
        run: the value of that column: the incarnation of the run.
    """

    def __init__(
        self,
        table: sa.Table,
        key: tuple[str, ...],
        bound: Sequence[Callable[[Any], Any]],
        run_column: str,
        run: str,
    ) -> None:
        self._table = table
        self._names = [column.name for column in table.columns]
        self._bound = bound
        self._key = key
        self._key_places = [self._names.index(name) for name in key]
        self._run = run
        self._run_column = run_column

    def all(self, connection: sa.Connection, batches: Iterable[Sequence[Sequence[Any]]]) -> tuple[int, int]:
        """Insert records; return how many were written, and how many were dropped as duplicates by key."""
        rows = dropped = 0
        is_copied = connection.dialect.name == "postgresql"
        for records in batches:
            given = [self._row(record) for record in records]
            kept = self._first_of_each(given) if self._key else given
            if not kept:
                continue
            number = self._copy(connection, kept) if is_copied else self._execute(connection, kept)
            rows += number
            dropped += len(given) - number
        return rows, dropped

    def _row(self, record: Sequence[Any]) -> tuple[Any, ...]:
        return (*[convert(value) for convert, value in zip(self._bound, record, strict=True)], self._run)

    def _first_of_each(self, rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Drop duplicates by key; sorted by key, so that nodes that write equal keys do not deadlock."""
        first: dict[object, tuple[Any, ...]] = {}
        for number, row in enumerate(rows):
            key = tuple([row[place] for place in self._key_places])
            first.setdefault(number if None in key else key, row)
        return [first[key] for key in sorted(first, key=repr)]

    def _execute(self, connection: sa.Connection, rows: Sequence[tuple[Any, ...]]) -> int:
        statement: sa.Insert = sqlite.insert(self._table)
        if self._key:
            statement = self._upsert(sqlite.insert(self._table))
        sql = str(statement.compile(dialect=connection.dialect, column_keys=self._names))
        return connection.exec_driver_sql(sql, list(rows)).rowcount

    def _copy(self, connection: sa.Connection, rows: Sequence[tuple[Any, ...]]) -> int:
        """Insert by COPY; its statements go directly to the driver, since SQLAlchemy has none for it."""
        columns, into = ", ".join(map(quoted, self._names)), quoted_table(self._table)
        cursor = connection.connection.cursor()
        if self._key:
            cursor.execute(
                f"CREATE TEMP TABLE {_STAGE} ON COMMIT DROP AS SELECT {columns} FROM {into} LIMIT 0"  # noqa: S608 - quoted
            )
            into = _STAGE
        with cursor.copy(f"COPY {into} ({columns}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        if not self._key:
            return len(rows)
        stage_table = sa.table(_STAGE, *(sa.column(name) for name in self._names))
        statement = self._upsert(
            postgresql.insert(self._table).from_select(self._names, sa.select(stage_table))
        )
        number = connection.execute(statement, execution_options={"preserve_rowcount": True}).rowcount
        cursor.execute(f"DROP TABLE {_STAGE}")
        return number

    def _upsert(self, insert: Any) -> Any:
        new, old = insert.excluded, self._table.c
        return insert.on_conflict_do_update(
            index_elements=[old[name] for name in self._key],
            set_={name: new[name] for name in self._names if name not in self._key},
            where=old[self._run_column].is_distinct_from(new[self._run_column]),
        )


def quoted(name: str) -> str:
    """Return a name as a quoted SQL identifier.

    >>> quoted('5" disk')
    '"5"" disk"'
    """
    return '"' + name.replace('"', '""') + '"'


def quoted_table(table: sa.Table) -> str:
    """The name of a table, with its schema if it has one."""
    return ".".join(quoted(name) for name in (table.schema, table.name) if name)
