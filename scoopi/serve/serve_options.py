"""ServeOptions: the options of one `scoopi serve`."""

from __future__ import annotations

from dataclasses import dataclass

from scoopi.errors import UsageError


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The options of one `scoopi serve`.

    Attributes:
        name: the name of the worker; None for the host name.
        slots: the most attempts at a time; None for the project's setting, by default the number of cores.
        schedules: run passes.
        works: run attempts.
        until_idle: exit when nothing runs, is due or waits for a retry.
        groups: the groups of the worker; empty for the project's setting.
    Raises:
        UsageError: with these options it would do nothing, or never end.
    """

    name: str | None = None
    slots: int | None = None
    schedules: bool = True
    works: bool = True
    until_idle: bool = False
    groups: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.schedules and not self.works:
            raise UsageError("--no-schedule and --no-work leave nothing to do", hint="leave out one of them")
        if not self.schedules and self.until_idle:
            what = "--until-idle needs passes, which find what is due"
            raise UsageError(what, hint="leave out --no-schedule, or end it by a signal")
