"""DeniedJobs: ends the jobs whose pages must not be requested."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from scoopi.appenders.appender import JobResult
from scoopi.mediator.held_jobs import Pending, failed_result, failure_of, skipped_result


class Denial(msgspec.Struct, frozen=True):
    """The reason why a page must not be requested; fields as in `Denied`."""

    is_rule: bool
    cause: str
    message: str


class DeniedJobs:
    """Ends the jobs whose pages must not be requested, without running them.

    A job whose page robots.txt disallows is skipped, any other fails. Belongs to the task runner's thread.

    Args:
        end: receives the results.
        place_of: given the names of a group and of its task, returns where the task is defined, `file:line`;
            an empty task means the group's first.
        tasks_of: given the name of a group, returns the names of its tasks, joined by commas.
    """

    def __init__(
        self,
        end: Callable[[JobResult], None],
        place_of: Callable[[str, str], str],
        tasks_of: Callable[[str], str],
    ) -> None:
        self._end = end
        self._place_of = place_of
        self._tasks_of = tasks_of
        self._count = 0

    def end(self, pending: Pending, denial: Denial) -> None:
        """End a job for this reason."""
        self._count += 1
        taken = pending.taken
        group = taken.payload.locator.group
        failure = failure_of(taken, denial.cause, "", self._tasks_of(group), self._place_of(group, ""))
        why = msgspec.structs.replace(failure, message=denial.message, step="loader")
        if denial.is_rule:
            self._end(skipped_result(taken, why))
        else:
            self._end(failed_result(taken, (*pending.failures, why)))

    def take_count(self) -> int:
        """How many jobs have been ended since the last call."""
        count, self._count = self._count, 0
        return count
