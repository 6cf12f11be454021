"""record_specs: the outputs of the tasks of a run that read records."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from scoopi.model.definitions import Definitions, OutputDef, TaskDef
from scoopi.outputs.target import Target, parse_target, rejected_of, stream_of
from scoopi.publishing.output_file import OutputSpec


def record_specs(definitions: Definitions) -> tuple[OutputSpec, ...]:
    """Every output that a task that reads records writes to; several tasks may write to the same one.

    Raises:
        DefsError: an output is invalid; checking the definitions reports this with its place.
    """
    specs: dict[str, OutputSpec] = {}
    for task in _tasks(definitions):
        for output in task.outputs:
            spec = _spec(definitions, task, output)
            first = specs.setdefault(spec.output, spec)
            if first is not spec:
                specs[spec.output] = replace(first, streams=(*first.streams, *spec.streams))
        if task.outputs:
            rejected = _rejected(task)
            first = specs.setdefault(rejected.output, rejected)
            if first is not rejected:
                specs[rejected.output] = replace(first, streams=(*first.streams, *rejected.streams))
    return tuple(specs.values())


def _tasks(definitions: Definitions) -> Iterator[TaskDef]:
    for group in definitions.task_groups.values():
        yield from (task for task in group.tasks if task.data_def in definitions.record_defs)


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
