"""DataAppender: rows are encoded for every output, once for equal encoders."""

from __future__ import annotations

import pytest

from scoopi.errors import EncodeError, StepError
from scoopi.model.data import Axis, Data, Item
from scoopi.model.handover import Part, Payload, ToAppender
from scoopi.model.locator import Locator
from scoopi.plugins.encoders.csv_encoder import CsvEncoder
from scoopi.plugins.encoders.rows_encoder import RowsEncoder, read_rows
from scoopi.plugins.plugin_ports import Encoder
from scoopi.steps.data_appender import DataAppender

AXES = (Axis("item", "day", 1), Axis("fact", "fact", 1))
DATA = Data("weather", (Item(AXES, ("Mon", "-2"), (1, 1)), Item(AXES, ("Tue", None), (2, 1))))


class CountingEncoder:
    """Counts its calls; equal to its own kind."""

    def __init__(self, calls: list[int]) -> None:
        self._calls = calls

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CountingEncoder)

    def __hash__(self) -> int:
        return 1

    def encode(self, data: Data, locator: Locator, page: int) -> bytes:
        self._calls.append(page)
        return f"{locator.name}{page}".encode()

    def header(self, axes: tuple[Axis, ...]) -> bytes:
        return b""


def parts(*outputs: tuple[str, Encoder], data: object = DATA) -> tuple[Part, ...]:
    payload = Payload("7", Locator("oslo", "cityGroup", "u"), 2, "weatherTask", data)
    handover = DataAppender(outputs).run(payload)
    assert isinstance(handover, ToAppender)
    return handover.parts


def test_rows_become_one_part_per_output() -> None:
    csv, rows = parts(("data.txt", CsvEncoder("|", include_tags=True)), ("list:rows", RowsEncoder()))
    assert csv == Part("data.txt", 2, b"oslo|cityGroup|2|1|1|Mon|-2\noslo|cityGroup|2|1|1|Tue|null\n")
    assert (rows.output, rows.rows) == ("list:rows", 2)
    assert list(read_rows(rows.body)) == [
        ("oslo", "cityGroup", "Mon", "-2"),
        ("oslo", "cityGroup", "Tue", None),
    ]


def test_equal_encoders_encode_once() -> None:
    calls: list[int] = []
    outputs = [(name, CountingEncoder(calls)) for name in ("a.txt", "b.txt", "c.txt")]
    assert parts(*outputs) == tuple(Part(name, 2, b"oslo2") for name in ("a.txt", "b.txt", "c.txt"))
    assert calls == [2]


def test_encoders_with_other_fields_encode_for_themselves() -> None:
    commas, bars = parts(("a.txt", CsvEncoder(",")), ("b.txt", CsvEncoder("|")))
    assert commas.body.splitlines()[0] == b"oslo,cityGroup,Mon,-2"
    assert bars.body.splitlines()[0] == b"oslo|cityGroup|Mon|-2"


def test_no_rows_are_a_part_too() -> None:
    assert parts(("a.txt", CsvEncoder()), data=DATA.with_items([])) == (Part("a.txt", 0, b""),)


def test_without_outputs_nothing_is_written() -> None:
    assert parts() == ()


def test_another_input_than_data_is_refused() -> None:
    with pytest.raises(StepError, match="expects Data"):
        parts(data="a page")


def test_a_row_that_cannot_be_encoded_fails_the_task() -> None:
    broken = DATA.with_items([Item(AXES, ("\udc00", "x"), (1, 1))])
    with pytest.raises(EncodeError):
        parts(("a.txt", CsvEncoder()), data=broken)
