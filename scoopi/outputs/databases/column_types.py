"""column_type: the database type of a column, and the value that a driver gets for each of its values."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from scoopi.model.records import Column, ColumnType
from scoopi.outputs.typed_values import json_text, typed_reader

_NUL, _JSON_NUL = "\x00", "\\u0000"
"""NUL, as a character and in JSON; PostgreSQL cannot store it in text."""
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_EXACT_DIGITS = 15
"""Decimal digits that a floating-point number of SQLite keeps."""

_POSTGRES: dict[ColumnType, sa.types.TypeEngine[Any]] = {
    ColumnType.TEXT: sa.Text(),
    ColumnType.INTEGER: sa.BigInteger(),
    ColumnType.DECIMAL: sa.Numeric(),
    ColumnType.BOOLEAN: sa.Boolean(),
    ColumnType.DATE: sa.Date(),
    ColumnType.DATETIME: sa.DateTime(timezone=True),
    ColumnType.JSON: postgresql.JSONB(),
}


class _Untyped(sa.types.UserDefinedType[Any]):
    """A SQLite column without a type, which keeps each number and text as given, with all digits."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        return ""


_SQLITE: dict[ColumnType, sa.types.TypeEngine[Any]] = {
    ColumnType.TEXT: sa.Text(),
    ColumnType.INTEGER: sa.BigInteger(),
    ColumnType.DECIMAL: _Untyped(),
    ColumnType.BOOLEAN: sa.Boolean(),
    ColumnType.DATE: sa.Text(),
    ColumnType.DATETIME: sa.Text(),
    ColumnType.JSON: sa.Text(),
}


def column_type(column: Column, dialect: str) -> sa.types.TypeEngine[Any]:
    """Return the database type of a column; lists are stored as JSON.

    Args:
        dialect: `sqlite` or `postgresql`.
    """
    kind = ColumnType.JSON if column.is_list else column.type
    return (_SQLITE if dialect == "sqlite" else _POSTGRES)[kind]


def bound_value(column: Column, dialect: str) -> Callable[[Any], Any]:
    """Return the function that converts a column's values from their form in frames to that of the driver."""
    is_json = column.is_list or column.type is ColumnType.JSON
    convert: Callable[[Any], Any] | None = json_text if is_json else typed_reader(column)
    assert convert is not None, "only JSON has no type"
    if dialect == "postgresql":
        if is_json:
            return lambda value: _without(convert(value), _JSON_NUL)
        return (lambda value: _without(convert(value), _NUL)) if column.type is ColumnType.TEXT else convert
    if column.type is ColumnType.DECIMAL and not is_json:
        return lambda value: _number(convert(value))
    if column.type in (ColumnType.DATE, ColumnType.DATETIME) and not is_json:
        return lambda value: None if (moment := convert(value)) is None else moment.isoformat()
    return convert


def _without(text: str | None, sign: str) -> str | None:
    return text if text is None or sign not in text else text.replace(sign, _REPLACEMENT)


def _number(value: Decimal | None) -> int | float | str | None:
    """A number if SQLite stores it exactly, so that rows sort by it; otherwise its text."""
    if value is None:
        return None
    if len(value.as_tuple().digits) > _EXACT_DIGITS:
        return str(value)
    return int(value) if value == value.to_integral_value() and abs(value) < 2**53 else float(value)
