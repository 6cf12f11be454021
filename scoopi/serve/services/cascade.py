"""Cascade: finds the dependent jobs that a change of a job by hand affects too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from graphlib import TopologicalSorter

from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import FINISHED, JobRecord
from scoopi.periods.slot import Slot, parse_slot
from scoopi.scheduler.gates import counterpart
from scoopi.store.schedule.schedule_store import ScheduleStore


class Cascade:
    """Finds the jobs that depend on a job, by `depends_on` or because it triggered them.

    It reads the jobs of each process at most once, so it is made for one command.

    Args:
        store: the records.
        processes: the current definitions by name.
    """

    def __init__(self, store: ScheduleStore, processes: Mapping[str, Process]) -> None:
        self._store = store
        self._processes = processes
        self._waiting: dict[str, Mapping[tuple[str, Slot], Sequence[JobRecord]]] = {}

    def to_reprocess(self, job: JobRecord) -> list[tuple[JobRecord, bool]]:
        """Return a job and all jobs that depend on it, directly or not, without those that have not started.

        A started job may depend on one that has not started: a command to reprocess that was interrupted may
        have reset the latter only. Such jobs are returned too.

        Returns:
            Each job before its dependents, with whether it was triggered by a job that is affected too.
        """
        found, triggered = {job.job: job}, set[str]()
        order = TopologicalSorter[str]({job.job: ()})
        for record in (queue := [job]):
            for dependent, is_triggered in self._dependents(record):
                order.add(dependent.job, record.job)
                if is_triggered:
                    triggered.add(dependent.job)
                if dependent.job not in found:
                    found[dependent.job] = dependent
                    queue.append(dependent)
        ordered = (found[name] for name in order.static_order())
        return [(each, each.job in triggered) for each in ordered if each.state != "embryo"]

    def to_skip(self, job: JobRecord) -> list[JobRecord]:
        """Return the jobs that are skipped together with a job: dependents that have not started.

        These are jobs with `when_skipped: skip`, and jobs that wait for the job that triggered them, since it
        is reprocessed.
        """
        found = {job.job: job}
        for record in (queue := [job]):
            process_of = ((each, self._processes[each.process]) for each, _ in self._dependents(record))
            for dependent, process in process_of:
                rules = [edge.when_skipped for edge in process.depends_on if edge.process == record.process]
                is_skipped = "skip" in rules or dependent.awaits == record.job
                if dependent.job not in found and dependent.state == "embryo" and is_skipped:
                    found[dependent.job] = dependent
                    queue.append(dependent)
        return [each for each in found.values() if each.state not in FINISHED and each is not job]

    def _dependents(self, job: JobRecord) -> Iterator[tuple[JobRecord, bool]]:
        """Yield each job that depends on a job, with False, and each job that it triggered, with True.

        A job that depends on it and was triggered by it comes twice.
        """
        slot = parse_slot(job.slot)
        for process in self._processes.values():
            if process.trigger is not None and job.process in process.trigger.after:
                for other in self._store.jobs([f"{process.name}/{slot}"]).values():
                    if other.trigger.get("job") == job.job:
                        yield other, True
            if any(edge.process == job.process for edge in process.depends_on):
                for other in self._waiting_of(process).get((job.process, slot), ()):
                    yield other, False

    def _waiting_of(self, process: Process) -> Mapping[tuple[str, Slot], Sequence[JobRecord]]:
        """The jobs of a process by what they depend on: other processes, and slots of these."""
        if process.name not in self._waiting:
            found: dict[tuple[str, Slot], list[JobRecord]] = {}
            for job in self._store.scan(JobRecord, prefix=f"{process.name}/"):
                for before in _counterparts(parse_slot(job.slot), process, self._processes):
                    found.setdefault(before, []).append(job)
            self._waiting[process.name] = found
        return self._waiting[process.name]


def _counterparts(
    slot: Slot, process: Process, processes: Mapping[str, Process]
) -> Iterator[tuple[str, Slot]]:
    """What the job of a process at a slot depends on, each once."""
    others = ((edge, processes.get(edge.process)) for edge in process.depends_on)
    found = ((edge.process, counterpart(slot, edge, other)) for edge, other in others if other is not None)
    yield from {(name, before): None for name, before in found if before is not None}
