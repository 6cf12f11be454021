"""RecordFile: an output file of records in one of their formats."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from scoopi.model.records import RecordSchema, read_records
from scoopi.outputs.formats.record_writer import record_writer
from scoopi.outputs.output_spec import OutputSpec
from scoopi.outputs.record_digest import RecordDigest
from scoopi.outputs.target import TargetKind
from scoopi.publishing.objects.object_upload import upload
from scoopi.publishing.output_file import OutputFile


class RecordFile(OutputFile):
    """An output file of records in one of their formats.

    Of records with equal keys only the first is written; the others are counted in `dropped`.
    """

    def __init__(self, spec: OutputSpec, run_folder: Path, work_folder: Path) -> None:
        super().__init__(spec, run_folder, work_folder)
        schema = spec.written_schema
        assert schema is not None, "it is an output of records"
        assert spec.target is not None
        self._keys = KeyFilter(schema)
        sink = cast(Any, self._sink)
        self._writer = record_writer(spec.target.format, sink, schema.all_columns)

    def write(self, body: bytes, rows: int) -> None:
        """Add the records of one job, except those whose key has already been written."""
        records = list(read_records(body))
        kept = self._keys.kept(records)
        self._writer.write(kept)
        self.rows += len(kept)
        self.dropped += len(records) - len(kept)

    def finish(self) -> None:
        """Write the end of the file and sync it to disk, still under its temporary name."""
        self._writer.close()
        super().finish()

    def publish(self, suffix: str = "") -> None:
        """Publish the file as `OutputFile` does, or upload it if the output is in an object store.

        Raises:
            AppenderError: it cannot be uploaded.
        """
        target = self.spec.target
        if target is None or target.kind is not TargetKind.REMOTE:
            super().publish(suffix)
            return
        upload(self._temporary, target.path + suffix)


class KeyFilter:
    """Drops records whose key has already been seen.

    Remembers a digest of each key, some 100 bytes of memory per record; nothing if records have no key.
    """

    def __init__(self, schema: RecordSchema) -> None:
        self._key = RecordDigest(schema.all_columns, schema.key) if schema.key else None
        self._seen: set[bytes] = set()

    def kept(self, records: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
        """The records whose key was not seen before; one that lacks a part of its key is always kept."""
        key = self._key
        return records if key is None else [record for record in records if self._is_new(key.of_key(record))]

    def _is_new(self, digest: bytes | None) -> bool:
        if digest is None:
            return True
        before = len(self._seen)
        self._seen.add(digest)
        return len(self._seen) > before
