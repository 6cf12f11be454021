"""PlaceholderScope: resolves the placeholders in the selectors and scripts of one axis."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from scoopi.errors import ParseError
from scoopi.model.data import Axis, ScriptRow
from scoopi.model.data_def import ItemDef
from scoopi.model.text.page_text import without_mark
from scoopi.model.text.shown import did_you_mean
from scoopi.parse.grid.placeholder_template import IndexOf, Leftover, Piece, PlaceholderTemplate, ValueOf

_PLACEHOLDER = re.compile(r"%%\{|%\{([^}]*)\}")
_AXIS_NAMES = ("item", "dim", "fact")
_PROPERTIES = ("index", "value", "match", "order", "itemName", "axisName", "nameString")
_MAX_DEPTH = 8
_MAX_EXPANDED = 1_000_000
_LEAST_EXPANDED = 100
"""Limits of the characters that all values insert into one text, and what a value counts at least."""


class AxisDef(NamedTuple):
    """One axis of a row template: `item`, `dim` or `fact`, and its definition."""

    axis_name: str
    item: ItemDef

    @property
    def fixed_value(self) -> str | None:
        """The value that is known without a page; None if it is read from the page.

        It is the key `value`, or else `match` without its backslashes.
        """
        if self.item.value is not None:
            return self.item.value
        return None if self.item.match is None else self.item.match.replace("\\", "")


class ScriptRows:
    """Makes the row that the script of one axis sees: constants, and the values of axes to the left.

    Args:
        axes: the axes of the template, in the order of output.
        own: index of the axis that the script belongs to.
    """

    def __init__(self, axes: Sequence[AxisDef], own: int) -> None:
        self._heads = tuple(Axis(name, item.name, item.order, item.match) for name, item in axes)
        self._own = own
        self._later = tuple(axis.item.value for axis in axes[own:])

    def __call__(self, indexes: Sequence[int], values: Sequence[str | None]) -> ScriptRow:
        """Make the row from the indexes of all axes and the values of the axes to the left."""
        return ScriptRow(self._heads, self._own, tuple(indexes), (*values[: self._own], *self._later))


class PlaceholderScope:
    """Resolves the placeholders in the selectors and scripts of one axis.

    Placeholders whose value is already known are filled in; the others become pieces of the template.

    Args:
        axes: the axes of the template, in the order of output.
        own: index of the axis that the texts belong to.
    Source: defs/README.md, 2.4.
    """

    def __init__(self, axes: Sequence[AxisDef], own: int) -> None:
        self._axes = axes
        self._own = own
        self._expanded_characters = 0

    def compile(self, text: str) -> PlaceholderTemplate:
        """Parse the placeholders of a text.

        Raises:
            ParseError: an axis, item or property does not exist, or placeholders refer to each other in a
                cycle.
        """
        self._expanded_characters = 0
        return PlaceholderTemplate(self._pieces(without_mark(text), 0), text)

    def _pieces(self, text: str, depth: int) -> list[Piece]:
        pieces: list[Piece] = []
        end = 0
        for found in _PLACEHOLDER.finditer(text):
            pieces.append(text[end : found.start()])
            end = found.end()
            name = found.group(1)
            pieces.extend(["%{"] if name is None else self._resolved(name, depth))
        return [*pieces, text[end:]]

    def _resolved(self, name: str, depth: int) -> Sequence[Piece]:
        try:
            at, prop = self._meaning(name)
        except ParseError:
            if depth:
                return [f"%{{{name}}}"]
            raise
        return self._property(at, prop, f"%{{{name}}}", depth)

    def _meaning(self, name: str) -> tuple[int, str]:
        """The axis and the property that the placeholder names."""
        *path, prop = name.split(".")
        if len(path) > 2:
            raise _fault(name, "has more than three parts", "write %{axis.itemName.property}")
        if prop not in _PROPERTIES:
            raise _fault(name, f"names no property '{prop}'", _nearest(prop, _PROPERTIES))
        if not path:
            return self._own, prop
        if path[0] not in _AXIS_NAMES:
            raise _fault(name, f"names no axis '{path[0]}'", _nearest(path[0], _AXIS_NAMES))
        axes = [at for at, axis in enumerate(self._axes) if axis.axis_name == path[0]]
        if not axes:
            raise _fault(name, f"names the axis '{path[0]}', and there is none", "define it, or name another")
        for at in axes:
            if len(path) == 1 or self._axes[at].item.name == path[1]:
                return at, prop
        names = [self._axes[at].item.name for at in axes]
        raise _fault(name, f"names no {path[0]} '{path[1]}' of this row", _nearest(path[1], names))

    def _property(self, at: int, prop: str, written: str, depth: int) -> Sequence[Piece]:
        axis = self._axes[at]
        match prop:
            case "index":
                return [IndexOf(at)]
            case "value":
                return self._value(at, written, depth)
            case "match" if axis.item.match is not None:
                return self._static(axis.item.match, depth)
            case "match":
                return [Leftover(written)]
            case "order":
                return [str(axis.item.order)]
            case "itemName":
                return self._static(axis.item.name, depth)
        return [axis.axis_name]

    def _value(self, at: int, written: str, depth: int) -> Sequence[Piece]:
        axis = self._axes[at]
        if axis.item.value is not None:
            return self._static(axis.item.value, depth)
        if at >= self._own:
            return [Leftover(written)]  # its value is read later
        if axis.fixed_value is not None:
            return self._static(axis.fixed_value, depth)
        return [ValueOf(at, written)]

    def _static(self, value: str, depth: int) -> Sequence[Piece]:
        """A constant of the definition; unknown placeholders in it stay as text."""
        if "%{" not in value:
            return [without_mark(value)]
        if depth >= _MAX_DEPTH:
            raise ParseError(
                "placeholders refer to one another in a cycle", hint=f"see the value '{value[:80]}'"
            )
        self._expanded_characters += max(len(value), _LEAST_EXPANDED)
        if self._expanded_characters > _MAX_EXPANDED:
            raise ParseError(
                "placeholders in values that other placeholders name multiply without end",
                hint=f"see the value '{value[:80]}'",
            )
        return self._pieces(without_mark(value), depth + 1)


def _fault(name: str, what: str, hint: str) -> ParseError:
    return ParseError(f"the placeholder %{{{name}}} {what}", hint=hint)


def _nearest(wrong: str, known: Sequence[str]) -> str:
    return did_you_mean(wrong, known, f"there are {', '.join(known)}", "'{}'")
