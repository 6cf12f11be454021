"""differences: lists how an existing table differs from the one that an output needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from scoopi.errors import DefsError
from scoopi.outputs.databases.row_insert import quoted, quoted_table


@dataclass(frozen=True, slots=True)
class Differences:
    """How a table differs from the one needed.

    Attributes:
        found: the differences, each as a clause.
        remedies: SQL statements that remove differences.
    """

    table: str
    found: Sequence[str]
    remedies: Sequence[str]

    def raise_if_any(self, database: str) -> None:
        """Raise an error if the table differs.

        Args:
            database: name of the database, for the error.
        Raises:
            DefsError: the table differs; the hint has the SQL statements, if they remove all differences.
        """
        if not self.found:
            return
        remedy = "; ".join(self.remedies)
        hint = f"run {remedy};" if remedy and len(self.remedies) == len(self.found) else "change the table"
        raise DefsError(
            f"table {self.table} does not match the records: {'; '.join(self.found)}",
            at=database,
            hint=f"{hint} or write to another table",
        )


def differences(connection: sa.Connection, table: sa.Table, key: Sequence[str]) -> Differences:
    """Compare a table of the database with the one needed; none if the table does not exist."""
    name = table.fullname
    inspector = sa.inspect(connection)
    if not inspector.has_table(table.name, schema=table.schema):
        return Differences(name, (), ())
    columns = {each["name"]: each for each in inspector.get_columns(table.name, schema=table.schema)}
    found = [*_columns(connection, table, columns)]
    if key and not found and set(key) not in [*_unique(inspector, table)]:
        listed = ", ".join(map(quoted, key))
        remedy = f"CREATE UNIQUE INDEX {quoted(f'{table.name}_key')} ON {quoted_table(table)} ({listed})"
        found.append((f"its key {listed} is not unique", remedy))
    return Differences(name, [what for what, _ in found], [remedy for _, remedy in found if remedy])


def _columns(
    connection: sa.Connection, table: sa.Table, columns: dict[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield each difference, and the statement that removes it; empty if there is none."""
    for column in table.columns:
        needed = _shown(connection, column.type)
        there = columns.get(column.name)
        if there is None:
            remedy = f"ALTER TABLE {quoted_table(table)} ADD COLUMN {quoted(column.name)} {needed}"
            yield f"column {column.name} is missing", remedy.strip()
        elif not _fits(connection.dialect.name, column.type, there["type"]):
            has, none = _shown(connection, there["type"]), "without a type"
            yield f"column {column.name} is {has or none}, and must be {needed or none}", ""
    for name, there in columns.items():
        is_filled = there["nullable"] or there["default"] is not None or there.get("autoincrement") is True
        is_filled = is_filled or there.get("identity") or there.get("computed")
        if name not in table.columns and not is_filled and not there.get("primary_key"):
            yield f"column {name} may not be null, and no field has its name", ""


def _fits(dialect: str, needed: sa.types.TypeEngine[Any], there: sa.types.TypeEngine[Any]) -> bool:
    """Whether a column can store every value of the needed type unchanged."""
    if dialect == "sqlite":
        if isinstance(needed, sa.types.UserDefinedType):
            return isinstance(there, sa.types.NullType | sa.Numeric)
        if isinstance(needed, sa.Boolean | sa.Integer):
            return isinstance(there, sa.Integer | sa.Boolean | sa.types.NullType)
        return isinstance(there, sa.String | sa.types.NullType)
    if isinstance(needed, sa.Text):
        return isinstance(there, sa.String) and there.length is None
    if isinstance(needed, sa.BigInteger):
        return isinstance(there, sa.BigInteger) or _is_unbounded(there)
    if isinstance(needed, sa.Numeric):
        return _is_unbounded(there)
    if isinstance(needed, sa.DateTime):
        return isinstance(there, sa.DateTime) and there.timezone
    return isinstance(there, type(needed)) or (isinstance(needed, sa.JSON) and isinstance(there, sa.JSON))


def _is_unbounded(there: sa.types.TypeEngine[Any]) -> bool:
    return isinstance(there, sa.Numeric) and not isinstance(there, sa.Float) and there.precision is None


def _unique(inspector: sa.Inspector, table: sa.Table) -> Iterator[set[str]]:
    """The sets of columns with a unique constraint."""
    for constraint in inspector.get_unique_constraints(table.name, schema=table.schema):
        yield set(constraint["column_names"])
    for index in inspector.get_indexes(table.name, schema=table.schema):
        if index["unique"]:
            yield {name for name in index["column_names"] if name is not None}
    yield set(inspector.get_pk_constraint(table.name, schema=table.schema)["constrained_columns"])


def _shown(connection: sa.Connection, kind: sa.types.TypeEngine[Any]) -> str:
    return "" if isinstance(kind, sa.types.NullType) else kind.compile(connection.dialect)
