"""How rows of grids stand in their files: what encoders write is read again."""

from __future__ import annotations

import io

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
    return [*GridFormat.of(encoder, AXES).rows(io.StringIO(text, newline=""))]


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


cells = st.text(st.sampled_from('ab ,"|;:ø\n\r\u2028'), max_size=5)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=5), st.sampled_from([",", "|", "::", ", "]))
def test_values_with_delimiters_quotes_and_line_breaks_are_read_again(values: Values, delimiter: str) -> None:
    expected = [["oslo", "bikes", *pair] for pair in values]
    assert read_again(CsvEncoder(delimiter, header=True), values) == expected
    assert read_again(CsvEncoder(delimiter, quote="all"), values) == expected
    assert read_again(JsonlEncoder(), values) == expected


@pytest.mark.parametrize("encoder", [CsvEncoder(), CsvEncoder("::"), CsvEncoder(quote="all"), JsonlEncoder()])
def test_a_value_of_any_length_is_read_again(encoder: CsvEncoder | JsonlEncoder) -> None:
    values = [('"' * 200_000, "x,\n" * 100_000)]
    assert read_again(encoder, values) == [["oslo", "bikes", *values[0]]]


def test_raw_lines_keep_a_carriage_return_at_their_end() -> None:
    assert read_again(CsvEncoder("|", quote="none"), [("frame", "7\r")]) == [
        ["oslo", "bikes", "frame", "7\r"]
    ]


def test_rows_of_a_second_item_are_read_by_position_also_from_json() -> None:
    other = Item((Axis("item", "model", 2), AXES[1]), ("wheel", "9"), (0, 0))
    for encoder in (CsvEncoder(), JsonlEncoder()):
        text = encoder.encode(Data("prices", (other,)), OSLO, 1).decode()
        assert [*GridFormat.of(encoder, AXES).rows([text])] == [["oslo", "bikes", "wheel", "9"]]


def test_an_axis_with_the_name_of_a_tag_has_its_own_value() -> None:
    axes = (Axis("item", "group", 1), Axis("fact", "locator", 1))
    encoder = JsonlEncoder()
    text = encoder.encode(Data("prices", (Item(axes, ("frame", "7"), (0, 0)),)), OSLO, 1).decode()
    assert [*GridFormat.of(encoder, axes).rows([text])] == [["oslo", "bikes", "frame", "7"]]


def test_of_other_encoders_and_of_different_columns_nothing_is_known() -> None:
    assert GridFormat.of(RowsEncoder(), AXES) == GridFormat()
    one, other = GridFormat(("a",), "|"), GridFormat(("b",), "|")
    assert (one.merged(one), one.merged(other)) == (one, GridFormat())


@pytest.mark.parametrize(
    ("format_", "line", "what"),
    [
        (GridFormat(("a", "b"), "|", "none"), "3\n", "row 2 has 1 values, not 2"),
        (GridFormat(("a", "b"), ",", "minimal"), "3\n", "row 2 has 1 values, not 2"),
        (GridFormat(("a", "b"), ",", "minimal"), '"3"4,5\n', "'4' follows a quoted value"),
        (GridFormat(("a", "b"), ",", "minimal"), '3,"5\n', "a quoted value does not end"),
        (GridFormat(("a", "b")), '{"a":1,"values":{}}\n', "row 2 has 1 values, not 2"),
        (GridFormat(("a", "b")), '{"a":1,"b":2}\n', "row 2 is not an object with the key values"),
        (GridFormat(("a", "b")), '{"values":[1,2]}\n', "row 2 is not an object with the key values"),
        (GridFormat(("a", "b")), "[1,2]\n", "row 2 is not an object with the key values"),
        (GridFormat(("a", "b")), "3,4\n", "Extra data"),
        (GridFormat(("a", "b")), "[" * 100_000, "nested too deeply"),
    ],
)
def test_a_row_in_another_format_is_an_error(format_: GridFormat, line: str, what: str) -> None:
    first = f"1{format_.delimiter}2\n" if format_.delimiter else '{"a":1,"values":{"b":2}}\n'
    with pytest.raises(ValueError, match=what):
        [*format_.rows([first, line])]
