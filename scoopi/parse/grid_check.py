"""check_data_def: what can be known to fail in a data definition before any page is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scoopi.errors import ParseError
from scoopi.model.data_def import DataDef
from scoopi.model.place import Place
from scoopi.parse.grid_axis import selector_of
from scoopi.parse.grid_query import as_written
from scoopi.parse.grid_reader import templates_of
from scoopi.parse.placeholder import AxisDef, PlaceholderScope
from scoopi.parse.placeholder_template import Template
from scoopi.parse.ports import QueryEngine


class Finding(NamedTuple):
    """One fault of a definition: where, what, and the mend."""

    place: Place
    what: str
    mend: str


def check_data_def(data_def: DataDef, engine: QueryEngine) -> list[Finding]:
    """The faults of selectors and ranges that are used whatever the page; each once.

    Selectors are tried with their first indexes; those that hold a value of the page cannot be tried.
    Selectors of an axis with a constant or a match are never used, and not looked at. Of scripts only
    the placeholders are checked.

    Source: language, A3, A5, B 2.4.
    """
    templates = templates_of(data_def)
    findings = [finding for axes in templates for finding in _axes_faults(data_def, axes, engine)]
    return list(dict.fromkeys([*_endless(data_def), *findings, *_never_resolved(data_def, templates)]))


def _axes_faults(data_def: DataDef, axes: Sequence[AxisDef], engine: QueryEngine) -> Iterator[Finding]:
    indexes = [axis.item.first for axis in axes]
    for own in range(len(axes)):
        for text, place, is_block in _used_texts(data_def, axes, own):
            try:
                template = PlaceholderScope(axes, own).compile(text)
                if not template.names_values and not template.leftovers:
                    _try(engine, template, template.render(indexes, []), is_block)
            except ParseError as error:
                yield Finding(place, error.what, error.mend)
        script = _script(axes[own])
        try:
            PlaceholderScope(axes, own).compile(script or "")
        except ParseError as error:
            yield Finding(axes[own].item.place, error.what, error.mend)


def _try(engine: QueryEngine, template: Template, used: str, is_block: bool) -> None:
    try:
        engine.compile_block(used) if is_block else engine.compile_value(used)
    except ParseError as error:
        raise as_written(error, template, used) from error


def _used_texts(data_def: DataDef, axes: Sequence[AxisDef], own: int) -> list[tuple[str, Place, bool]]:
    """The block's selector and the axis' own, if the axis is read from the page."""
    selector, place = selector_of(data_def, axes[own])
    if selector is None or axes[own].fixed_value is not None:
        return []
    return [(data_def.block, data_def.block_place, True), (selector, place, False)]


def _endless(data_def: DataDef) -> Iterator[Finding]:
    """Open ranges whose axis never ends."""
    axes = templates_of(data_def)
    for axis_name, item in dict.fromkeys(axis for template in axes for axis in template):
        if item.last is not None:
            continue
        is_fixed = item.value is not None or item.match is not None
        if is_fixed or (axis_name == "fact" and not item.break_after):
            why = "its value is always the same" if is_fixed else "a fact does not end it"
            what = f"the open range of {axis_name} '{item.name}' can never end, for {why}"
            yield Finding(item.place, what, "give it an end, as in indexRange: 1-5")


def _never_resolved(data_def: DataDef, templates: Sequence[Sequence[AxisDef]]) -> Iterator[Finding]:
    """Placeholders that stay as written in every template of rows where their text is used."""
    open_in: dict[tuple[Place, str], list[dict[str, str]]] = {}
    for axes in templates:
        for own in range(len(axes)):
            for text, place, _ in _used_texts(data_def, axes, own):
                found = _leftovers(axes, own, text)
                if found is not None:
                    open_in.setdefault((place, text), []).append(found)
    for (place, _), cases in open_in.items():
        for written, why in cases[0].items():
            if all(written in case for case in cases):
                mend = "name an index, a match, a constant or a value further left"
                yield Finding(place, f"the placeholder {written} can never be resolved: {why}", mend)


def _leftovers(axes: Sequence[AxisDef], own: int, text: str) -> dict[str, str] | None:
    template = _compiled(axes, own, text)
    return None if template is None else {left.written: left.why for left in template.leftovers}


def _script(axis: AxisDef) -> str | None:
    return axis.item.script if axis.fixed_value is None else None


def _compiled(axes: Sequence[AxisDef], own: int, text: str) -> Template | None:
    """None if a placeholder names nothing, which the check of the axes tells."""
    try:
        return PlaceholderScope(axes, own).compile(text)
    except ParseError:
        return None
