"""JsonlEncoder: each row is an object on a line of its own."""

from __future__ import annotations

import json

import pytest

from scoopi.errors import EncodeError
from scoopi.model.data import Axis, Data, Item
from scoopi.model.locator import Locator
from scoopi.plugins.encoders.jsonl_encoder import JsonlEncoder

AXES = (Axis("item", "day", 1), Axis("fact", "locator", 1))
OSLO = Locator("oslo", "cityGroup", "/oslo.html")


def data(*rows: tuple[str | None, ...]) -> Data:
    return Data("weather", tuple(Item(AXES, row, (1, 1)) for row in rows))


def test_values_stand_under_their_names() -> None:
    lines = JsonlEncoder().encode(data(("Mon", 'é\n"'), ("Tue", None)), OSLO, 3).decode().splitlines()
    assert [json.loads(line) for line in lines] == [
        {"locator": "oslo", "group": "cityGroup", "values": {"day": "Mon", "locator": 'é\n"'}},
        {"locator": "oslo", "group": "cityGroup", "values": {"day": "Tue", "locator": None}},
    ]


def test_tags_add_the_page() -> None:
    line = JsonlEncoder(include_tags=True).encode(data(("Mon", "1")), OSLO, 3)
    assert line.endswith(b"}\n")
    assert json.loads(line)["page"] == 3


def test_no_rows_give_no_bytes() -> None:
    assert JsonlEncoder().encode(data(), OSLO, 1) == b""
    assert JsonlEncoder().header(AXES) == b""


def test_half_a_character_fails_the_task() -> None:
    with pytest.raises(EncodeError):
        JsonlEncoder().encode(data(("\ud800", "x")), OSLO, 1)


def test_the_text_of_a_missing_fact_is_null_and_no_other_value() -> None:
    encoder = JsonlEncoder(not_found="not found")
    lines = encoder.encode(data(("not found", "not found"), ("Tue", "1")), OSLO, 1).decode().splitlines()
    assert [json.loads(line)["values"] for line in lines] == [
        {"day": "not found", "locator": None},
        {"day": "Tue", "locator": "1"},
    ]
