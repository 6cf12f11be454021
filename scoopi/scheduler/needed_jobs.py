"""NeededJobs: finds the finished jobs that later passes may still need, so that they are not removed."""

from __future__ import annotations

from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import JobRecord, ProcessRecord
from scoopi.periods.period import Period, parse_qualifier
from scoopi.periods.slot import Instant, Iteration, parse_slot
from scoopi.scheduler.gates import counterpart, edges_of
from scoopi.scheduler.iteration_window import first_of_window
from scoopi.scheduler.planning.plan_faults import unless_faulty
from scoopi.scheduler.snapshot import Snapshot


class NeededJobs:
    """Finds the finished jobs that a later pass may still need.

    Args:
        snapshot: the active jobs and open attempts.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._ids = {attempt.job for attempt in snapshot.attempts}
        self._followers = {name: self._reached(name) for name in snapshot.schedule.processes}
        for job in snapshot.active:
            self._ids |= {job.job, job.awaits}
            self._ids |= unless_faulty(self._dependencies, job) or set()

    def has(self, job: JobRecord) -> bool:
        """Whether a later pass may need a job: its slot may be planned again, or another job needs it."""
        record = self._snapshot.processes.get(job.process)
        if record is None or job.job in self._ids:
            return True
        process = self._snapshot.process(job.process)
        if process is None:
            return False
        return unless_faulty(self._is_to_be_planned, job, process, record) is not False

    def _reached(self, name: str) -> list[Process]:
        """A process, and those that its end triggers, directly or not; their jobs have the same slot."""
        processes, found = self._snapshot.schedule.processes, [name]
        for each in found:
            found += [
                other
                for other, process in processes.items()
                if process.trigger is not None and each in process.trigger.after and other not in found
            ]
        return [processes[each] for each in found]

    def _dependencies(self, job: JobRecord) -> set[str]:
        """The ids of the jobs that an active job waits for, will trigger, or that those will wait for."""
        slot, found = parse_slot(job.slot), set()
        for process in self._followers.get(job.process, ()):
            found.add(f"{process.name}/{slot}")
            for edge in edges_of(process):
                before = counterpart(slot, edge, self._snapshot.process(edge.process))
                if before is not None:
                    found.add(f"{edge.process}/{before}")
        return found

    def _is_to_be_planned(self, job: JobRecord, process: Process, record: ProcessRecord) -> bool:
        """Whether the schedule has not passed the slot yet, so that it would create the job again."""
        slot, trigger = parse_slot(job.slot), process.trigger
        if trigger is None or trigger.after:
            return False
        if isinstance(slot, Iteration):
            first = first_of_window(process, self._snapshot)
            return trigger.slots == "iterations" and (first is None or slot.number >= first)
        if isinstance(slot, Instant):
            return trigger.slots == "instants" and slot.at > (record.last_fire or record.since)
        if isinstance(slot, Period) and process.qualifier is not None and record.last_fire is not None:
            return slot.start > Period(parse_qualifier(process.qualifier), record.last_fire).start
        return isinstance(slot, Period) and trigger.slots == "periods"
