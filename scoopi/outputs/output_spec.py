"""OutputSpec: an output of a run: where its rows come from, where they go, and in which form."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping

import msgspec
from msgspec.structs import replace

from scoopi.defs.scrape.class_names import APPENDER_STEP
from scoopi.model.data import Axis
from scoopi.model.data_def import DataDef
from scoopi.model.records import RecordSchema, with_change
from scoopi.model.scrape.definitions import Definitions
from scoopi.model.scrape.plugin_def import PluginDef, StepDef
from scoopi.model.scrape.task_def import OutputDef, TaskDef
from scoopi.outputs.target import Target, TargetKind, parse_target, rejected_of, stream_of
from scoopi.plugins.encoders.grid_format import GridFormat
from scoopi.plugins.encoders.rows_encoder import RowsEncoder
from scoopi.plugins.plugin_finder import NO_DEFAULTS, PluginFinder
from scoopi.plugins.plugin_ports import LIST_PREFIX, Appender, Encoder

_CHANGES = "changes:"
HELD = ".held"
"""Suffix of the name of an output whose records do not meet their expectations."""


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
        deferred: whether it is a database that is loaded when the run is over, not during it.
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
    """The name, in frames, of those records of a stream that differ from the last finished run."""
    return _CHANGES + stream


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


def record_specs(definitions: Definitions) -> tuple[OutputSpec, ...]:
    """Every output that a task that reads records writes to; several tasks may write to the same one.

    Raises:
        DefsError: an output is invalid; checking the definitions reports this with its place.
    """
    specs: dict[str, OutputSpec] = {}
    for task in _tasks(definitions):
        if task.data_def not in definitions.record_defs:
            continue  # see output_specs
        of_task = [_spec(definitions, task, output) for output in task.outputs]
        for spec in [*of_task, _rejected(task)] if of_task else ():
            first = specs.setdefault(spec.output, spec)
            if first is not spec:
                specs[spec.output] = replace(first, streams=(*first.streams, *spec.streams))
    return tuple(specs.values())


def _spec(definitions: Definitions, task: TaskDef, output: OutputDef) -> OutputSpec:
    schema = definitions.record_defs[task.data_def].schema
    target = parse_target(output.to)
    changes = definitions.task_groups[task.group].changed
    has_files = any(column.is_file for column in schema.columns)
    return OutputSpec(
        output=target.name,
        file=target.name,
        target=target,
        schema=schema,
        streams=(stream_of(task.group, task.name),),
        deferred=target.is_database and (changes or has_files or bool(schema.expect)) and not output.stream,
        changes=changes,
    )


def _rejected(task: TaskDef) -> OutputSpec:
    """The file of the records that a task rejects, named after the task's first output."""
    target: Target = parse_target(task.outputs[0].to)
    streams = (rejected_of(task.group, task.name),)
    return OutputSpec(target.rejected, target.rejected, streams=streams, optional=True)


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
