"""The invariants of the scheduler hold whatever happens in whichever order, and nothing is left waiting."""

from __future__ import annotations

from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule, run_state_machine_as_test

from scoopi.model.schedule.schedule_records import JobRecord
from tests.serve.histories.history_machine import RUN, HistoryMachine

PROCESSES = f"""
settings: {{start_limit: 3, stuck_after: 5h,
  notify: [{{when: [failed, missed, deadline, stuck], via: [mail]}}],
  gc: {{retention: {{jobs: 20h, attempts: 10h, events: 2h}}}}}}
processes:
  wait: {{{RUN}, trigger: {{cron: "0 * * * *"}}, overlap: wait, catchup: all, history: 3}}
  after: {{{RUN}, trigger: {{after: wait}}, timeout: {{run: 2h}}}}
  skip: {{{RUN}, trigger: {{every: 2h}}, overlap: skip, start_deadline: 3h}}
  remind: {{{RUN}, trigger: {{every: 2h}}, overlap: remind, groups: [fast, default]}}
  newest: {{{RUN}, trigger: {{every: 2h}}, overlap: buffer_one}}
  cancels: {{{RUN}, trigger: {{every: 2h}}, overlap: cancel_running}}
  daily: {{{RUN}, qualifier: daily, trigger: {{}}, retry: {{max: 2, delay: 20m, on_exhausted: fail}}}}
  next: {{{RUN}, qualifier: daily, trigger: {{}}, depends_on: [daily]}}
  held: {{{RUN}, qualifier: daily, trigger: {{}}, retry: {{max: 0, on_exhausted: hold}}}}
  often: {{{RUN}, qualifier: daily, trigger: {{every: 3h}}, machine: continuous}}
  look: {{{RUN}, lookback: 1, trigger: {{slots: iterations, cron: "0 */6 * * *"}}, on_window_exit: cancel}}
  follow: {{{RUN}, trigger: {{slots: iterations, source: after_completion, every: 5h}}}}
  late: {{{RUN}, trigger: {{every: 6h}}, deadline: {{after: created, within: 2h, then: fail}}}}
"""
ONE_AT_A_TIME = ("wait", "newest", "cancels")


class Histories(HistoryMachine):
    """Slots, overlaps, retries and deadlines; with pauses, backfills and the garbage collector."""

    text = PROCESSES
    groups = ("fast", "default")

    @rule(process=st.sampled_from(["wait", "daily", "look"]), is_paused=st.booleans())
    def a_process_is_paused_or_resumed(self, process: str, is_paused: bool) -> None:
        self.world.processes_service(
            lambda service: service.pause(process, "") if is_paused else service.resume(process)
        )

    @rule(most=st.integers(0, 2), order=st.sampled_from(["old", "new"]))
    def slots_are_filled(self, most: int, order: str) -> None:
        self.world.backfill("daily", "2025122900", "2025123100", max_parallel=most, order=order)
        self.gone -= {job.job for job in self.world.all(JobRecord)}

    @rule()
    def garbage_is_collected(self) -> None:
        before = {job.job for job in self.world.all(JobRecord)}
        self.world.collect()
        removed = before - {job.job for job in self.world.all(JobRecord)}
        assert removed <= self.ended.keys()
        self.gone |= removed
        for job in removed:
            self.ended.pop(job)

    @invariant()
    def processes_that_wait_for_their_last_job_have_one_attempt(self) -> None:
        backfilled = {job.job for job in self.world.all(JobRecord) if job.backfill is not None}
        live = [each.process for each in self.world.live() if each.job not in backfilled]
        assert all(live.count(name) <= 1 for name in ONE_AT_A_TIME)


def test_the_invariants_hold_whatever_happens(tmp_path: Path) -> None:
    HistoryMachine.folder = tmp_path
    limits = settings(max_examples=25, stateful_step_count=30, deadline=None)
    run_state_machine_as_test(Histories, settings=limits)
