"""InvalidValueError: raised if a node is not a value of its kind."""

from __future__ import annotations

from scoopi.model.place import Place


class InvalidValueError(Exception):
    """Raised if a node is not a value of its kind; the message completes the sentence "KEY …".

    Attributes:
        hint: what to write instead; empty for what the kind allows.
        near: the closest allowed value; empty if none is similar.
        place: the place of the invalid entry; None for that of the whole value.
        inner: the path from the value to the entry, such as `[0]` or `.day`.
        further: the errors of other entries.
    """

    def __init__(self, message: str, hint: str = "", near: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        self.near = near
        self.place: Place | None = None
        self.inner = ""
        self.further: list[InvalidValueError] = []
