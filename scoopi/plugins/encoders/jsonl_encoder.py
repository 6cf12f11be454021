"""JsonlEncoder: rows as lines of JSON objects."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from scoopi.errors import EncodeError
from scoopi.model.data import Axis, Data
from scoopi.model.locator import Locator


@dataclass(frozen=True)
class JsonlEncoder:
    """Writes rows as lines of JSON objects.

    One object a row: `locator`, `group`, [`page`,] and `values` by the names of items, dims and fact.

    Args:
        include_tags: whether each object holds its page's position in the chain of links.
        not_found: the text that stands for a missing fact, `scoopi.fact.notFound.replaceWith` unless given;
            empty for none.
    """

    include_tags: bool = False
    not_found: str = ""

    def encode(self, data: Data, locator: Locator, page: int) -> bytes:
        """All rows as lines, each ended by a line feed; a missing value is null.

        Raises:
            EncodeError: a value is not a text, or holds half of a surrogate pair.
        """
        head: dict[str, object] = {"locator": locator.name, "group": locator.group}
        if self.include_tags:
            head["page"] = page
        names: dict[int, tuple[str, ...]] = {}
        rows = []
        for axes, values, _ in data.items:
            if id(axes) not in names:
                names[id(axes)] = tuple(axis.item_name for axis in axes)
            if self.not_found and values[-1] == self.not_found:
                values = (*values[:-1], None)
            rows.append(head | {"values": dict(zip(names[id(axes)], values, strict=True))})
        try:
            return msgspec.json.Encoder().encode_lines(rows)
        except (TypeError, UnicodeEncodeError) as error:
            raise EncodeError(
                f"a row cannot be written: {error}",
                hint="look at the scripts and converters before this step",
            ) from error

    def names(self, axes: tuple[Axis, ...]) -> tuple[str, ...]:
        """The keys of an object, those of its `values` without that."""
        tags = ("page",) if self.include_tags else ()
        return ("locator", "group", *tags, *(axis.item_name for axis in axes))

    def header(self, axes: tuple[Axis, ...]) -> bytes:
        """Objects name their values; a file needs no header."""
        return b""
