"""ScriptRow: what a script may know of the row that is being read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from scoopi.model.data import Axis


class ScriptRow(NamedTuple):
    """The axes of a row, in the order of output; values that are not read yet are None.

    Attributes:
        own: the place of the axis whose script runs.
    """

    axes: Sequence[Axis]
    own: int
    indexes: Sequence[int]
    values: Sequence[str | None]

    def as_json(self) -> str:
        """Own place, and by axis: axis name, item name, order, match, index and value."""
        axes = [
            (axis.axis_name, axis.item_name, axis.order, axis.match, index, value)
            for axis, index, value in zip(self.axes, self.indexes, self.values, strict=True)
        ]
        return msgspec.json.encode({"own": self.own, "axes": axes}).decode()
