"""typed_reader: converts the values of a column from their form in frames to Python types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from scoopi.model.records import Column, ColumnType

ConvertValue = Callable[[Any], Any]
_MOST_INTEGER = 2**63 - 1
_AS_JSON = msgspec.json.Encoder().encode


def typed_reader(column: Column) -> ConvertValue | None:
    """Return the function that converts a column's values from their form in frames to Python types.

    These are `Decimal`, `date`, aware `datetime`, `int`, `bool` and `str`, or lists of them. A value that
    is not of the column's type, which `onError: keep` allows, becomes None.

    Returns:
        The function; None for JSON, whose values have no single type.
    """
    convert = _CONVERSIONS.get(column.type)
    if convert is None or not column.is_list:
        return convert
    return lambda value: [convert(each) for each in value] if isinstance(value, list) else None


def dict_of(columns: Sequence[Column]) -> Callable[[Sequence[Any]], dict[str, Any]]:
    """Return the function that converts a record in a frame to a dict from column to value of a Python type.

    >>> dict_of([Column("title"), Column("price", ColumnType.DECIMAL)])(["Rye", "4.20"])
    {'title': 'Rye', 'price': Decimal('4.20')}
    """
    names = [column.name for column in columns]
    readers = [
        (column.name, reader)
        for column in columns
        if column.type is not ColumnType.TEXT and (reader := typed_reader(column)) is not None
    ]

    def made(record: Sequence[Any]) -> dict[str, Any]:
        values = dict(zip(names, record, strict=True))
        for name, reader in readers:
            values[name] = reader(values[name])
        return values

    return made


def json_text(value: Any) -> str | None:
    """Return a list or a JSON value as JSON text; None stays None."""
    return None if value is None else _AS_JSON(value).decode()


def _decimal(value: Any) -> Decimal | None:
    if value is None:
        return None
    try:
        number = Decimal(value)
    except (InvalidOperation, TypeError, ValueError):
        return None
    return number if number.is_finite() else None


def _date(value: Any) -> date | None:
    try:
        return None if value is None else date.fromisoformat(value)
    except (TypeError, ValueError):
        return None


def _datetime(value: Any) -> datetime | None:
    """A time without an offset counts as UTC."""
    try:
        moment = None if value is None else datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


def _integer(value: Any) -> int | None:
    is_integer = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _MOST_INTEGER
    return value if is_integer else None


def _boolean(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else _AS_JSON(value).decode()


_CONVERSIONS: dict[ColumnType, ConvertValue] = {
    ColumnType.TEXT: _text,
    ColumnType.INTEGER: _integer,
    ColumnType.DECIMAL: _decimal,
    ColumnType.BOOLEAN: _boolean,
    ColumnType.DATE: _date,
    ColumnType.DATETIME: _datetime,
}
