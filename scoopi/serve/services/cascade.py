"""Cascade: finds the dependent jobs that a change of a job by hand affects too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter

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
