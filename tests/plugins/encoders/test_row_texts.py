"""row_texts: each built-in encoder rejects a value that is not a text."""

from __future__ import annotations

from typing import Any

import pytest

from scoopi.errors import EncodeError
from scoopi.model.data import Axis, Data, Item
from scoopi.model.locator import Locator
from scoopi.plugins.encoders.csv_encoder import CsvEncoder
from scoopi.plugins.encoders.jsonl_encoder import JsonlEncoder
from scoopi.plugins.encoders.rows_encoder import RowsEncoder

AXES = (Axis("item", "line", 1), Axis("fact", "price", 1))
ENCODERS = [CsvEncoder(), CsvEncoder(quote="all"), JsonlEncoder(), RowsEncoder()]


class Text(str):
    """A text of a plugin's own class."""

    __slots__ = ()


def encoded(encoder: CsvEncoder | JsonlEncoder | RowsEncoder, value: Any) -> bytes:
    rows = (Item(AXES, ("frame", "7"), (1, 1)), Item(AXES, ("wheel", value), (2, 1)))
    return encoder.encode(Data("prices", rows), Locator("oslo", "bikes", "u"), 1)


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("value", [7, 7.5, True, b"7", ["7"], object()])
def test_a_value_that_is_not_a_text_fails_the_task_with_its_column(encoder: Any, value: object) -> None:
    what = f"a row cannot be written: the value of price is of type {type(value).__name__}, not str; check"
    with pytest.raises(EncodeError, match=what):
        encoded(encoder, value)


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("value", [None, "8", Text("8")])
def test_texts_and_missing_values_are_written(encoder: Any, value: str | None) -> None:
    assert b"wheel" in encoded(encoder, value)
