"""Cascade: finds the jobs that depend on a job, and that a change of it by hand affects too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import FINISHED, JobRecord
from scoopi.periods.slot import parse_slot
from scoopi.scheduler.gates import counterpart
from scoopi.store.schedule.schedule_store import ScheduleStore


class Cascade:
    """Finds the jobs that depend on a job, by `depends_on` or because it triggered them.

    Args:
        store: the records.
        processes: the current definitions by name.
    """

    def __init__(self, store: ScheduleStore, processes: Mapping[str, Process]) -> None:
        self._store = store
        self._processes = processes

    def to_reprocess(self, job: JobRecord) -> list[tuple[JobRecord, bool]]:
        """Return a job and all started jobs that depend on it, directly or not; each before its dependents.

        Returns:
            Each job, with whether it was triggered by the job through which it was found.
        """
        found = {job.job: (job, False)}
        for record, _ in (queue := [(job, False)]):
            for dependent, is_triggered in self._dependents(record):
                if dependent.job not in found and dependent.state != "embryo":
                    found[dependent.job] = dependent, is_triggered
                    queue.append((dependent, is_triggered))
        return [each for each in found.values() if each[0].state != "embryo"]

    def to_skip(self, job: JobRecord) -> list[JobRecord]:
        """Return the jobs that are skipped together with a job: dependents that have not started."""
        found = {job.job: job}
        for record in (queue := [job]):
            process_of = ((each, self._processes[each.process]) for each, _ in self._dependents(record))
            for dependent, process in process_of:
                rules = [edge.when_skipped for edge in process.depends_on if edge.process == record.process]
                if dependent.job not in found and dependent.state == "embryo" and "skip" in rules:
                    found[dependent.job] = dependent
                    queue.append(dependent)
        return [each for each in found.values() if each.state not in FINISHED and each is not job]

    def _dependents(self, job: JobRecord) -> Iterator[tuple[JobRecord, bool]]:
        """The jobs that need this one, each with whether this one triggered it."""
        slot, own = parse_slot(job.slot), self._processes.get(job.process)
        for process in self._processes.values():
            if process.trigger is not None and job.process in process.trigger.after:
                for other in self._store.jobs([f"{process.name}/{slot}"]).values():
                    if other.trigger.get("job") == job.job:
                        yield other, True
            edges = [edge for edge in process.depends_on if edge.process == job.process]
            if edges and own is not None:
                for other in self._store.scan(JobRecord, prefix=f"{process.name}/"):
                    if any(counterpart(parse_slot(other.slot), edge, own) == slot for edge in edges):
                        yield other, False
