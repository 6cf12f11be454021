"""Placeholders: finds the `%{…}` of a text that cannot be resolved where the text is used.

Source: defs/README.md, 2.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from scoopi.defs.scrape.data_def_builder import WrittenDataDef, WrittenItem
from scoopi.model.text.page_text import marked
from scoopi.model.text.shown import nearest
from scoopi.model.text.text_template import PLACEHOLDER

_ALWAYS = frozenset({"index", "order", "itemName", "axisName", "nameString"})
_PROPERTIES = ("index", "value", "match", "order", "itemName", "axisName", "nameString")
_AXES = ("item", "dim", "fact")
_HARMLESS = "1"


class Unresolved(msgspec.Struct, frozen=True):
    """The fault of a placeholder; `near` is the known name closest to it, or empty."""

    what: str
    hint: str
    near: str = ""


class Use(msgspec.Struct, frozen=True):
    """A use of a text.

    Attributes:
        axes: the item, the dims and the fact of a row, in the order in which they are evaluated.
        axis: the axis whose evaluation uses the text.
    """

    axes: tuple[WrittenItem, ...]
    axis: WrittenItem


def uses(written: WrittenDataDef, axes: Iterable[WrittenItem]) -> list[Use]:
    """Return all uses of a text that belongs to one of these axes: each row template that it can be in."""
    return [
        Use((item, *written.dims, fact), axis)
        for axis in axes
        for item in (written.items if axis.axis != "item" else [axis])
        for fact in (written.facts[:1] if axis.axis != "fact" else [axis])
    ]


def unresolved(text: str, places: Sequence[Use], may_stay: bool = False) -> list[Unresolved]:
    """Return the faults of the placeholders that are unknown in some use, or that have a value in none.

    Args:
        places: the uses of the text.
        may_stay: whether a placeholder without a value is allowed, and stays as written.
    """
    faults: dict[str, Unresolved] = {}
    for escape, inside in PLACEHOLDER.findall(text):
        if escape or inside in faults:
            continue
        names = [fault for use in places if (fault := _misnamed(inside, use))]
        if names:
            faults[inside] = names[0]
        elif not may_stay and places and not any(_has_value(inside, use) for use in places):
            what = f"placeholder %{{{inside}}} has no value when it is needed"
            faults[inside] = Unresolved(what, _why(inside))
    return list(faults.values())


def with_stand_ins(text: str, places: Sequence[Use] = ()) -> str:
    """Replace each placeholder by a harmless `1`, so that the syntax of the text can be checked.

    Args:
        places: the uses of the text; if a placeholder is a value of the page in any of them, its `1` is
            marked like a value of a page (`model/text/page_text.py`).
    """

    def stand_in(found: re.Match[str]) -> str:
        if found[1]:
            return found[0][1:]
        return marked(_HARMLESS) if any(_is_read(found[2], use) for use in places) else _HARMLESS

    return PLACEHOLDER.sub(stand_in, text)


def reads_own_index(text: str, axis: WrittenItem) -> bool:
    """Whether the text contains the index of the axis."""
    own = {"index", f"{axis.axis}.index", f"{axis.axis}.{axis.item.name}.index"}
    return any(not escape and inside in own for escape, inside in PLACEHOLDER.findall(text))


def holds_only_indexes(text: str) -> bool:
    """Whether all placeholders of the text are indexes."""
    return all(escape or inside.split(".")[-1] == "index" for escape, inside in PLACEHOLDER.findall(text))


def _misnamed(inside: str, use: Use) -> Unresolved | None:
    parts = inside.split(".")
    placeholder = f"placeholder %{{{inside}}}"
    if len(parts) > 3:
        return Unresolved(f"{placeholder} has more than three parts", "write %{axis.name.property}")
    if parts[-1] not in _PROPERTIES:
        hint = f"known are {', '.join(_PROPERTIES)}"
        return Unresolved(
            f"{placeholder} asks for the unknown property {parts[-1]!r}",
            hint,
            nearest(parts[-1], _PROPERTIES),
        )
    if len(parts) > 1 and parts[0] not in _AXES:
        return Unresolved(
            f"{placeholder} names the unknown axis {parts[0]!r}",
            "known are item, dim, fact",
            nearest(parts[0], _AXES),
        )
    if len(parts) > 1 and _axis(parts, use) is None:
        return _no_such_axis(placeholder, parts, use)
    return None


def _no_such_axis(placeholder: str, parts: list[str], use: Use) -> Unresolved:
    if len(parts) == 2:
        return Unresolved(f"{placeholder} needs a {parts[0]}, but there is none", f"define a {parts[0]}")
    known = [each.item.name for each in use.axes if each.axis == parts[0]]
    what = f"{placeholder} names the {parts[0]} {parts[1]!r}, which no row of {use.axes[0].item.name!r} has"
    if parts[0] == "item":
        return Unresolved(
            what, f"write %{{item.{parts[2]}}} for the item of the row", nearest(parts[1], known)
        )
    return Unresolved(what, f"known are {', '.join(known) or 'none'}", nearest(parts[1], known))


def _axis(parts: list[str], use: Use) -> WrittenItem | None:
    if len(parts) == 1:
        return use.axis
    wanted = parts[1] if len(parts) == 3 else None
    return next(
        (each for each in use.axes if each.axis == parts[0] and wanted in (None, each.item.name)),
        None,
    )


def _has_value(inside: str, use: Use) -> bool:
    parts = inside.split(".")
    axis = _axis(parts, use)
    if parts[-1] in _ALWAYS or axis is None:
        return parts[-1] in _ALWAYS
    if parts[-1] == "match" or axis.item.value is not None:
        return axis.item.match is not None if parts[-1] == "match" else True
    is_before = use.axes.index(axis) < use.axes.index(use.axis)
    item = axis.item
    return is_before and (item.match is not None or item.script is not None or item.selector is not None)


def _is_read(inside: str, use: Use) -> bool:
    """Whether the placeholder is a value that is read from the page or computed by a script."""
    axis = _axis(inside.split("."), use)
    is_fixed = axis is not None and (axis.item.value is not None or axis.item.match is not None)
    return inside.endswith("value") and not is_fixed and _has_value(inside, use)


def _why(inside: str) -> str:
    if inside.endswith("match"):
        return "define its match"
    return "only constants, and values of axes before this one (item, dims, fact), are known here"
