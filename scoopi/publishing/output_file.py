"""Output files: which ones the definitions write, and how each is written and renamed when complete."""

from __future__ import annotations

import contextlib
import gzip
import os
import posixpath
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Protocol, cast

import msgspec
from msgspec.structs import replace

from scoopi.appenders.segment_writer import sync_folder
from scoopi.defs.scrape.class_names import APPENDER_STEP
from scoopi.model.data import Axis
from scoopi.model.data_def import DataDef
from scoopi.model.definitions import Definitions, PluginDef, StepDef, TaskDef
from scoopi.model.records import RecordSchema, with_change
from scoopi.outputs.target import Target, TargetKind
from scoopi.plugins.encoders.grid_format import GridFormat
from scoopi.plugins.encoders.rows_encoder import RowsEncoder
from scoopi.plugins.plugin_finder import NO_DEFAULTS, PluginFinder
from scoopi.plugins.plugin_ports import LIST_PREFIX, Appender, Encoder

WRITE_BYTES = 1 << 20
_CHANGES = "changes:"
HELD = ".held"
"""Suffix of the name of an output whose records do not meet their expectations."""
ZSTD_LEVEL = 3
TEMPORARIES = "publish-*.tmp"
"""Glob pattern of the files in the work folder that are being written."""


def appender_outputs(
    step: StepDef, finder: PluginFinder, defaults: Mapping[str, str] = NO_DEFAULTS
) -> Iterator[tuple[str, Encoder]]:
    """Yield (output, encoder) for each appender plugin of a step that writes anything.

    Args:
        defaults: values for fields that an encoder has and its definition leaves out.
    Raises:
        PluginError: a plugin cannot be constructed.
    """
    for plugin in step.plugins:
        appender: Appender = finder.construct("appenders", _without_encoders(plugin))
        if appender.output.startswith(LIST_PREFIX):
            yield appender.output, RowsEncoder()
        elif plugin.plugins:
            yield appender.output, finder.construct("encoders", plugin.plugins[-1], defaults)


def output_specs(definitions: Definitions, finder: PluginFinder) -> tuple[OutputSpec, ...]:
    """Every output that the grid tasks of a run write; the file has the name of the output."""
    specs: dict[str, OutputSpec] = {}
    for task in _tasks(definitions):
        if task.data_def in definitions.record_defs:
            continue  # see record_specs
        axes = _columns(definitions.data_defs[task.data_def])
        for step in task.steps:
            if step.class_name != APPENDER_STEP:
                continue
            for output, encoder in appender_outputs(step, finder):
                grid = GridFormat.of(encoder, axes)
                spec = specs.setdefault(output, OutputSpec(output, output, encoder.header(axes), grid=grid))
                if spec.grid is not None:
                    specs[output] = replace(spec, grid=grid.merged(spec.grid))
    return tuple(specs.values())


def of_node(specs: Iterable[OutputSpec], node: str) -> tuple[OutputSpec, ...]:
    """The outputs as one node of a cluster writes them: to files `<base>-<node>.<ext>`."""
    return tuple(_of_node(spec, node) for spec in specs)


def _of_node(spec: OutputSpec, node: str) -> OutputSpec:
    target = spec.target
    if target is None:
        return replace(spec, file=file_of_node(spec.file, node))
    if target.kind is TargetKind.POSTGRESQL or target.kind is TargetKind.STDOUT:
        return spec
    changed = replace(target, path=file_of_node(target.path, node))
    return replace(spec, file=_shown(changed), target=changed)


def _shown(target: Target) -> str:
    """The name of an output in reports."""
    return f"sqlite:{target.path}#{target.table}" if target.kind is TargetKind.SQLITE else target.path


def file_of_node(file: str, node: str) -> str:
    """Insert a node's id before the suffixes of a file's name.

    >>> file_of_node("tables/data.csv.gz", "n1")
    'tables/data-n1.csv.gz'
    """
    folder, name = posixpath.split(file)
    base, dot, suffixes = name.partition(".")
    return posixpath.join(folder, f"{base}-{node}{dot}{suffixes}")


def _tasks(definitions: Definitions) -> Iterator[TaskDef]:
    for group in definitions.task_groups.values():
        yield from group.tasks


def _columns(data_def: DataDef) -> tuple[Axis, ...]:
    kinds = ("item", *("dim" for _ in data_def.dims), "fact")
    return tuple(
        Axis(kind, item.name, item.order) for kind, item in zip(kinds, data_def.columns, strict=True)
    )


def _without_encoders(plugin: PluginDef) -> PluginDef:
    return PluginDef(plugin.name, plugin.class_name, plugin.fields, (), plugin.place)


class Sink(Protocol):
    """Where bytes go, compressed or not."""

    def write(self, data: bytes, /) -> object:
        """Write the bytes, at once or at `close`."""

    def close(self) -> None:
        """Write what is still buffered."""


class OutputSpec(msgspec.Struct, frozen=True):
    """One output of a run: where its rows come from, where they go, and in which form.

    Attributes:
        output: its name in the definitions; also its name in frames, unless there are `streams`.
        file: its final path, relative to the run's folder; with the suffix `.gz` or `.zst` it is
            compressed. If the output is not a file in that folder: its name in reports.
        header: its first bytes, before any row.
        target: where its records go; None for an output of encoded rows.
        schema: the schema of its records.
        streams: the names of its records in frames; empty without a target.
        deferred: whether it is a database that is only loaded at the end.
        optional: whether a file without rows is left out.
        changes: whether only records are written that differ from the last finished run.
        grid: the format of its rows, if they are those of grids.
    """

    output: str
    file: str
    header: bytes = b""
    target: Target | None = None
    schema: RecordSchema | None = None
    streams: tuple[str, ...] = ()
    deferred: bool = False
    optional: bool = False
    changes: bool = False
    grid: GridFormat | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of its rows in frames."""
        return self.streams or (self.output,)

    @property
    def written_parts(self) -> tuple[str, ...]:
        """The names in frames of the rows that are written, once changes have been added to the frames."""
        return tuple(map(changes_of, self.streams)) if self.changes else self.parts

    @property
    def written_schema(self) -> RecordSchema | None:
        """The schema of its rows, with the column for the kind of change if there is one; None for grids."""
        return with_change(self.schema) if self.changes and self.schema is not None else self.schema

    @property
    def is_file(self) -> bool:
        """Whether a file in the run's folder is written."""
        return self.target is None or self.target.kind is TargetKind.FILE

    @property
    def is_stdout(self) -> bool:
        """Whether its rows are written to stdout when the run is over."""
        return self.target is not None and self.target.kind is TargetKind.STDOUT

    @property
    def is_shared_table(self) -> bool:
        """Whether it is a table that all nodes of a cluster write to."""
        return self.target is not None and self.target.kind is TargetKind.POSTGRESQL

    @property
    def is_database(self) -> bool:
        """Whether its rows go into a table."""
        return self.target is not None and self.target.is_database


def changes_of(stream: str) -> str:
    """The name of the stream of those records of a stream that differ from the last finished run."""
    return _CHANGES + stream


class OutputFile:
    """One output file; nothing appears under its final name before `publish`.

    Args:
        run_folder: the folder of the final name.
        work_folder: the folder of the temporary file; on the same file system.
    Attributes:
        rows: number of rows written.
        dropped: number of records left out as duplicates by key.
    Raises:
        OSError: from every method: the file cannot be written.
    """

    def __init__(self, spec: OutputSpec, run_folder: Path, work_folder: Path) -> None:
        self.spec = spec
        self.rows = self.dropped = 0
        self._final = run_folder / spec.file
        self._temporary = work_folder / TEMPORARIES.replace("*", os.urandom(6).hex())
        self._raw = self._temporary.open("wb", WRITE_BYTES)
        self._sink = _compressed(self._raw, spec.file if spec.target is None else spec.target.path)
        self._sink.write(spec.header)

    def write(self, body: bytes, rows: int) -> None:
        """Add the rows of one job."""
        self._sink.write(body)
        self.rows += rows

    def finish(self) -> None:
        """Sync the file to disk, still under its temporary name."""
        if self._sink is not self._raw:
            self._sink.close()
        self._raw.flush()
        os.fsync(self._raw.fileno())
        self._raw.close()

    def publish(self, suffix: str = "") -> None:
        """Replace the file with the final name atomically.

        Args:
            suffix: appended to the name of a file that is held back; the file without it is removed then, and
                the one with it otherwise.
        """
        held = self._final.with_name(self._final.name + HELD)
        final, other = (held, self._final) if suffix else (self._final, held)
        if self.spec.optional and not self.rows:
            final.unlink(missing_ok=True)
            return
        final.parent.mkdir(parents=True, exist_ok=True)
        self._temporary.replace(final)
        if self.spec.target is not None:
            other.unlink(missing_ok=True)
        sync_folder(final.parent)

    def copy_to(self, stream: IO[bytes]) -> None:
        """Write the whole file to a stream instead of its final name."""
        with self._temporary.open("rb") as file:
            while chunk := file.read(1 << 20):
                stream.write(chunk)
        stream.flush()

    def discard(self) -> None:
        """Drop the temporary file, if it is still there."""
        with contextlib.suppress(OSError):  # from flushing what is no longer needed
            self._raw.close()
        self._temporary.unlink(missing_ok=True)


def _compressed(raw: IO[bytes], name: str) -> Sink:
    if name.endswith(".gz"):
        return cast("Sink", gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0))
    if name.endswith(".zst"):
        return _zstd(raw)
    return raw


def _zstd(raw: IO[bytes]) -> Sink:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return cast("Sink", zstd.ZstdFile(raw, mode="wb", level=ZSTD_LEVEL))
