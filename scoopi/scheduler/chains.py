"""chains: where the dependencies of jobs on earlier jobs of their own process end."""

from __future__ import annotations

from collections.abc import Mapping

from scoopi.model.schedule.process import DependsOn, Process
from scoopi.periods.period import Period
from scoopi.periods.slot import Slot
from scoopi.scheduler.snapshot import Snapshot
from scoopi.scheduler.triggers import first_period


def is_end_of_chain(process: Process, edge: DependsOn, before: Slot, snapshot: Snapshot) -> bool:
    """Return whether a job that does not exist is neither created nor waited for.

    If processes depend on themselves (`{process: own, slot: previous}`), also by way of others, each job
    needs an earlier one, and that again an earlier one. The chain ends at the first period of the process,
    and at jobs that were removed after their retention.

    Args:
        process: the process of the dependent job.
        edge: its dependency.
        before: the slot of the job that does not exist.
    """
    other, record = snapshot.process(edge.process), snapshot.processes.get(edge.process)
    if edge.slot >= 0 or other is None or record is None or not isinstance(before, Period):
        return False
    if not _depends(other, process.name, snapshot.schedule.processes):
        return False
    planned = record.last_fire is not None and before.bounds()[0] <= record.last_fire
    return planned or before.start < first_period(other, record).start


def _depends(process: Process, name: str, processes: Mapping[str, Process]) -> bool:
    """Whether a process depends on another one, or is triggered by it, directly or not."""
    found = [process.name]
    for each in found:
        if each == name:
            return True
        if (own := processes.get(each)) is not None:
            after = () if own.trigger is None else own.trigger.after
            before = (*(edge.process for edge in own.depends_on), *after)
            found += [other for other in dict.fromkeys(before) if other not in found]
    return False
