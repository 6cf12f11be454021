"""RowsEncoder: rows as values come back as they were."""

from __future__ import annotations

import pytest

from scoopi.errors import EncodeError
from scoopi.model.data import Axis, Data, Item
from scoopi.model.locator import Locator
from scoopi.plugins.encoders.rows_encoder import RowsEncoder, read_rows

AXES = (Axis("item", "day", 1), Axis("fact", "fact", 1))
OSLO = Locator("oslo", "cityGroup", "/oslo.html")


def data(*rows: tuple[str | None, ...]) -> Data:
    return Data("weather", tuple(Item(AXES, row, (1, 1)) for row in rows))


def test_blocks_one_behind_the_other_are_read_back() -> None:
    encoder = RowsEncoder()
    pages = [data(("Mon", None), ("Tue", "é\n|")), data(), data(("Wed", ""))]
    body = b"".join(encoder.encode(page, OSLO, 1) for page in pages)
    assert list(read_rows(body)) == [
        ("oslo", "cityGroup", "Mon", None),
        ("oslo", "cityGroup", "Tue", "é\n|"),
        ("oslo", "cityGroup", "Wed", ""),
    ]


def test_no_rows_give_no_bytes() -> None:
    assert RowsEncoder().encode(data(), OSLO, 1) == b""
    assert list(read_rows(b"")) == []
    assert RowsEncoder().header(AXES) == b""


def test_half_a_character_fails_the_task() -> None:
    with pytest.raises(EncodeError):
        RowsEncoder().encode(data(("\ud800", "x")), OSLO, 1)


def test_encoders_of_rows_are_all_the_same() -> None:
    assert RowsEncoder() == RowsEncoder()
