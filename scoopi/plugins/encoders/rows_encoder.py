"""RowsEncoder: encodes rows so that their values can be read back; the encoder of a ListAppender."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from scoopi.errors import EncodeError
from scoopi.model.data import Axis, Data
from scoopi.model.decoders import msgpack_decoder
from scoopi.model.locator import Locator
from scoopi.model.records.row_blocks import as_block, read_blocks
from scoopi.plugins.encoders.row_texts import SCRIPTS_HINT, ensure_texts

GridRow = tuple[str | None, ...]
"""Locator name, task group, and the values in output order; None for a missing value."""
_ROWS = msgpack_decoder(list[GridRow])


@dataclass(frozen=True)
class RowsEncoder:
    """Encodes rows for a ListAppender, so that their values can be read back.

    Each call gives one block: its length (4 bytes, big endian), then a msgpack array of rows.
    """

    def encode(self, data: Data, locator: Locator, page: int) -> bytes:
        """Encode the rows of a page as one block; empty if there are none.

        Raises:
            EncodeError: a value is not a text, or contains half of a surrogate pair.
        """
        if not data.items:
            return b""
        ensure_texts(data.items)
        head = (locator.name, locator.group)
        try:
            rows = [head + item.values for item in data.items]
            block = msgspec.msgpack.encode(rows, enc_hook=str)  # str: of a class derived from it
        except UnicodeEncodeError as error:
            raise EncodeError(f"a row cannot be written: {error}", hint=SCRIPTS_HINT) from error
        return as_block(block)

    def header(self, axes: tuple[Axis, ...]) -> bytes:
        """Empty: blocks need no header."""
        return b""


def read_rows(body: bytes) -> Iterator[GridRow]:
    """Decode the rows of consecutive blocks."""
    for block in read_blocks(body):
        yield from _ROWS.decode(block)
