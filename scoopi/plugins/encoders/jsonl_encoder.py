"""JsonlEncoder: rows as lines of JSON objects."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from scoopi.errors import EncodeError
from scoopi.model.data import Axis, Data
from scoopi.model.locator import Locator
from scoopi.plugins.encoders.row_texts import SCRIPTS_HINT, ensure_texts


@dataclass(frozen=True)
class JsonlEncoder:
    """Writes rows as lines of JSON objects.

    One object a row: `locator`, `group`, [`page`,] and `values` by the names of items, dims and fact.

    Args:
        include_tags: whether each object has the page's position in the chain of links.
        not_found: the text that stands for a missing fact, which is written as null; defaults to
            `scoopi.fact.notFound.replaceWith`. If empty, no text does.
    """

    include_tags: bool = False
    not_found: str = ""

    def encode(self, data: Data, locator: Locator, page: int) -> bytes:
        """Encode all rows as lines, each terminated by a line feed; a missing value is null.

        Raises:
            EncodeError: a value is not a text, or contains half of a surrogate pair.
        """
        ensure_texts(data.items)
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
            return msgspec.json.Encoder(enc_hook=str).encode_lines(rows)  # str: of a class derived from it
        except UnicodeEncodeError as error:
            raise EncodeError(f"a row cannot be written: {error}", hint=SCRIPTS_HINT) from error

    def names(self, axes: tuple[Axis, ...]) -> tuple[str, ...]:
        """The keys of an object, with those below `values` in place of that key."""
        tags = ("page",) if self.include_tags else ()
        return ("locator", "group", *tags, *(axis.item_name for axis in axes))

    def header(self, axes: tuple[Axis, ...]) -> bytes:
        """Empty: each object names its values."""
        return b""
