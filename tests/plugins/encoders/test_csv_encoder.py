"""CsvEncoder: lines as the language says, byte for byte."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoopi.errors import EncodeError, PluginError
from scoopi.model.data import Axis, Data, Item
from scoopi.model.locator import Locator
from scoopi.plugins.encoders.csv_encoder import CsvEncoder

OSLO = Locator("oslo", "cityGroup", "/oslo.html")


def data(*rows: tuple[str | None, ...]) -> Data:
    items = []
    for row in rows:
        axes = tuple(Axis("dim", f"column {number}", number) for number in range(len(row)))
        items.append(Item(axes, row, (1,) * len(row)))
    return Data("weather", tuple(items))


def encoded(encoder: CsvEncoder, *rows: tuple[str | None, ...], locator: Locator = OSLO) -> str:
    return encoder.encode(data(*rows), locator, 3).decode()


def test_a_line_holds_locator_group_and_values() -> None:
    assert encoded(CsvEncoder("|"), ("06:00", "Mon", "-2")) == "oslo|cityGroup|06:00|Mon|-2\n"


def test_tags_stand_behind_the_group() -> None:
    lines = encoded(CsvEncoder(include_tags=True), ("06:00", "-2"), ("07:00", "-1"))
    assert lines == "oslo,cityGroup,3,1,1,06:00,-2\noslo,cityGroup,3,1,1,07:00,-1\n"


def test_no_rows_give_no_bytes() -> None:
    assert CsvEncoder().encode(data(), OSLO, 1) == b""


@pytest.mark.parametrize("quote", ["minimal", "none"])
def test_a_null_prints_its_name(quote: Any) -> None:
    assert encoded(CsvEncoder(quote=quote), (None, "a"), ("b", "c")) == (
        "oslo,cityGroup,null,a\noslo,cityGroup,b,c\n"
    )


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("a|b", '"a|b"'),
        ("a\nb", '"a\nb"'),
        ("a\rb", '"a\rb"'),
        ('"a"', '"""a"""'),
        ('5" disk', '5" disk'),
        ('5" | 7"', '"5"" | 7"""'),
        ("", ""),
        (" a ", " a "),
        ("a,b", "a,b"),
        ("Zürich\u2028😀", "Zürich\u2028😀"),
    ],
)
def test_only_values_that_need_quotes_get_them(value: str, cell: str) -> None:
    rows = (("x", "y"), (value, "z"), ("v", "w"))
    lines = encoded(CsvEncoder("|"), *rows)
    assert lines == f"oslo|cityGroup|x|y\noslo|cityGroup|{cell}|z\noslo|cityGroup|v|w\n"


def test_a_name_that_needs_quotes_gets_them() -> None:
    locator = Locator("a|b", "c", "u")
    assert encoded(CsvEncoder("|"), ("v",), locator=locator) == '"a|b"|c|v\n'
    assert encoded(CsvEncoder("|", quote="none"), ("v",), locator=locator) == "a|b|c|v\n"


def test_raw_lines_quote_nothing() -> None:
    assert encoded(CsvEncoder("|", quote="none"), ('"a|b\n', "c")) == 'oslo|cityGroup|"a|b\n|c\n'


def test_all_values_can_be_quoted() -> None:
    assert encoded(CsvEncoder(quote="all"), ('a"b', None)) == '"oslo","cityGroup","a""b","null"\n'


def test_a_delimiter_may_have_several_characters() -> None:
    assert encoded(CsvEncoder("::"), ("a:b", "c::d")) == 'oslo::cityGroup::a:b::"c::d"\n'


def test_a_value_that_ends_like_the_beginning_of_the_delimiter_gets_quotes() -> None:
    assert encoded(CsvEncoder("::"), ("a:", ":b")) == 'oslo::cityGroup::"a:":::b\n'


def test_rows_may_have_different_numbers_of_values() -> None:
    assert encoded(CsvEncoder(), ("a", "b,c", "d"), ("e",)) == 'oslo,cityGroup,a,"b,c",d\noslo,cityGroup,e\n'


def test_a_delimiter_too_many_and_one_too_few_are_not_taken_for_right() -> None:
    assert encoded(CsvEncoder(), ("a\nb", "c"), ("d", "e")) == 'oslo,cityGroup,"a\nb",c\noslo,cityGroup,d,e\n'


def test_a_header_names_the_columns() -> None:
    axes = data(("a", "b")).items[0].axes
    assert CsvEncoder("|", header=True, include_tags=True).header(axes) == (
        b"name|group|page|index|item|column 0|column 1\n"
    )
    assert CsvEncoder(header=True, quote="all").header(axes[:1]) == b'"name","group","column 0"\n'
    assert CsvEncoder().header(axes) == b""


def test_encoders_with_the_same_fields_are_equal() -> None:
    assert CsvEncoder("|") == CsvEncoder("|")
    assert len({CsvEncoder("|"), CsvEncoder("|"), CsvEncoder("|", header=True)}) == 2
    assert CsvEncoder("|") != CsvEncoder(";")


@pytest.mark.parametrize("delimiter", ["", '"', "\n", "a\r"])
def test_a_delimiter_that_cannot_work_is_refused(delimiter: str) -> None:
    with pytest.raises(PluginError, match="delimiter"):
        CsvEncoder(delimiter)


@pytest.mark.parametrize("value", [7, "\ud800"])
def test_a_value_that_is_no_text_fails_the_task(value: Any) -> None:
    with pytest.raises(EncodeError, match="a row cannot be written"):
        CsvEncoder().encode(data(("a", value)), OSLO, 1)


@given(
    rows=st.lists(
        st.lists(st.text('ab|,"\r\n é', max_size=4), min_size=2, max_size=4), min_size=1, max_size=5
    ),
    quote=st.sampled_from(["minimal", "all"]),
    delimiter=st.sampled_from([",", "|", ";", "b"]),
)
def test_a_csv_reader_reads_back_what_was_written(rows: list[list[str]], quote: Any, delimiter: str) -> None:
    locator = Locator("x", "y", "u")
    text = CsvEncoder(delimiter, quote=quote).encode(data(*map(tuple, rows)), locator, 1).decode()
    read = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    assert read == [["x", "y", *row] for row in rows]
