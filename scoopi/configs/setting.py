"""Setting: what is known of one key before anybody gives it a value."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Kind(StrEnum):
    """How the text of a value is read."""

    BOOL = "true or false"
    INT = "a whole number"
    TEXT = "a text without line breaks"
    CHOICE = "a choice"
    PATH = "a path"
    PATTERN = "a date pattern"
    WORKERS = "auto or a number"


class Scope(StrEnum):
    """Who must agree on a value (design, "Settings")."""

    RUN = "run"
    """May change rows: one value for the whole run, for good."""
    SHARED = "shared"
    """All nodes must agree, but another value does not change rows."""
    NODE = "node"
    """Free on each node."""


class Setting(msgspec.Struct, frozen=True):
    """One key of the registry.

    Attributes:
        default: the value's text, None when the setting has no value unless given.
        unit: of a number, as written after it; empty for none.
        least: smallest number allowed; `most` the largest.
        choices: the allowed words of a CHOICE.
    """

    key: str
    kind: Kind
    default: str | None
    scope: Scope
    sentence: str
    unit: str = ""
    least: int = 0
    most: int = 2**31 - 1
    choices: tuple[str, ...] = ()

    @property
    def is_secret(self) -> bool:
        """Whether its value is shown nowhere and kept nowhere, whoever set it."""
        return self.key.endswith(".password")

    @property
    def may_change_rows(self) -> bool:
        """Whether rows may differ with another value: only such a setting is a script's business."""
        return self.scope is Scope.RUN

    @property
    def environment(self) -> str:
        """Its name in the environment: `scoopi.job.maxTakes` is `SCOOPI_JOB_MAXTAKES`."""
        return self.key.upper().replace(".", "_")

    @property
    def domain(self) -> str:
        """What its values are, in words: `a whole number from 0 to 100 (ms)`."""
        unit = f" ({self.unit})" if self.unit else ""
        numbers = f"a whole number from {self.least} to {self.most}{unit}"
        match self.kind:
            case Kind.INT:
                return numbers
            case Kind.WORKERS:
                return f"auto or {numbers}"
            case Kind.CHOICE:
                return " or ".join(self.choices)
            case _:
                return self.kind.value
