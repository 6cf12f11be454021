"""RunRowsReader: opens a run beside the process that works on it, to read its rows."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, Any, cast

from scoopi.errors import RunError, UsageError
from scoopi.model.records import read_records
from scoopi.model.text.shown import nearest
from scoopi.outputs.formats.record_writer import record_writer
from scoopi.plugins.builtins import BUILTINS
from scoopi.plugins.plugin_finder import PluginFinder
from scoopi.plugins.plugin_ports import LIST_PREFIX
from scoopi.publishing.committed_rows import CommittedRows
from scoopi.publishing.output_file import OutputSpec, output_specs
from scoopi.publishing.record_file import KeyFilter
from scoopi.publishing.record_outputs import record_specs
from scoopi.runs.composed import plugin_folders, read_composed
from scoopi.runs.folders.run_state import STORE_FILE, newest_run, node_folder_of, read_state
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.pages.job_store import JobStore
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore

_TEXTS = ("csv", "tsv", "jsonl")
_NOBODY = "0" * 16
"""The incarnation of a reader, which takes no job."""


class RunRowsReader:
    """Opens a run beside the process that works on it, to read its rows.

    A context manager; takes no lock, and writes nothing.

    Args:
        output: the folder that holds the runs' folders.
        run: the run's folder, or its id; None for the newest.
        name: the output whose rows are read; None for the only one.
        write: takes lines of text.
    Raises:
        RunError: there is no such run, or it cannot be read.
        UsageError: it is a run of a cluster; from `with`: it has no such output, or several.
    """

    def __init__(self, output: Path, run: str | None, name: str | None, write: Callable[[str], None]) -> None:
        self._folder = _folder_of(output, run)
        self._name = name
        self._write = write
        self._open = ExitStack()
        node_folder = node_folder_of(self._folder)
        if node_folder is None:
            raise RunError("not a run folder", at=str(self._folder), hint="name a folder under the output")
        if read_state(node_folder).cluster:
            hint = "read its files when it is over, or its tables at any time"
            raise UsageError("rows of a run of a cluster cannot be read beside it", hint=hint)
        self._node_folder = node_folder

    def __enter__(self) -> RunRowsReader:
        node_folder = self._node_folder
        store = SettlingStore(SqliteStore(node_folder / STORE_FILE))
        self._open.callback(store.close)
        kept = Barricade(store, "setup", _NOBODY).composed()
        if kept is None:
            raise RunError("the run's records are lost", at=str(self._folder))
        composed = read_composed(kept)
        folders = plugin_folders(Path(composed.current_folder), Path(composed.defs_source))
        finder = PluginFinder(folders, BUILTINS)
        specs = (*output_specs(composed.definitions, finder), *record_specs(composed.definitions))
        spec = chosen(specs, self._name)
        segments = node_folder / "segments"
        self._rows = CommittedRows(
            lambda: [*segments.glob("*.seg")],
            JobStore(store, _NOBODY),
            spec.parts,
            printer(spec, self._write),
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def look(self) -> None:
        """Write what has been committed since the last look."""
        self._rows.look()

    def is_over(self) -> bool:
        """Whether all rows of the run have been committed, and were written by the last look."""
        over = read_state(self._node_folder).over
        if over:
            self._rows.look()
        return over


def chosen(specs: tuple[OutputSpec, ...], name: str | None) -> OutputSpec:
    """The output of this name, or the first of those that hold the only rows of a run.

    Raises:
        UsageError: there is none, or there are several.
    """
    known = [spec for spec in specs if not spec.output.startswith(LIST_PREFIX)]
    if name is not None:
        found = [spec for spec in known if name in (spec.output, spec.file)]
        if not found:
            near = nearest(name, [spec.output for spec in known])
            names = ", ".join(spec.output for spec in known) or "none"
            hint = f"did you mean {near}?" if near else f"the run has {names}"
            raise UsageError(f"there is no output {name}", hint=hint)
        return found[0]
    main = [spec for spec in known if not spec.optional]
    if len({spec.parts for spec in main}) != 1:
        names = ", ".join(spec.output for spec in main) or "none"
        raise UsageError("the run has several outputs", hint=f"name one with --output: {names}")
    return main[0]


def printer(spec: OutputSpec, write: Callable[[str], None]) -> Callable[[bytes, int], None]:
    """What prints a part of a frame as the output has it."""
    stream = cast("IO[bytes]", _TextStream(write))
    if spec.target is None or spec.schema is None:
        stream.write(spec.header)
        return lambda body, rows: cast("Any", stream.write(body))
    form = spec.target.format if spec.target.format in _TEXTS else "jsonl"
    writer, keys = record_writer(form, stream, spec.schema.all_columns), KeyFilter(spec.schema)
    return lambda body, rows: writer.write(keys.kept(list(read_records(body))))


class _TextStream:
    """Takes bytes of whole lines."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def write(self, data: bytes) -> int:
        if data:
            self._write(data.decode("utf-8", "replace"))
        return len(data)


def _folder_of(output: Path, run: str | None) -> Path:
    if run is None:
        newest = newest_run(output)
        if newest is None:
            raise RunError("there is no run", at=str(output), hint="name its folder")
        return newest
    for path in (Path(run), output / run):
        if path.is_dir():
            return path.resolve()
    raise RunError("there is no such run", at=run, hint="name its folder, or its id")
