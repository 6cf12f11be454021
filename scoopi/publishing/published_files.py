"""PublishedFiles: gives the downloaded files that published rows name their paths."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from scoopi.errors import AppenderError
from scoopi.model.downloads import (
    FILES_FOLDER,
    KEPT_FOLDER,
    PATHS_FOLDER,
    SENT_FOLDER,
    FileRef,
    kept_path,
    sent_path,
)
from scoopi.model.job import Frame
from scoopi.model.records import read_records
from scoopi.model.report.run_counts import FileCounts
from scoopi.model.text.file_path import is_object
from scoopi.outputs.output_spec import OutputSpec
from scoopi.publishing.objects.object_upload import ensure_uploaded, upload_missing
from scoopi.publishing.record_file import KeyFilter
from scoopi.synced_files import sync_folder

COPIED_AT_ONCE = 1 << 20
_HIDDEN = ".part-"


class PublishedFiles:
    """Gives the downloaded files that published rows name their paths.

    A file is published if a published row names it; a record that was dropped as a duplicate by key does not
    count. Uses some 400 bytes of memory per file. Source: ARCHITECTURE, protocol rule 17.

    Args:
        run_folder: the folder that the paths are relative to.
    """

    def __init__(self, outputs: Sequence[OutputSpec], run_folder: Path) -> None:
        self._run_folder = self._files = run_folder
        self._columns: dict[str, list[_Names]] = {}
        for spec in outputs:
            names = _Names(spec)
            for part in spec.written_parts if names.columns else ():
                self._columns.setdefault(part, []).append(names)
        self._sources: dict[str, tuple[str, Path]] = {}
        self._named: dict[str, int] = {}
        self._kept: dict[Path, set[str]] = {}
        self._bytes = 0

    @property
    def counts(self) -> FileCounts:
        """The number of published files, and their total size in bytes."""
        return FileCounts(len(self._named), self._bytes)

    def begin(self, segment: Path) -> None:
        """Begin a segment, whose frames follow; the files that they name are in the folder of its node."""
        self._files = segment.parent.parent / FILES_FOLDER
        self._kept.setdefault(self._files, set())

    def has_all(self, frame: Frame) -> bool:
        """Whether all files of a frame exist and their paths are free; otherwise the frame is damaged."""
        return not frame.files or all(self._is_there(file, self._files) for file in frame.files)

    def add(self, frame: Frame) -> None:
        """Add the files of a frame that counts."""
        if not frame.files:
            return
        files, kept = self._files, self._kept[self._files]
        offered: dict[str, FileRef] = {}
        for file in frame.files:
            kept.add(file.sha256)
            offered[file.path] = file
            if not file.stream:
                self._take(file, files)
        for part in frame.parts:
            for names in self._columns.get(part.output, ()):
                for path in names.of(part.body):
                    if path in offered:
                        self._take(offered[path], files)

    def publish(self, ensure_time: Callable[[], None] = lambda: None) -> None:
        """Give all files their paths, durably; a path that already has its file is left alone.

        Args:
            ensure_time: called between uploads to object stores; raises an error to abort them.
        Raises:
            OSError: a file cannot be written.
            AppenderError: a path leads out of the run's folder, or an object store rejects a file.
        """
        objects = {path: self._source(path) for path in self._named if is_object(path)}
        sent = {path for path in objects if self._was_sent(path)}
        ensure_uploaded({path: self._named[path] for path in sent}, ensure_time)
        upload_missing({path: file for path, file in objects.items() if path not in sent}, ensure_time)
        folders: set[Path] = set()
        for path in self._named:
            if is_object(path):
                continue
            target = self._run_folder / path
            if not _is_inside(self._run_folder, target.parent):
                raise AppenderError(
                    "the path of a file leads out of the run's folder",
                    at=str(target),
                    hint="is a folder there a link? remove it, then `scoopi resume`",
                )
            if _place(self._source(path), target):
                folders |= {*_between(self._run_folder, target)}
        for folder in sorted(folders):
            sync_folder(folder)

    def clean(self, *, keeps_uploaded: bool = False) -> None:
        """Remove the files that no frame names; call it when the run is over, as no more frames can follow.

        Args:
            keeps_uploaded: whether copies of uploaded files are kept; by default they are removed, too.
        """
        for files, kept in self._kept.items():
            for folder in files.glob("*"):
                if folder.name not in (KEPT_FOLDER, PATHS_FOLDER, SENT_FOLDER):
                    shutil.rmtree(folder, ignore_errors=True)
            for file in (files / KEPT_FOLDER).glob("*/*"):
                if file.name not in kept:
                    file.unlink(missing_ok=True)
        if not keeps_uploaded:
            self._drop_uploaded()

    def _drop_uploaded(self) -> None:
        """Write a durable note for each uploaded file, then remove its copy; a full disk keeps the copy."""
        named = [(is_object(path), self._sources[path][0]) for path in self._named]
        local = {sha256 for is_uploaded, sha256 in named if not is_uploaded}
        uploaded = {sha256 for is_uploaded, sha256 in named if is_uploaded} - local
        with contextlib.suppress(OSError):
            for files, kept in self._kept.items():
                drops = [each for each in kept & uploaded if kept_path(files, each).exists()]
                notes = [sent_path(files, sha256) for sha256 in drops]
                for note in notes:
                    note.parent.mkdir(parents=True, exist_ok=True)
                    note.touch()
                for folder in sorted({each for note in notes for each in _between(files, note)}):
                    sync_folder(folder)
                for sha256 in drops:
                    kept_path(files, sha256).unlink(missing_ok=True)

    def _is_there(self, file: FileRef, files: Path) -> bool:
        known = self._sources.get(file.path)
        if known is not None and known[0] != file.sha256:
            return False
        try:
            return kept_path(files, file.sha256).stat().st_size == file.size
        except OSError:
            return is_object(file.path) and sent_path(files, file.sha256).exists()

    def _take(self, file: FileRef, files: Path) -> None:
        if file.path not in self._named:
            self._named[file.path] = file.size
            self._sources[file.path] = file.sha256, files
            self._bytes += file.size

    def _was_sent(self, path: str) -> bool:
        """Whether a file was uploaded and its copy here has been removed."""
        sha256, files = self._sources[path]
        return not kept_path(files, sha256).exists() and sent_path(files, sha256).exists()

    def _source(self, path: str) -> Path:
        sha256, files = self._sources[path]
        return kept_path(files, sha256)


class _Names:
    """Reads the paths of files in the records of one output, without the records that it drops."""

    def __init__(self, spec: OutputSpec) -> None:
        schema = spec.written_schema
        columns = schema.all_columns if schema is not None else ()
        self.columns = [at for at, column in enumerate(columns) if column.is_file]
        self._keys = KeyFilter(schema) if schema is not None and self.columns else None

    def of(self, body: bytes) -> Iterator[str]:
        """The paths that the records of a part name."""
        assert self._keys is not None
        for record in self._keys.kept([*read_records(body)]):
            for at in self.columns:
                value = record[at]
                yield from value if isinstance(value, list) else [value] if value is not None else []


def _is_inside(folder: Path, below: Path) -> bool:
    """Whether a path is inside a folder once links are resolved."""
    return below.resolve().is_relative_to(folder.resolve())


def _between(folder: Path, file: Path) -> Collection[Path]:
    """All folders from that of a file up to a given one."""
    parents = [file.parent]
    while parents[-1] != folder:
        parents.append(parents[-1].parent)
    return parents


def _place(source: Path, target: Path) -> bool:
    """Put a file under a path atomically: as a hard link, or as a copy where links are not possible.

    Returns:
        False if it was there already.
    """
    with contextlib.suppress(OSError):
        if target.samefile(source):
            return False
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f"{_HIDDEN}{secrets.token_hex(6)}")
    try:
        try:
            os.link(source, temporary)
        except OSError:
            with source.open("rb") as given, temporary.open("wb") as made:
                shutil.copyfileobj(given, made, COPIED_AT_ONCE)
                made.flush()
                os.fsync(made.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    return True
