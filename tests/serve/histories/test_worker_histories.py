"""Workers come, go and fall silent in whichever order: `no_worker` and `stale_after` keep their promises."""

from __future__ import annotations

from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule, run_state_machine_as_test

from scoopi.model.schedule.schedule_records import JobRecord
from scoopi.serve.claims.attempt_claims import AttemptClaims
from tests.serve.histories.crashing_world import CrashingWorld
from tests.serve.histories.history_machine import RUN, WHICH, HistoryMachine

PRESS = {"print": "press", "proof": "press"}
ALL = "trigger: {every: 2h}, overlap: wait"
RUN_ALL, PRINT_ALL = f"{RUN}, {ALL}", f'executes: "external:press", {ALL}'
PROCESSES = f"""
settings: {{start_limit: 50}}
processes:
  waits: {{{RUN_ALL}, groups: [gpu]}}
  pauses: {{{RUN_ALL}, groups: [gpu], no_worker: pause, timeout: {{queue: 9h}}}}
  fails: {{{RUN_ALL}, groups: [gpu], no_worker: fail, retry: {{max: 2, delay: 30m}}}}
  moves: {{{RUN_ALL}, groups: [gpu, default], no_worker: fail, retry: {{stale_after: 1h, delay: 5m}}}}
  print: {{{PRINT_ALL}, retry: {{stale_after: 1h, delay: 20m, max: 1}}}}
  proof: {{{PRINT_ALL}, no_worker: pause, retry: {{stale_after: 3h, max: 1}}}}
"""


class WorkerHistories(HistoryMachine):
    """A worker of a group that comes and goes, and one that is not a `serve` and falls silent."""

    text = PROCESSES
    groups = ("gpu",)

    @rule()
    def the_press_is_registered(self) -> None:
        self.world.external_worker("press")

    @rule()
    def the_press_claims(self) -> None:
        if "press" in self.world.snapshot().workers:
            self.world.claim("press", PRESS)

    @rule(which=WHICH)
    def the_press_reports_progress(self, which: int) -> None:
        printing = [each for each in self.world.attempts("running") if each.process in PRESS]
        if printing:
            attempt, now = printing[which % len(printing)], self.world.now
            self.world.allowed(lambda state: AttemptClaims(state.store).progress(attempt, attempt.fence, now))

    @rule(minutes=st.sampled_from([1, 45, 200]))
    def a_pass_knows_which_workers_live(self, minutes: int) -> None:
        self.world.tick(minutes=minutes)
        snapshot = self.world.snapshot()
        gpu = snapshot.workers["w2"]
        if not snapshot.is_lost(gpu):
            return
        asked_later = [each.attempt for each in self.world.live() if each.ended is not None]
        for each in self.world.live():
            if each.status in ("pending", "waiting") and each.attempt not in asked_later:
                assert each.process not in ("pauses", "fails"), each

    @invariant()
    def only_processes_that_pause_have_paused_attempts(self) -> None:
        assert {each.process for each in self.world.attempts("paused")} <= {"pauses", "proof"}

    @invariant()
    def silence_is_no_failure(self) -> None:
        for job in self.world.all(JobRecord):
            failed = sum(
                each.job == job.job for status in ("failed", "error") for each in self.world.attempts(status)
            )
            assert job.failures <= failed, job

    def all_work(self, world: CrashingWorld) -> None:
        """Let all workers do what they may, with success; also the press."""
        world.external_worker("press")
        for _ in range(3):  # what was silent is offered again meanwhile
            world.tick(minutes=20)
            super().all_work(world)
            while claimed := world.claim("press", PRESS):
                for attempt in claimed:
                    world.end(attempt)
                world.tick()


def test_attempts_wait_pause_fail_or_move_as_their_process_says(tmp_path: Path) -> None:
    HistoryMachine.folder = tmp_path
    limits = settings(max_examples=15, stateful_step_count=30, deadline=None)
    run_state_machine_as_test(WorkerHistories, settings=limits)
