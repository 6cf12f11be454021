"""What is done to a job by hand concerns the jobs that depend on it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from scoopi.errors import StateRefusedError
from scoopi.model.schedule.schedule_records import ENDED, AttemptRecord
from scoopi.periods.slot import parse_slot
from scoopi.scheduler.decisions import changed, made
from scoopi.serve.claims.attempt_claims import AttemptClaims
from scoopi.serve.services.job_service import JobService
from scoopi.serve.state import State
from scoopi.serve.workers.worker_registry import WorkerRegistry
from tests.serve.conftest import NOW, Deployed

DAILY = "{executes: external:x, qualifier: daily, trigger: {}, lag: 0s"
PROJECT = f"""
    processes:
      a: {DAILY}}}
      b: {DAILY}, depends_on: [a]}}
      c: {DAILY}, depends_on: [{{process: b, slot: previous}}]}}
      d: {{executes: external:x, trigger: {{after: a}}}}
      e: {DAILY}}}
      f: {DAILY}, depends_on: [{{process: a, when_skipped: run}}]}}
"""
DAY = "D:2026010100"


class Shop:
    """A project whose attempts a registered worker ends."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.now = NOW
        self.claims = AttemptClaims(state.store)
        WorkerRegistry(state.store).put("w", ("default",), 99, is_external=True)

    @property
    def service(self) -> JobService:
        return JobService(self.state, self.now, lambda name: name, "ana")

    def tick(self, now: datetime | None = None) -> None:
        self.now = now or self.now + timedelta(seconds=1)
        self.state.passes.run(self.now)

    def claim(self) -> list[AttemptRecord]:
        names = dict.fromkeys("abcdef", "x")
        return self.claims.claim("w", self.now, names, limit=99)

    def work(self) -> list[str]:
        """Runs everything, in order; the attempts that ran."""
        ran: list[str] = []
        self.tick()
        while claimed := self.claim():
            for attempt in claimed:
                self.claims.end(attempt, attempt.fence, "succeeded", self.now, outputs={"run": len(ran)})
                ran.append(attempt.attempt)
            self.tick()
        return ran

    def states(self) -> dict[str, str]:
        return {row["job"]: row["state"] for row in self.service.jobs()}


@pytest.fixture
def shop(deployed: Deployed) -> Shop:
    """Two days of all processes are over."""
    shop = Shop(deployed(PROJECT))
    shop.tick(NOW)
    shop.tick(NOW + timedelta(days=2))
    shop.work()
    return shop


def jobs(rows: list[dict[str, Any]]) -> list[str]:
    return [row["job"] for row in rows]


def test_reprocess_resets_the_jobs_that_depend_on_it_and_no_others(shop: Shop) -> None:
    affected = [f"a/{DAY}", f"b/{DAY}", f"d/{DAY}", f"f/{DAY}", "c/D:2026010200"]
    before = shop.states()
    assert sorted(jobs(shop.service.reprocess(f"a/{DAY}", dry_run=True))) == sorted(affected)
    assert shop.states() == before

    assert sorted(jobs(shop.service.reprocess(f"a/{DAY}"))) == sorted(affected)

    after = shop.states()
    assert {job for job in after if after[job] == "embryo"} >= {*affected}
    assert {job for job in after if before[job] != after[job]} == {*affected}


def test_reprocess_leaves_jobs_that_are_embryo_already_as_they_are(shop: Shop) -> None:
    shop.service.reprocess(f"b/{DAY}")
    before = [shop.service.job(job) for job in (f"b/{DAY}", "c/D:2026010200")]
    assert {each.state for each in before} == {"embryo"}
    assert sorted(jobs(shop.service.reprocess(f"a/{DAY}"))) == [f"{name}/{DAY}" for name in "adf"]
    assert [shop.service.job(each.job) for each in before] == before


def test_what_was_reset_runs_once_more_in_order_with_new_numbers_and_outputs(shop: Shop) -> None:
    shop.service.reprocess(f"a/{DAY}")
    ran = shop.work()
    assert sorted(ran) == sorted([f"a/{DAY}/2", f"b/{DAY}/2", f"d/{DAY}/2", f"f/{DAY}/2", "c/D:2026010200/2"])
    assert ran[0] == f"a/{DAY}/2"
    assert ran.index(f"b/{DAY}/2") < ran.index("c/D:2026010200/2")
    assert shop.states()[f"d/{DAY}"] == "processed"
    assert shop.service.job(f"d/{DAY}").trigger["outputs"] == {"run": 0}


def test_a_job_that_was_triggered_waits_for_the_one_that_is_reprocessed(shop: Shop) -> None:
    shop.service.reprocess(f"a/{DAY}")
    shop.tick()
    assert shop.service.why(f"d/{DAY}")["holders"] == [f"a/{DAY}"]
    shop.service.skip(f"a/{DAY}")
    shop.tick()
    assert shop.states()[f"d/{DAY}"] == "skipped"
    assert shop.service.job(f"d/{DAY}").reason == f"a/{DAY} was skipped"


def test_the_end_of_a_cancelled_attempt_of_a_job_that_is_reprocessed_does_not_count(shop: Shop) -> None:
    shop.service.reprocess(f"a/{DAY}")
    shop.tick()
    (running,) = [each for each in shop.claim() if each.job == f"a/{DAY}"]

    shop.service.reprocess(f"a/{DAY}")
    shop.tick()
    assert shop.claims.progress(running, running.fence, shop.now).wish == "cancel"
    reason = shop.service.why(f"a/{DAY}")["reason"]
    assert reason.startswith("attempt 2 is being cancelled (step, requested at ")
    assert reason.endswith(": reprocessed by ana")
    shop.claims.end(running, running.fence, "canceled", shop.now)
    assert f"a/{DAY}/3" in shop.work()
    assert shop.states()[f"a/{DAY}"] == "processed"


def test_a_command_that_was_interrupted_is_repeated_and_one_for_nothing_is_refused(shop: Shop) -> None:
    record = shop.service.job(f"a/{DAY}")
    shop.service.reprocess(f"b/{DAY}")
    with pytest.raises(StateRefusedError, match=r"b/D:2026010100 is embryo"):
        shop.service.reprocess(f"b/{DAY}")
    assert jobs(shop.service.reprocess(record.job))[0] == record.job


def test_a_repeated_command_finds_what_is_behind_jobs_that_were_reset_already(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, left = shop.state.store.write, [*range(4)]

    def crashing(old: Any, new: Any) -> bool:
        if not left:
            raise KeyboardInterrupt
        left.pop()
        return write(old, new)

    with monkeypatch.context() as patch:
        patch.setattr(shop.state.store, "write", crashing)
        with pytest.raises(KeyboardInterrupt):
            shop.service.reprocess(f"a/{DAY}")
    assert shop.states()[f"b/{DAY}"] == "embryo"
    assert shop.states()["c/D:2026010200"] == "processed"

    assert "c/D:2026010200" in jobs(shop.service.reprocess(f"a/{DAY}"))
    assert shop.states()["c/D:2026010200"] == "embryo"


DIAMOND = f"""
    processes:
      a: {DAILY}}}
      b: {DAILY}, depends_on: [a]}}
      c: {{executes: external:x, qualifier: daily, lag: 0s, trigger: {{after: b}}, depends_on: [a]}}
      d: {DAILY}, depends_on: [a, e]}}
      e: {DAILY}, depends_on: [b]}}
"""


@pytest.fixture
def diamond(deployed: Deployed) -> Shop:
    """A day of all processes is over; several paths lead from the first one to each of the last ones."""
    shop = Shop(deployed(DIAMOND))
    shop.tick(NOW)
    shop.tick(NOW + timedelta(days=1))
    shop.work()
    return shop


def test_each_job_is_reprocessed_before_those_that_depend_on_it_by_any_path(diamond: Shop) -> None:
    affected = jobs(diamond.service.reprocess(f"a/{DAY}"))
    assert sorted(affected) == [f"{name}/{DAY}" for name in "abcde"]
    for before, after in ("ab", "ac", "bc", "be", "ad", "ed"):
        assert affected.index(f"{before}/{DAY}") < affected.index(f"{after}/{DAY}")


def test_a_job_that_depends_on_another_one_too_waits_for_the_one_that_triggered_it(diamond: Shop) -> None:
    diamond.service.reprocess(f"a/{DAY}")
    assert diamond.service.job(f"c/{DAY}").awaits == f"b/{DAY}"
    ran = diamond.work()
    assert ran.index(f"b/{DAY}/2") < ran.index(f"c/{DAY}/2")
    assert diamond.service.job(f"c/{DAY}").trigger["outputs"] == {"run": ran.index(f"b/{DAY}/2")}


def test_skip_names_the_jobs_that_are_skipped_for_it(shop: Shop) -> None:
    shop.service.reprocess(f"a/{DAY}")
    expected = [f"a/{DAY}", f"b/{DAY}", f"d/{DAY}", "c/D:2026010200"]
    assert jobs(shop.service.skip(f"a/{DAY}", dry_run=True)) == expected
    assert shop.states()[f"a/{DAY}"] == "embryo"
    assert jobs(shop.service.skip(f"a/{DAY}")) == expected
    shop.tick()
    states = shop.states()
    assert [states[job] for job in expected] == ["skipped"] * 4
    assert states[f"f/{DAY}"] == "in_progress"


def test_the_jobs_of_a_long_chain_are_found_without_reading_them_for_each_job_again(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(deployed(f"processes: {{a: {DAILY}, depends_on: [{{process: a, slot: previous}}]}}}}"))
    process, names = shop.state.current()[1].processes["a"], [f"D:202601{day:02}00" for day in range(1, 10)]
    for name in names:
        job = made(process, parse_slot(name), NOW).new
        assert shop.state.store.write(None, changed(job, state="processed", phase=ENDED))
    scan, scans = shop.state.store.scan, []

    def counted(*given: Any, **named: Any) -> Any:
        scans.append(given)
        return scan(*given, **named)

    monkeypatch.setattr(shop.state.store, "scan", counted)
    found = jobs(shop.service.reprocess(f"a/{DAY}", dry_run=True))
    assert found == [f"a/{name}" for name in names]
    assert len(scans) == 1
