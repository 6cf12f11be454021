"""ProcessService: launches jobs, answers what users ask about processes, and makes requested changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from scoopi.defs.schedule.schedule_reader import CheckScrape
from scoopi.errors import StateRefusedError, UsageError
from scoopi.model.schedule.job_changes import StateChange
from scoopi.model.schedule.process import Process, launched_scrape
from scoopi.model.schedule.process_change import ProcessChange, ProcessChangeName
from scoopi.model.schedule.schedule_records import JobRecord, ProcessRecord
from scoopi.model.text.secrets import variable_of
from scoopi.model.text.shown import did_you_mean, nearest
from scoopi.periods.duration import duration_text
from scoopi.scheduler.decisions import changed, made
from scoopi.scheduler.planning.evaluations import last_evaluation
from scoopi.scheduler.planning.past_slots import slot_of
from scoopi.serve.rows import Row, job_row, process_change_row
from scoopi.serve.services.backfill_service import BackfillService
from scoopi.serve.services.process_changes import change_here, changed_by_hand
from scoopi.serve.services.process_rows import ProcessRows
from scoopi.serve.services.scrape_launch import launchable
from scoopi.serve.state import State


class ProcessService:
    """Launches jobs, answers what users ask about processes, and makes the changes that they request.

    It reads the current records. A change returns the row of what it has changed, as the command prints it.

    Args:
        state: the records.
        now: the time of this command.
        user: the name of the user, which is recorded with each change.
    """

    def __init__(self, state: State, now: datetime, user: str = "") -> None:
        self._user = user or "hand"
        self._state = state
        self._store = state.store
        self._now = now

    def backfills(self, name: str) -> BackfillService:
        """Return the service for the backfills of a process.

        Raises:
            UsageError: the process is unknown.
        """
        return BackfillService(self._state, self.process(name), self._now)

    def launch(
        self,
        name: str,
        inputs: dict[str, str],
        slot: str | None = None,
        after: datetime | None = None,
        check: CheckScrape | None = None,
    ) -> Row:
        """Create a job by hand.

        Args:
            name: the name of a process, or `scrape:PATH[#GROUP,…]` for a scrape without one.
            slot: the slot that the job is for, as `slot_of` takes it; by default the next `!n`.
            after: no attempt is created before this time.
            check: checks the definitions of such a scrape; None leaves that to the attempt.
        Raises:
            UsageError: the process or the scrape is unknown, or an input is a secret.
            PeriodError: the slot is not one of this process.
            DefsError: the definitions of the scrape are invalid.
            StateRefusedError: the slot has a job already.
        """
        if ":" in name:
            process = launchable(self._state, name, inputs, check)
            self._store.write(None, ProcessRecord(name=process.name, since=self._now))
        else:
            process = self.process(name)
        _ensure_no_secret(process, inputs)
        if slot is None:
            slot = f"!{self._next_request(process.name)}"
        record = self._store.get(ProcessRecord, [process.name])[process.name]
        at, due = slot_of(process, record, slot)
        decision = made(
            process,
            at,
            self._now,
            launch_type="manual",
            inputs=inputs,
            not_before=after,
            changes=(StateChange("embryo", self._now, self._user, "launch type: manual"),),
            **({"due": due} if due else {}),
        )
        job = decision.new
        assert isinstance(job, JobRecord)
        if not self._store.write(None, job):
            hint = f"scoopi job reprocess {job.job} runs it once more"
            raise StateRefusedError(f"{job.job} exists already", hint=hint)
        return job_row(job, process)

    def misspelt(self, name: str, inputs: Iterable[str]) -> dict[str, str]:
        """Return, for each unknown one of `inputs`, the input of a process that it resembles, if any."""
        known = self.process(name).inputs
        near = {each: nearest(each, known) for each in inputs if each not in known}
        return {each: own for each, own in near.items() if own}

    def process(self, name: str) -> Process:
        """Return the definition of a process; the namespace may be left out if the name is unique.

        Raises:
            UsageError: the process is unknown, or several processes have this name.
        """
        if (scrape := launched_scrape(name.replace("/", ":"))) is not None:
            if self._store.get(ProcessRecord, [scrape.name]):
                return scrape
            raise UsageError(f"{name} has not been launched", hint=f"scoopi launch {name} does it")
        processes = self._state.current()[1].processes
        found = (
            [name] if name in processes else [each for each in processes if each.rpartition(".")[2] == name]
        )
        if len(found) == 1:
            return processes[found[0]]
        if found:
            raise UsageError(f"{name} may be {' or '.join(found)}", hint="write the namespace")
        short = [each.rpartition(".")[2] for each in processes]
        listed = "scoopi process list shows the deployed processes"
        hint = did_you_mean(name, processes) or did_you_mean(name, short, listed)
        raise UsageError(f"unknown process {name}", hint=hint)

    def processes(self) -> list[Row]:
        """Return a row for each deployed process."""
        records, rows = self._store.processes(), self._rows()
        schedule = self._state.current()[1]
        return [rows.row(process, records[name]) for name, process in sorted(schedule.processes.items())]

    def show_process(self, name: str) -> Row:
        """Return the row of one process, with its `description`, and its `changes` by hand in order."""
        process = self.process(name)
        record = self._record(process)
        changes = [process_change_row(each) for each in record.changes]
        rows = self._rows()
        own = {"description": process.description or None, "hint": rows.hint(process, record) or None}
        return rows.row(process, record) | own | {"changes": changes}

    def upcoming(self, name: str, count: int) -> list[Row]:
        """Return the next slots of a process, each with the time at which it becomes due."""
        process = self.process(name)
        record = self._record(process)
        return self._rows().upcoming(process, record, count)

    def no_upcoming(self, name: str) -> str:
        """Return why a process has no next slot."""
        return self._rows().no_upcoming(self.process(name))

    def ahead(self, name: str) -> str:
        """Return a sentence if a pass whose clock was ahead has planned fires of the future; else empty."""
        process = self.process(name)
        return self._rows().ahead(process, self._record(process))

    def pause(self, name: str, reason: str) -> Row:
        """Close the gate `enabled` of a process, so that no attempts are created; running ones continue.

        Args:
            reason: the reason of the pause; if empty, a process that is paused already keeps its reason.
        """

        def paused(record: ProcessRecord) -> ProcessRecord:
            why = reason or record.paused or ""
            return changed_by_hand(record, self._change("paused", reason), paused=why)

        return self._change_process(name, paused)

    def resume(self, name: str) -> Row:
        """Open the gate `enabled` of a paused process.

        Raises:
            StateRefusedError: the process is not paused.
        """

        def resumed(record: ProcessRecord) -> ProcessRecord:
            if record.paused is None:
                raise StateRefusedError(
                    f"process {record.name} is not paused", hint="only a paused process resumes"
                )
            return changed_by_hand(record, self._change("resumed"), paused=None)

        return self._change_process(name, resumed)

    def set_interval(self, name: str, every: timedelta | None) -> Row:
        """Override the interval at which a process is checked or fires; None removes the override.

        The interval counts from the last fire or check.

        Raises:
            UsageError: its trigger has no interval.
        """
        process = self.process(name)
        trigger = process.trigger
        if (
            trigger is None
            or trigger.every is None
            or (trigger.slots != "iterations" and (trigger.cron is not None or trigger.at or trigger.after))
        ):
            has = "no trigger" if trigger is None else "a trigger without an interval"
            raise UsageError(f"process {process.name} has {has}", hint="only `every` can be changed by hand")

        def written(record: ProcessRecord) -> ProcessRecord:
            if trigger.slots == "instants":
                last = record.last_fire or record.since
            else:
                last = last_evaluation(process, record, self._now)
            change = self._change("interval", "default" if every is None else duration_text(every))
            begin = None if every is None else last
            return changed_by_hand(record, change, interval=every, interval_from=begin)

        return self._change_process(name, written)

    def _change(self, name: ProcessChangeName, reason: str = "") -> ProcessChange:
        return change_here(name, self._now, self._user, reason)

    def _record(self, process: Process) -> ProcessRecord:
        return self._store.get(ProcessRecord, [process.name])[process.name]

    def _next_request(self, name: str) -> int:
        record = self._store.update(
            ProcessRecord, name, lambda old: changed(old, requests=old.requests + 1) if old else None
        )
        assert record is not None
        return record.requests

    def _change_process(self, name: str, change: Callable[[ProcessRecord], ProcessRecord]) -> Row:
        process = self.process(name)
        record = self._store.update(ProcessRecord, process.name, lambda old: change(old) if old else None)
        assert record is not None
        return self._rows().row(process, record)

    def _rows(self) -> ProcessRows:
        return ProcessRows(self._state.passes.snapshot(self._now))


def _ensure_no_secret(process: Process, inputs: Iterable[str]) -> None:
    for name in inputs:
        variable = variable_of(process.inputs.get(name, "").replace(" ", ""))
        if variable:
            what = f"input {name} of {process.name} is a secret, and the inputs of a launch are stored"
            raise UsageError(what, hint=f"set the variable {variable} in the environment of scoopi serve")
