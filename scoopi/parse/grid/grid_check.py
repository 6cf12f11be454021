"""check_data_def: what can be known to fail in a data definition before any page is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scoopi.errors import ParseError
from scoopi.model.data_def import DataDef
from scoopi.model.place import Place
from scoopi.parse.grid.grid_axis import selector_of
from scoopi.parse.grid.grid_query import as_written
from scoopi.parse.grid.grid_reader import templates_of
from scoopi.parse.grid.placeholder import AxisDef, PlaceholderScope
from scoopi.parse.grid.placeholder_template import Template
from scoopi.parse.query_ports import QueryEngine


class SelectorFault(NamedTuple):
    """One fault of a definition: where, what, and the hint."""

    place: Place
    what: str
    hint: str


def check_data_def(data_def: DataDef, engine: QueryEngine) -> list[SelectorFault]:
    """The faults of selectors that every page uses; each once.

    Selectors are tried with their first indexes; those that hold a value of the page cannot be tried. A
    placeholder that has no value in a row stays as written, which not every selector allows.
    Selectors of an axis with a constant or a match are never used, and not looked at. Of scripts only
    the placeholders are checked. Ranges, and placeholders that never have a value, are checked in `defs`.

    Source: defs/README.md, 2.4.
    """
    templates = templates_of(data_def)
    findings = [finding for axes in templates for finding in _axes_faults(data_def, axes, engine)]
    return list(dict.fromkeys(findings))


def _axes_faults(data_def: DataDef, axes: Sequence[AxisDef], engine: QueryEngine) -> Iterator[SelectorFault]:
    indexes = [axis.item.first for axis in axes]
    for own in range(len(axes)):
        for text, place, is_block in _used_texts(data_def, axes, own):
            try:
                template = PlaceholderScope(axes, own).compile(text)
                if not template.names_values:
                    _try(engine, template, template.render(indexes, []), is_block, axes[0].item.name)
            except ParseError as error:
                yield SelectorFault(place, error.what, error.hint)
        script = _script(axes[own])
        try:
            PlaceholderScope(axes, own).compile(script or "")
        except ParseError as error:
            yield SelectorFault(axes[own].item.place, error.what, error.hint)


def _try(engine: QueryEngine, template: Template, used: str, is_block: bool, item: str) -> None:
    try:
        engine.compile_block(used) if is_block else engine.compile_value(used)
    except ParseError as error:
        if missing := template.leftovers:
            what = f"{error.what}; {missing[0]} has no value in the rows of {item!r}, so it stays as written"
            raise ParseError(what, hint="give it a value there, or make two data definitions") from error
        raise as_written(error, template, used) from error


def _used_texts(data_def: DataDef, axes: Sequence[AxisDef], own: int) -> list[tuple[str, Place, bool]]:
    """The block's selector and the axis' own, if the axis is read from the page."""
    selector, place = selector_of(data_def, axes[own])
    if selector is None or axes[own].fixed_value is not None:
        return []
    return [(data_def.block, data_def.block_place, True), (selector, place, False)]


def _script(axis: AxisDef) -> str | None:
    return axis.item.script if axis.fixed_value is None else None
