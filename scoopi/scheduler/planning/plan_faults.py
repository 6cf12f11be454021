"""PlanFaults: collects the errors of a pass; a step that fails decides nothing and stops no other step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import ParamSpec, TypeVar

from scoopi.errors import ScoopiError
from scoopi.scheduler.decisions import Decision

CORRECT = "if its definition causes that, correct it and run scoopi deploy"
"""What a user may do about a fault."""
P = ParamSpec("P")
ValueType = TypeVar("ValueType")


@dataclass(frozen=True, slots=True)
class PlanFault:
    """What went wrong while a pass decided on a process, a job or an attempt.

    Attributes:
        process: name of the process.
        subject: what was decided on: the process itself (its slots), or the id of a job or an attempt.
        error: what was raised.
    """

    process: str
    subject: str
    error: Exception

    @property
    def cause(self) -> str:
        """The error in words.

        >>> PlanFault("p", "p", OverflowError("date value out of range")).cause
        'OverflowError: date value out of range'
        """
        if isinstance(self.error, ScoopiError):
            return self.error.what
        text = str(self.error)
        return f"{type(self.error).__name__}{f': {text}' if text else ''}"

    @property
    def text(self) -> str:
        """A sentence on what cannot be planned, and why."""
        what = f"the slots of {self.process}" if self.subject == self.process else self.subject
        return f"{what} cannot be planned: {self.cause}"


class PlanFaults:
    """What went wrong in one pass. A step that fails decides nothing; the others are not affected.

    A step is the smallest part of a pass that may be left out: the slots of one process, one job or one
    attempt. All of its decisions are used, or none: what a crash may cut is the end of a pass, never
    the middle of a step.

    Args:
        is_strict: raise the first error instead of noting it.
        only: the one subject whose steps are made; empty for all.
    Attributes:
        found: the first fault of each subject, by the subject.
    """

    def __init__(self, *, is_strict: bool = False, only: str = "") -> None:
        self._is_strict, self._only = is_strict, only
        self.found: dict[str, PlanFault] = {}

    def decided(
        self,
        process: str,
        subject: str,
        step: Callable[P, Iterable[Decision]],
        *args: P.args,
        **options: P.kwargs,
    ) -> list[Decision]:
        """Run a step and return its decisions, each with `step` set to the subject; none if the step fails.

        Args:
            process, subject: as in `PlanFault`.
            step: called with the further arguments.
        """
        if self._only not in ("", subject):
            return []
        try:
            found = step(*args, **options)
            return [each if each.step else replace(each, step=subject) for each in found]
        except Exception as error:  # of any class: the other processes must be planned
            if self._is_strict:
                raise
            self.note(process, subject, error)
            return []

    def note(self, process: str, subject: str, error: Exception) -> None:
        """Note an error as the fault of a subject, unless the subject has one already."""
        self.found.setdefault(subject, PlanFault(process, subject, error))

    def of(self, process: str) -> list[PlanFault]:
        """Return the faults of a process and of its jobs."""
        return [each for each in self.found.values() if each.process == process]


def unless_faulty(step: Callable[P, ValueType], *args: P.args, **options: P.kwargs) -> ValueType | None:
    """Return the result of a calculation; None if it fails, which the steps of a pass note as a fault."""
    try:
        return step(*args, **options)
    except Exception:
        return None
