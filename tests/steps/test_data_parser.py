"""DataParser: a page becomes data, once for all runs that may reuse it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scoopi.archive.archive import Archive
from scoopi.errors import ParseError, StepError
from scoopi.model.data import Axis, Data, Item, LinkData
from scoopi.model.failure import Failure
from scoopi.model.handover import Payload, ToTask
from scoopi.model.locator import Document, Locator
from scoopi.parse.element import Element
from scoopi.parse.query_ports import ScriptRunner
from scoopi.parse.tree.page import Page, TreeLimits
from scoopi.steps.data_parser import DataParser, DataReuse

LOCATOR = Locator("oslo", "towns", "http://h/old")
DOCUMENT = Document(
    LOCATOR, "http://h/towns/oslo", datetime(2026, 1, 1, tzinfo=UTC), None, b"<base href=b/><p>1"
)
AXES = (Axis("item", "town", 1),)


class TitleReader:
    """Reads the text of the page as its one row, with a warning; counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def read(self, root: Element, scripts: ScriptRunner | None, warn: Callable[[Failure], None]) -> Data:
        self.times += 1
        warn(Failure("a range ended", "a range ended at 3"))
        text = str(root.xpath("string(//p)"))
        return Data("towns", (Item(AXES, (text,), (1,)),) if text else ())


def no_scripts(document: Document) -> ScriptRunner:
    return lambda script, row: pytest.fail("a script ran")


def parsed(step: DataParser, page: object) -> ToTask:
    handover = step.run(Payload("7", LOCATOR, 1, "t", page))
    assert isinstance(handover, ToTask)
    return handover


def page(body: bytes = DOCUMENT.body) -> Page:
    return Page(Document(LOCATOR, DOCUMENT.url, DOCUMENT.from_date, None, body), TreeLimits(max_depth=50))


def test_a_page_becomes_its_data_with_the_warnings_of_its_reading() -> None:
    handover = parsed(DataParser(TitleReader(), no_scripts), page())
    assert handover.payload.input == Data("towns", (Item(AXES, ("1",), (1,)),))
    assert [warning.cause for warning in handover.warnings] == ["a range ended"]


def test_data_of_links_has_the_final_address_and_the_base_of_its_page() -> None:
    data = parsed(DataParser(TitleReader(), no_scripts, makes_links=True), page()).payload.expect(LinkData)
    assert (data.page_url, data.base_href) == ("http://h/towns/oslo", "b/")
    assert data.items[0].values == ("1",)


def test_a_page_is_marked_as_read_and_whether_any_task_found_a_value() -> None:
    step = DataParser(TitleReader(), no_scripts, is_empty=lambda data: not data.items)
    read = page(b"")
    parsed(step, read)
    assert (read.is_read, read.has_values) == (True, False)
    parsed(DataParser(TitleReader(), no_scripts), read)
    parsed(step, read)
    assert read.has_values, "another task found one"


def test_saved_data_is_not_parsed_again(tmp_path: Path) -> None:
    archive, reader = Archive(tmp_path / "archive"), TitleReader()
    archive.save(DOCUMENT)
    step = DataParser(reader, no_scripts, DataReuse(archive, lambda document: document.url))
    first, second = parsed(step, page()), parsed(step, page())
    assert second.payload.input == first.payload.input
    assert (reader.times, second.warnings) == (1, ())


def test_data_of_another_key_or_page_is_parsed(tmp_path: Path) -> None:
    archive, reader = Archive(tmp_path / "archive"), TitleReader()
    archive.save(DOCUMENT)
    parsed(DataParser(reader, no_scripts, DataReuse(archive, lambda document: "a")), page())
    parsed(DataParser(reader, no_scripts, DataReuse(archive, lambda document: "b")), page())
    other = parsed(DataParser(reader, no_scripts, DataReuse(archive, lambda document: "a")), page(b"<p>2"))
    assert reader.times == 3
    assert other.payload.expect(Data).items[0].values == ("2",)


def test_a_page_that_cannot_be_parsed_fails_the_task() -> None:
    step = DataParser(TitleReader(), no_scripts)
    with pytest.raises(ParseError):
        parsed(step, page(b"<div>" * 60))


def test_another_input_than_a_page_is_an_error() -> None:
    with pytest.raises(StepError, match="expects Page"):
        parsed(DataParser(TitleReader(), no_scripts), "no page")
