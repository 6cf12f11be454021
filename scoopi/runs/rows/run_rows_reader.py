"""RunRowsReader: opens a run beside the process that works on it, to read its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, Any, cast

import msgspec

from scoopi.errors import RunError, UsageError
from scoopi.model.records import read_records
from scoopi.model.text.shown import did_you_mean
from scoopi.outputs.formats.record_writer import record_writer
from scoopi.outputs.output_spec import HELD, OutputSpec, output_specs, record_specs
from scoopi.outputs.typed_values import dict_of
from scoopi.plugins.builtins import finder_of
from scoopi.plugins.plugin_ports import LIST_PREFIX
from scoopi.publishing.committed_rows import CommittedRows
from scoopi.publishing.record_file import KeyFilter
from scoopi.runs.cluster.cluster_admin import ClusterAdmin
from scoopi.runs.composed import read_composed
from scoopi.runs.folders.node_folder import segments_of_all
from scoopi.runs.folders.run_state import STORE_FILE, node_folder_of, not_a_run, read_state
from scoopi.runs.run_request import RunRequest
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.ports import Store
from scoopi.store.runs.run_record import RunPhase, RunRecord
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore

_TEXTS = ("csv", "tsv", "jsonl")
_NOBODY = "0" * 16
"""The incarnation of a reader, which takes no job."""


class RunRowsReader:
    """Opens a run beside the process that works on it, to read its rows.

    A context manager; takes no lock, and writes nothing. Of a run of a cluster it reads the rows of all nodes
    whose folders are in the run's folder on this machine.

    Args:
        folder: the folder of the run.
        name: the output whose rows are read; None for the only one.
        request: has the settings that name the cluster, for a run of a cluster.
    Raises:
        RunError: the run cannot be read; from `with`: the cluster has forgotten it.
        UsageError: it is not the folder of a run; from `with`: it has no such output, or several; no cluster
            is named.
        ClusterError: from `with`: no member of the cluster answers.
    """

    def __init__(self, folder: Path, name: str | None, request: RunRequest) -> None:
        self._folder = folder
        self._name = name
        self._request = request
        self._open = ExitStack()
        node_folder = node_folder_of(folder)
        if node_folder is None:
            raise not_a_run(folder)
        self._node_folder = node_folder
        self._is_cluster = read_state(node_folder).cluster

    def __enter__(self) -> RunRowsReader:
        with ExitStack() as opened:
            self._store = self._opened_store(opened)
            kept = Barricade(self._store, "setup", _NOBODY).composed()
            if kept is None:
                raise RunError("the run's records are lost", at=str(self._folder))
            composed = read_composed(kept)
            finder = finder_of(Path(composed.defs_source), Path(composed.current_folder))
            specs = (*output_specs(composed.definitions, finder), *record_specs(composed.definitions))
            self._spec = chosen(specs, self._name)
            jobs = JobStore(self._store, _NOBODY)
            self._rows = CommittedRows(lambda: segments_of_all(self._folder), jobs, self._spec.parts)
            self._open = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def printer(self, write: Callable[[str], None]) -> Callable[[], None]:
        """A function that writes the rows committed since its last call, as lines in the output's format.

        Records of a binary format are written as JSON lines.

        Args:
            write: called with one or more whole lines.
        """
        write_part = _part_printer(self._spec, write)

        def print_new() -> None:
            for part in self._rows.poll():
                write_part(part.body)

        return print_new

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the records that have been committed since the last call.

        Returns:
            A dict by column for each record, with values in Python's types; for rejected records the lines of
            their file as dicts.
        Raises:
            UsageError: the output has rows of a grid.
        """
        schema = self._spec.schema
        if schema is None and not self._spec.optional:
            hint = "read its file, or use a ListAppender"
            raise UsageError(f"the output {self._spec.output} has rows of a grid, not records", hint=hint)
        if schema is None:
            for part in self._rows.poll():
                yield from msgspec.json.Decoder().decode_lines(part.body)
            return
        keys, made = KeyFilter(schema), dict_of(schema.all_columns)
        for part in self._rows.poll():
            yield from map(made, keys.kept(list(read_records(part.body))))

    def is_over(self) -> bool:
        """Whether all rows of the run have been committed, so that one more read gets the last ones."""
        if not self._is_cluster:
            return read_state(self._node_folder).over
        state = RunRecord(self._store, _NOBODY).read()
        return state is not None and state.phase is RunPhase.OVER

    def _opened_store(self, opened: ExitStack) -> Store:
        if self._is_cluster:
            return opened.enter_context(ClusterAdmin(self._request)).store(self._folder.name)
        store = SettlingStore(SqliteStore(self._node_folder / STORE_FILE))
        opened.callback(store.close)
        return store


def chosen(specs: tuple[OutputSpec, ...], name: str | None) -> OutputSpec:
    """The output, or the output of the data definition, with this name.

    Args:
        name: None for the only rows of the run, in the first of its outputs that have them.
    Raises:
        UsageError: there is no such output; or, without a name, outputs have different rows.
    """
    known = [spec for spec in specs if not spec.output.startswith(LIST_PREFIX)]
    if name is not None:
        found = [spec for spec in known if name.removesuffix(HELD) in (spec.output, spec.file)]
        found = found or [spec for spec in known if spec.schema is not None and spec.schema.name == name]
        if not found:
            outputs = [spec.output for spec in known]
            hint = did_you_mean(name, outputs, f"the run has {', '.join(outputs) or 'none'}")
            raise UsageError(f"there is no output {name}", hint=hint)
        return found[0]
    main = [spec for spec in known if not spec.optional]
    if len({spec.parts for spec in main}) != 1:
        names = ", ".join(spec.output for spec in main) or "none"
        raise UsageError("the run has several outputs", hint=f"name one with --output: {names}")
    return main[0]


def _part_printer(spec: OutputSpec, write: Callable[[str], None]) -> Callable[[bytes], None]:
    """A function that writes a part of a frame as lines in the output's format."""
    stream = cast("IO[bytes]", _TextStream(write))
    if spec.target is None or spec.schema is None:
        stream.write(spec.header)
        return lambda body: cast("Any", stream.write(body))
    form = spec.target.format if spec.target.format in _TEXTS else "jsonl"
    writer, keys = record_writer(form, stream, spec.schema.all_columns), KeyFilter(spec.schema)
    return lambda body: writer.write(keys.kept(list(read_records(body))))


class _TextStream:
    """A binary file that passes whole lines on as text."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    def write(self, data: bytes) -> int:
        if data:
            self._write(data.decode("utf-8", "replace"))
        return len(data)
