"""RecordFiles: the step that requests the files that records name, and writes their paths into them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from scoopi.errors import FetchError
from scoopi.model.downloads import Downloads
from scoopi.model.handover import Handover, Payload, ToFiles, ToTask
from scoopi.model.records import Records, Rejection, Value
from scoopi.model.records.record_def import FieldDef, RecordDef
from scoopi.model.records.record_schema import RecordRow
from scoopi.model.text.file_path import FilePath
from scoopi.steps.downloads.row_files import MISSING, ClaimPath, FileColumn, RowFiles
from scoopi.steps.step import Step

_OUTCOMES = {
    "keep": ("its address is kept", "their addresses are kept"),
    "reject": ("its record is rejected", "their records are rejected"),
}


class RecordFiles(Step):
    """Requests the files that records name, and writes their paths into the records.

    It runs twice for a page: with Records, and then with the Downloads that it has requested.

    Args:
        definition: the definition of the records.
        claim: see `RowFiles`.
        stream: the name of the records in frames.
    """

    def __init__(self, definition: RecordDef, claim: ClaimPath, stream: str) -> None:
        self._claim = claim
        self._stream = stream
        self._columns = [column.name for column in definition.schema.all_columns]
        self._fields = [(field, self._column(field)) for field in definition.fields if field.download]

    def run(self, payload: Payload) -> Handover:
        """Request the files; with Downloads, write their paths into the records.

        Raises:
            FetchError: a file cannot be downloaded, and its field has `onError: fail`.
            LocalFaultError: a file cannot be written on this machine.
        """
        if isinstance(payload.input, Downloads):
            return self._filled(payload, payload.input)
        rows = payload.expect(Records).rows
        requests = (
            column.request(url) for row in rows for _, column in self._fields for url in _urls(row[column.at])
        )
        wanted = tuple(dict.fromkeys(requests))
        return ToFiles(payload, wanted) if wanted else ToTask(payload)

    def _column(self, field: FieldDef) -> FileColumn:
        assert field.download is not None
        outcome = _OUTCOMES.get(field.on_error, MISSING)
        path = FilePath(field.download.to)
        return FileColumn(field.name, self._columns.index(field.name), field.download, path, outcome)

    def _filled(self, payload: Payload, downloads: Downloads) -> Handover:
        records = downloads.input
        assert isinstance(records, Records)
        files = RowFiles(downloads, payload, self._claim, self._stream)
        rows: list[RecordRow] = []
        rejections = list(records.rejections)
        for row in records.rows:
            made = self._row(row, files, payload.locator.url)
            if isinstance(made, Rejection):
                rejections.append(made)
            else:
                rows.append(made)
        filled = replace(records, rows=tuple(rows), rejections=tuple(rejections))
        return ToTask(payload.advance(filled), files.warnings(), files.refs())

    def _row(self, row: RecordRow, files: RowFiles, url: str) -> RecordRow | Rejection:
        """Return the record with the paths of its files, or why it is rejected.

        Raises:
            FetchError: a file cannot be downloaded, and its field has `onError: fail`.
        """
        values = {f"record.{name}": _text(row[at]) for at, name in enumerate(self._columns)}
        made = [*row]
        for field, column in self._fields:
            found = [files.path(column, each, values) for each in _urls(row[column.at])]
            errors = [each for each in found if isinstance(each, FetchError)]
            if errors and field.on_error == "fail":
                raise errors[0]
            reason = ""
            if errors and field.on_error == "reject":
                reason = f"a file of {field.name} could not be downloaded: {errors[0].what}"
            if field.on_error == "keep":
                pairs = zip(found, _urls(row[column.at]), strict=True)
                paths: list[str] = [each if isinstance(each, str) else given for each, given in pairs]
            else:
                paths = [each for each in found if isinstance(each, str)]
            if errors and not paths and field.required:
                reason = f"the required file of {field.name} could not be downloaded: {errors[0].what}"
            if reason:
                return Rejection(reason, field.name, url, str(field.place), self._named(row))
            if found:
                made[column.at] = paths if field.is_list else next(iter(paths), None)
        return tuple(made)

    def _named(self, row: Sequence[Value]) -> dict[str, Value]:
        return dict(zip(self._columns, row, strict=True))


def _urls(value: Value) -> list[str]:
    """The addresses in a value: none, one, or those in a list."""
    values = value if isinstance(value, list | tuple) else [value]
    return [each for each in values if isinstance(each, str) and each.strip()]


def _text(value: Value) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    return "" if value is None or isinstance(value, Mapping) else str(value)
