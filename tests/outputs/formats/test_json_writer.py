"""JSON lines and arrays: all digits of numbers, null for what is missing."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from tests.outputs.written_records import COLUMNS, EMPTY, FULL, written


def test_jsonl_has_numbers_with_all_digits_and_null() -> None:
    lines = written("jsonl", [["x", 7, "1234567890.12345678901234567890", *FULL[3:]], EMPTY]).splitlines()

    assert b'"price":1234567890.12345678901234567890,' in lines[0]
    full = json.loads(lines[0], parse_float=Decimal)
    assert (full["number"], full["flag"], full["tags"], full["data"]) == (7, True, ["x", "y"], {"a": [1]})
    assert json.loads(lines[1]) == dict.fromkeys([column.name for column in COLUMNS])


@pytest.mark.parametrize("batches", [[], [[FULL]], [[FULL], [], [EMPTY, FULL]]])
def test_json_is_one_array(batches: list[list[list[Any]]]) -> None:
    assert len(json.loads(written("json", *batches))) == sum(map(len, batches))


def test_a_decimal_that_is_no_number_is_written_as_it_is() -> None:
    assert json.loads(written("jsonl", [["x", 7, "a lot", *FULL[3:]]]))["price"] == "a lot"


def test_an_array_without_records_is_empty() -> None:
    assert written("json") == b"[]\n"
