"""PlaceholderTemplate: a text with parsed placeholders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scoopi.errors import ParseError
from scoopi.model.text.page_text import marked

_MAX_LENGTH = 1_000_000
_FIRST_STAND_IN = 70_000_000


class IndexOf(NamedTuple):
    """A placeholder for the index of an axis, given by its position in the row."""

    axis: int


class ValueOf(NamedTuple):
    """A placeholder for the value of an axis to the left; if that is missing, `written` stays in the text."""

    axis: int
    written: str


class Leftover(NamedTuple):
    """A placeholder that can never be resolved and stays as written."""

    written: str


Piece = str | IndexOf | ValueOf | Leftover


class PlaceholderTemplate:
    """A text with parsed placeholders; those with a known value are already filled in.

    Args:
        pieces: in order; adjacent texts are joined.
        written: the text as written in the definitions.

    Attributes:
        pieces: as given, without empty texts.
        written: as given.
        text: the whole text if it is the same for all rows, else None.
    """

    def __init__(self, pieces: Sequence[Piece], written: str = "") -> None:
        self.pieces = _joined(pieces)
        self.written = written
        is_known = not any(isinstance(piece, IndexOf | ValueOf) for piece in self.pieces)
        self.text = "".join(_text(piece) for piece in self.pieces) if is_known else None

    @property
    def axes(self) -> frozenset[int]:
        """Positions of the axes whose index the text contains."""
        return frozenset(piece.axis for piece in self.pieces if isinstance(piece, IndexOf))

    @property
    def values(self) -> frozenset[int]:
        """Positions of the axes whose value the text contains; a value is known only when its row is read."""
        return frozenset(piece.axis for piece in self.pieces if isinstance(piece, ValueOf))

    @property
    def leftovers(self) -> list[str]:
        """Placeholders that can never be resolved, as written."""
        return [piece.written for piece in self.pieces if isinstance(piece, Leftover)]

    def render(self, indexes: Sequence[int], values: Sequence[str | None]) -> str:
        """The text for a row; values of the page are marked, and placeholders in them are not expanded.

        Raises:
            ParseError: the text becomes too long.
        """
        if self.text is not None:
            return self.text
        parts, length = [], 0
        for piece in self.pieces:
            if isinstance(piece, IndexOf):
                part = str(indexes[piece.axis])
            elif isinstance(piece, ValueOf):
                value = values[piece.axis]
                part = piece.written if value is None else marked(value)
            else:
                part = _text(piece)
            parts.append(part)
            length += len(part)
            if length > _MAX_LENGTH:
                raise ParseError(
                    f"placeholders make a text longer than {_MAX_LENGTH} characters",
                    hint="see the values they name",
                )
        return "".join(parts)


def _joined(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    joined: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str) and joined and isinstance(joined[-1], str):
            joined[-1] += piece
        elif piece != "":
            joined.append(piece)
    return tuple(joined)


def _text(piece: Piece) -> str:
    if isinstance(piece, Leftover):
        return piece.written
    return piece if isinstance(piece, str) else ""


class Opened(NamedTuple):
    """A text with a unique number (stand-in) in place of each index.

    Attributes:
        axes: stand-in -> the axis whose index it stands for; empty if more than indexes vary in the text.
    """

    text: str
    axes: dict[int, int]


def opened(template: PlaceholderTemplate) -> Opened:
    """Replace the indexes of a template by stand-ins; an empty result if more than indexes vary in it."""
    text, axes = "", dict[int, int]()
    for piece in template.pieces if template.text is None else ():
        if isinstance(piece, IndexOf):
            stand_in = _FIRST_STAND_IN + len(axes)
            axes[stand_in] = piece.axis
            text += str(stand_in)
        elif isinstance(piece, str) and str(_FIRST_STAND_IN)[:4] not in piece:
            text += piece
        else:
            return Opened("", {})
    return Opened(text, axes)
