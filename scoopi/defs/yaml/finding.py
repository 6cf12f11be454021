"""Finding: one thing that is wrong with the definitions."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from scoopi.model.place import NOWHERE, Place


class Severity(StrEnum):
    """An error keeps a run from starting; a warning does not."""

    ERROR = "error"
    WARNING = "warning"


class Finding(msgspec.Struct, frozen=True):
    """Says what is wrong, where, and the hint.

    Attributes:
        key: the path of names to the spot, as `dataDefs.bs.dims[0].index`; may be empty.
        hint: what the reader can do about it; may be empty.
        did_you_mean: the known name that an unknown one most resembles; may be empty.
        also: the other place of two that do not fit together.
        line: the line of the file that the place names; empty when unknown.
    """

    severity: Severity
    place: Place
    key: str
    what: str
    hint: str = ""
    did_you_mean: str = ""
    also: Place = NOWHERE
    line: str = ""

    def sentence(self) -> str:
        """What, where else, the likely name and the hint, on one line."""
        said = f"{self.key}: {self.what}" if self.key else self.what
        if self.also != NOWHERE:
            said = f"{said} (see {self.also})"
        if self.did_you_mean:
            return f"{said}; did you mean {self.did_you_mean}?"
        return f"{said}; {self.hint}" if self.hint else said
