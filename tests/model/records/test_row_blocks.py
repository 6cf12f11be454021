"""Blocks of rows, one behind the other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scoopi.model.records.row_blocks import as_block, read_blocks


@given(st.lists(st.binary()))
def test_blocks_are_read_as_they_were_written(rows: list[bytes]) -> None:
    assert list(read_blocks(b"".join(map(as_block, rows)))) == rows


def test_a_block_begins_with_its_length() -> None:
    assert as_block(b"rye") == b"\x00\x00\x00\x03rye"
