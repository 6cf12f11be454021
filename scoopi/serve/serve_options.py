"""ServeOptions: what one `serve` does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What one `serve` does.

    Attributes:
        name: of its worker; None for the host name.
        slots: attempts at a time; None for the project's setting, else the number of cores.
        schedules: it runs passes.
        works: it runs attempts.
        until_idle: it ends when nothing runs, is due, or is to be tried again.
        groups: of its worker; empty for the project's setting.
    """

    name: str | None = None
    slots: int | None = None
    schedules: bool = True
    works: bool = True
    until_idle: bool = False
    groups: tuple[str, ...] = ()
