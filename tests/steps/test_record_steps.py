"""RecordParser and RecordAppender: records are read once a page, and encoded once for all outputs."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from scoopi.archive.archive import Archive
from scoopi.errors import EncodeError
from scoopi.model.handover import Payload, ToAppender, ToTask
from scoopi.model.locator import Document, Link, Locator
from scoopi.model.records import Column, Records, RecordSchema, Rejection, read_records
from scoopi.model.records.record_def import FieldDef, RecordDef, Selector
from scoopi.parse.records.field_reader import RunScript
from scoopi.parse.records.page_facts import PageFacts
from scoopi.parse.tree.page import Page, TreeLimits
from scoopi.steps.record_steps import RecordAppender, RecordParser, RecordReuse, columns_read

LOCATOR = Locator("oslo", "towns", "http://h/old")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
DOCUMENT = Document(LOCATOR, "http://h/towns/oslo", NOW, None, b"<base href=b/><p>1")
ROWS = (("Rye", None), (None, 3))


class CardReader:
    """Gives records, and notes what it was given."""

    def __init__(self, *rows: tuple[object, ...], links: tuple[Link, ...] = ()) -> None:
        self.given: list[PageFacts] = []
        self._records = Records("card", rows, links=links)

    def read(self, page: Page, facts: PageFacts, script: RunScript | None) -> Records:
        self.given.append(facts)
        return self._records


def page() -> Page:
    return Page(DOCUMENT, TreeLimits(max_depth=50))


def parsed(step: RecordParser, of: Page) -> Records:
    handover = step.run(Payload("7", LOCATOR, 1, "t", of))
    assert isinstance(handover, ToTask)
    return handover.payload.expect(Records)


def appended(step: RecordAppender, records: Records) -> ToAppender:
    handover = step.run(Payload("7", LOCATOR, 1, "t", records))
    assert isinstance(handover, ToAppender)
    return handover


def test_links_of_a_page_are_joined_to_its_base() -> None:
    reader = CardReader(*ROWS)
    assert parsed(RecordParser(reader.read), page()).rows == ROWS
    (facts,) = reader.given
    assert facts.absolute("c.html") == "http://h/towns/b/c.html"


@pytest.mark.parametrize(
    ("rows", "links", "columns", "has_values"),
    [
        ((), (), (), False),
        (((None,),), (), (), True),
        (((None, "default"),), (), (0,), False),
        ((([], "default"),), (), (0,), False),
        (((None, "default"), ("Rye", "default")), (), (0,), True),
        (((None,),), (Link("towns", "/next"),), (0,), True),
    ],
)
def test_a_page_has_values_if_a_column_that_is_read_from_it_has_one_or_it_leads_on(
    rows: tuple[tuple[object, ...], ...], links: tuple[Link, ...], columns: tuple[int, ...], has_values: bool
) -> None:
    read = page()
    parsed(RecordParser(CardReader(*rows, links=links).read, columns=columns), read)
    assert (read.is_read, read.has_values) == (True, has_values)


def test_columns_of_constants_and_defaults_are_not_read_from_the_page() -> None:
    selects = (Selector("b"),)
    fields = (
        FieldDef("title", selects=selects),
        FieldDef("shop", value="one"),
        FieldDef("stock", selects=selects, default="0"),
    )
    columns = tuple(Column(field.name) for field in fields)
    schema = RecordSchema("card", columns, meta=(Column("page"),))
    assert columns_read(RecordDef("card", schema, fields)) == (1,)


def test_records_that_the_archive_has_are_not_read_again(tmp_path: Path) -> None:
    archive, reader = Archive(tmp_path / "archive"), CardReader(*ROWS)
    reuse = RecordReuse(archive, lambda document, parent: "key")
    archive.save(DOCUMENT)
    for _ in range(2):
        assert parsed(RecordParser(reader.read, reuse=reuse), page()).rows == ROWS
    assert len(reader.given) == 1


def test_records_are_encoded_once_and_rejected_ones_beside_them() -> None:
    rejection = Rejection("title is missing", "title", "http://h/", "a.yml:1:1", {"stock": 3})
    made = appended(RecordAppender("rows", "bad"), Records("card", ROWS, rejections=(rejection,)))
    rows, rejected = made.parts
    assert (rows.output, rows.rows, [*map(tuple, read_records(rows.body))]) == ("rows", 2, [*ROWS])
    assert (rejected.output, rejected.rows) == ("bad", 1)
    assert b'"title is missing"' in rejected.body


def test_a_task_without_outputs_gives_its_links_only() -> None:
    links = (Link("towns", "/next"),)
    assert appended(RecordAppender("", ""), Records("card", ROWS, links=links)) == ToAppender((), links=links)


@pytest.mark.parametrize("value", [2**70, "\ud800", object()])
def test_a_value_that_cannot_be_written_fails_the_task_with_a_hint(value: object) -> None:
    with pytest.raises(EncodeError, match=r"a record cannot be written: .*; check the field's script"):
        appended(RecordAppender("rows", "bad"), Records("card", ((value,),)))
