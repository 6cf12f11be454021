"""output_specs: which files a run's definitions write, and how each begins."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from scoopi.defs.scrape.class_names import APPENDER_STEP
from scoopi.model.data import Axis
from scoopi.model.data_def import DataDef
from scoopi.model.definitions import Definitions, TaskDef
from scoopi.model.step_def import PluginDef, StepDef
from scoopi.plugins.encoders.rows_encoder import RowsEncoder
from scoopi.plugins.plugin_finder import NO_DEFAULTS, PluginFinder
from scoopi.plugins.plugin_ports import LIST_PREFIX, Appender, Encoder
from scoopi.publishing.output_file import OutputSpec


def appender_outputs(
    step: StepDef, finder: PluginFinder, defaults: Mapping[str, str] = NO_DEFAULTS
) -> Iterator[tuple[str, Encoder]]:
    """The (output, encoder) of each of a step's appender plugins that writes anything.

    Args:
        defaults: fields of encoders that have them and do not give them.
    Raises:
        PluginError: a plugin cannot be made.
    """
    for plugin in step.plugins:
        appender: Appender = finder.construct("appenders", _without_encoders(plugin))
        if appender.output.startswith(LIST_PREFIX):
            yield appender.output, RowsEncoder()
        elif plugin.plugins:
            yield appender.output, finder.construct("encoders", plugin.plugins[-1], defaults)


def output_specs(definitions: Definitions, finder: PluginFinder) -> tuple[OutputSpec, ...]:
    """Every output that a task of the run writes; its file has its name."""
    specs: dict[str, OutputSpec] = {}
    for task in _tasks(definitions):
        axes = _columns(definitions.data_defs[task.data_def])
        for step in task.steps:
            if step.class_name != APPENDER_STEP:
                continue
            for output, encoder in appender_outputs(step, finder):
                specs.setdefault(output, OutputSpec(output, output, encoder.header(axes)))
    return tuple(specs.values())


def of_node(specs: Iterable[OutputSpec], node: str) -> tuple[OutputSpec, ...]:
    """The outputs as one node of a cluster writes them: `<base>-<node>.<ext>`."""
    return tuple(replace(spec, file=file_of_node(spec.file, node)) for spec in specs)


def file_of_node(file: str, node: str) -> str:
    """The file's name with the node's id before its suffixes.

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
