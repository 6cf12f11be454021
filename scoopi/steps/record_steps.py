"""RecordParser and RecordAppender: the steps that read the records of a page, and encode them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from scoopi.errors import EncodeError
from scoopi.model.failure import Failure
from scoopi.model.handover import Handover, Part, Payload, ToAppender, ToTask
from scoopi.model.locator import Document
from scoopi.model.records import Records, Value, packed_rows
from scoopi.model.records.record_def import RecordDef
from scoopi.model.text.shown import shown
from scoopi.parse.records.field_reader import RunScript
from scoopi.parse.records.page_facts import PageFacts
from scoopi.parse.tree.page import Page
from scoopi.steps.locator_creator import link_address
from scoopi.steps.step import Step

if TYPE_CHECKING:
    from scoopi.archive.archive import Archive


class RecordReuse(msgspec.Struct, frozen=True):
    """Where a parser saves the records of a page for later runs, and finds those of earlier ones.

    Attributes:
        archive: the run's archive.
        key: returns the key of a document's records, given the fields of its parent; see `data_key`.
    """

    archive: Archive
    key: Callable[[Document, Mapping[str, Any]], str]


def columns_read(definition: RecordDef) -> tuple[int, ...]:
    """Positions of the columns that are read from the page and have no default.

    A page on which all of them are None is perhaps not the page that was meant to be loaded.
    """
    read = {
        field.name
        for field in definition.fields
        if (field.selects or field.label is not None) and field.default is None
    }
    return tuple(at for at, column in enumerate(definition.schema.all_columns) if column.name in read)


class RecordParser(Step):
    """The step that reads the records of a page; used by the thread that runs steps.

    Args:
        read: reads the records of a page, given what is known about it and the runner of scripts.
        scripts: creates the runner of the definition's scripts for one page, given the fields of its
            parent; None if the definition has no scripts.
        reuse: None unless records are saved for later runs.
        columns: positions of the columns that are read from the page, see `columns_read`.
    """

    def __init__(
        self,
        read: Callable[[Page, PageFacts, RunScript | None], Records],
        scripts: Callable[[Document, Mapping[str, Value]], RunScript] | None = None,
        reuse: RecordReuse | None = None,
        columns: Sequence[int] = (),
    ) -> None:
        self._columns = columns
        self._read_records = read
        self._scripts = scripts
        self._reuse = reuse

    def run(self, payload: Payload) -> Handover:
        """Read the records of the page, or load them from the archive.

        Raises:
            ParseError: the page cannot be read, or a selector fails on it.
            ConvertError: a value cannot be converted, and its field has `onError: fail`.
            ScriptError: a script of the definition failed.
        """
        page = payload.expect(Page)
        known = page.damage
        records = self._kept(page, payload) or self._read(page, payload)
        page.is_read = True
        page.has_values = page.has_values or self._has_values(records)
        return ToTask(payload.advance(records), () if known or not page.damage else (_damage_of(page),))

    def _has_values(self, records: Records) -> bool:
        if records.links or not self._columns:
            return bool(records.links or records.rows)
        return any(row[at] not in (None, []) for row in records.rows for at in self._columns)

    def _kept(self, page: Page, payload: Payload) -> Records | None:
        if self._reuse is None:
            return None
        return self._reuse.archive.load_records(page.document, self._reuse.key(page.document, payload.parent))

    def _read(self, page: Page, payload: Payload) -> Records:
        document = page.document
        facts = PageFacts(
            payload.locator,
            document.url,
            document.from_date,
            payload.parent,
            partial(_absolute, page),
        )
        script = self._scripts(document, payload.parent) if self._scripts is not None else None
        records = self._read_records(page, facts, script)
        if self._reuse is not None:
            self._reuse.archive.save_records(document, self._reuse.key(document, payload.parent), records)
        return records


def _damage_of(page: Page) -> Failure:
    """The warning about a damaged sitemap or feed, made once for all tasks that read the page."""
    cause = "the list is damaged, and entries may be lost"
    return Failure(cause=cause, message=f"{shown(page.document.url)}: {cause}: {page.damage}")


class RecordAppender(Step):
    """The step that encodes the records of a page for the outputs, and ends its task.

    Args:
        stream: the name of its records in frames, from which all outputs of the task are written; empty for a
            task without outputs.
        rejected: the name of its rejected records in frames.
    """

    def __init__(self, stream: str, rejected: str) -> None:
        self._stream = stream
        self._rejected = rejected
        self._encoder = msgspec.json.Encoder()

    def run(self, payload: Payload) -> Handover:
        """Encode the records, once for all outputs.

        Raises:
            EncodeError: a value cannot be encoded, such as an integer of more than 64 bits.
        """
        records = payload.expect(Records)
        if not self._stream:
            return ToAppender((), links=records.links)
        try:
            parts = [Part(self._stream, len(records.rows), packed_rows(records.rows))]
            if records.rejections:
                lines = self._encoder.encode_lines(records.rejections)
                parts.append(Part(self._rejected, len(records.rejections), lines))
        except (TypeError, UnicodeEncodeError, OverflowError) as error:
            raise EncodeError(
                f"a record cannot be written: {error}", hint="check the field's script"
            ) from error
        return ToAppender(tuple(parts), links=records.links)


def _absolute(page: Page, link: str) -> str:
    return link_address(link, page.document.url, page.base_href)
