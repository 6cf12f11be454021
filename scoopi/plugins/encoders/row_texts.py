"""ensure_texts: rejects rows with a value that is not a text, as a plugin's script may make them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from types import NoneType

from scoopi.errors import EncodeError
from scoopi.model.data import Item

_values_of = attrgetter("values")
SCRIPTS_HINT = "check the scripts and converters before this step"


def ensure_texts(items: Sequence[Item]) -> None:
    """Check that each value of the rows is a text, or None.

    Raises:
        EncodeError: one is not; the message names its column.
    """
    types = set(map(type, chain.from_iterable(map(_values_of, items))))
    if types <= {str, NoneType}:
        return
    for item in items:
        values: tuple[object, ...] = item.values
        for axis, value in zip(item.axes, values, strict=True):
            if not isinstance(value, str | None):
                kind = type(value).__name__
                raise EncodeError(
                    f"a row cannot be written: the value of {axis.item_name} is of type {kind}, not str",
                    hint=SCRIPTS_HINT,
                )
