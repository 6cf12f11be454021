"""How rows of grids stand in their files: what encoders write is read again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoopi.model.data import Axis, Data, Item
from scoopi.model.locator import Locator
from scoopi.plugins.encoders.csv_encoder import CsvEncoder
from scoopi.plugins.encoders.grid_format import GridFormat
from scoopi.plugins.encoders.jsonl_encoder import JsonlEncoder
from scoopi.plugins.encoders.rows_encoder import RowsEncoder

AXES = (Axis("item", "line", 1), Axis("fact", "fact", 1))
OSLO = Locator("oslo", "bikes", "http://a/")
Values = list[tuple[str, str]]


def read_again(encoder: CsvEncoder | JsonlEncoder, values: Values) -> list[list[str]]:
    data = Data("prices", tuple(Item(AXES, pair, (0, 0)) for pair in values))
    text = (encoder.header(AXES) + encoder.encode(data, OSLO, 1)).decode()
    return [*GridFormat.of(encoder, AXES).rows(text.splitlines(keepends=True))]


@pytest.mark.parametrize(
    "encoder",
    [
        CsvEncoder("|", quote="none"),
        CsvEncoder("::", header=True, quote="none"),
        CsvEncoder(header=True),
        CsvEncoder(quote="all"),
        JsonlEncoder(),
    ],
)
def test_what_an_encoder_writes_is_read_again(encoder: CsvEncoder | JsonlEncoder) -> None:
    assert read_again(encoder, [("frame", "7"), ("wheel", "x y")]) == [
        ["oslo", "bikes", "frame", "7"],
        ["oslo", "bikes", "wheel", "x y"],
    ]


cells = st.text(st.sampled_from('ab ,"|;ø'), max_size=5)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=5))
def test_values_with_delimiters_and_quotes_are_read_again(values: Values) -> None:
    expected = [["oslo", "bikes", *pair] for pair in values]
    assert read_again(CsvEncoder(header=True), values) == expected
    assert read_again(CsvEncoder(quote="all"), values) == expected


def test_of_other_encoders_and_of_different_columns_nothing_is_known() -> None:
    assert GridFormat.of(RowsEncoder(), AXES) == GridFormat()
    one, other = GridFormat(("a",), "|"), GridFormat(("b",), "|")
    assert (one.merged(one), one.merged(other)) == (one, GridFormat())


def test_a_row_of_another_width_is_an_error() -> None:
    with pytest.raises(ValueError, match="row 2 has 1 values, not 2"):
        [*GridFormat(("a", "b"), "|", "none").rows(["1|2\n", "3\n"])]
