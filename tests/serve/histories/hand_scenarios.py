"""Scenarios of what people do by hand, and of what is removed."""

from __future__ import annotations

from tests.serve.histories.crashing_world import CrashingWorld
from tests.serve.histories.scenarios import RUN, scenario


@scenario("p: {RUN, trigger: {every: 1h}, retry: {max: 0, on_exhausted: hold}}")
def hold_and_clear(world: CrashingWorld) -> None:
    world.tick(hours=1)
    world.work("failed")
    world.jobs_service(lambda service: service.clear("p/@2026-01-01T01:00:00Z"))
    world.work()


@scenario("p: {RUN, qualifier: hourly, trigger: {}, retry: {max: 1, delay: 10m}}")
def backfill(world: CrashingWorld) -> None:
    world.tick(minutes=5)
    world.backfill("p", "2025123120", "2025123123", max_parallel=2, order="new")
    world.work(lambda attempt: "failed" if attempt.number == 1 else "succeeded")
    world.tick(minutes=30)
    world.work()


@scenario("p: {RUN, trigger: {cron: '0 * * * *'}, overlap: wait}")
def backfill_that_is_cancelled(world: CrashingWorld) -> None:
    world.backfill("p", "2025-12-31T10:00:00Z", "2025-12-31T13:00:00Z", overlap="wait")
    world.tick(minutes=1)
    running = world.claim("w1")
    for slot in sorted(world.states("p")):
        world.skip(f"p/{slot}")
    world.tick(minutes=1)
    for attempt in running:
        world.end(attempt)
    world.work()


@scenario("p: {RUN, trigger: {every: 1h}}")
def cancel_in_three_modes(world: CrashingWorld) -> None:
    for mode in ("drain", "step", "kill"):
        world.tick(hours=1)
        (attempt,) = world.claim("w1")
        world.cancel(attempt.job, mode)
        world.tick(minutes=1)
        world.end(attempt)
        world.work()


@scenario(
    "p: {RUN, trigger: {every: 1h}, timeout: {run: 10m}, retry: {max: 1, delay: 1m}}",
    "cancel: {kill_after: 2m}",
)
def cancels_that_have_arrived(world: CrashingWorld) -> None:
    for mode in ("drain", "step", "kill"):
        world.tick(hours=1)
        (attempt,) = world.claim("w1")
        world.cancel(attempt.job, mode)
        world.tick(minutes=1)
        world.see_wishes("w1")
        world.tick(minutes=1)
        world.end(attempt)
        world.work()
    for _ in range(2):  # a timeout, which is tried again; a drain that its worker never reports
        world.tick(hours=1)
        (attempt,) = world.claim("w1")
        world.tick(minutes=20)
        world.see_wishes("w1")
        world.tick(minutes=1)
        world.end(attempt, "not_ready")
        world.tick(minutes=5)
        (attempt,) = world.claim("w1")
        world.cancel(attempt.job, "drain")
        world.see_wishes("w1")
        world.tick(minutes=20)
        world.tick(minutes=20)


@scenario("p: {RUN, trigger: {every: 1h}}")
def cancel_of_what_nobody_runs(world: CrashingWorld) -> None:
    world.tick(hours=1)
    world.cancel("p/@2026-01-01T01:00:00Z", "step")
    world.tick(hours=1)
    world.claim("w1")
    world.cancel("p/@2026-01-01T02:00:00Z", "kill")
    world.tick(hours=2, minutes=30)  # its worker never reports


@scenario("p: {RUN, trigger: {every: 1h}, catchup: all, catchup_window: 9h, overlap: wait}")
def pause(world: CrashingWorld) -> None:
    world.tick(hours=1)
    running = world.claim("w1")
    world.processes_service(lambda service: service.pause("p", "broken site"))
    world.tick(hours=2)
    for attempt in running:
        world.end(attempt)
    world.work()
    world.processes_service(lambda service: service.resume("p"))
    world.work()


@scenario("""
    a: {RUN, trigger: {every: 1h}, retry: {max: 1, delay: 1m}}
    b: {RUN, trigger: {after: a}}
""")
def reprocess(world: CrashingWorld) -> None:
    world.tick(hours=1)
    world.work()
    for name in ("a", "b"):
        world.reprocess(f"{name}/@2026-01-01T01:00:00Z")
        world.tick(minutes=1)
        world.work(lambda attempt: "failed" if attempt.number == 2 else "succeeded")
        world.tick(minutes=10)
        world.work()


@scenario("""
    p: {RUN, trigger: {every: 1h}, overlap: wait, catchup: all, catchup_window: 9h}
    q: {RUN, trigger: {after: p}}
""")
def skip(world: CrashingWorld) -> None:
    world.tick(hours=3)
    running = world.claim("w1")
    for hour in (1, 2):
        world.skip(f"p/@2026-01-01T0{hour}:00:00Z")
    world.tick(minutes=1)
    for attempt in running:
        world.end(attempt)
    world.work()


@scenario(
    """
    daily: {RUN, qualifier: daily, trigger: {}}
    next: {RUN, qualifier: daily, trigger: {}, depends_on: [{process: daily, slot: -1}]}
    often: {RUN, trigger: {every: 6h}, history: 1}
    """,
    "gc: {retention: {jobs: 2d, attempts: 1d, events: 1h}}",
)
def garbage_collection(world: CrashingWorld) -> None:
    for _ in range(5):
        world.tick(days=1, minutes=20)
        world.work()
        world.collect()


@scenario("p: {RUN, trigger: {cron: '0 * * * *'}}\nq: {RUN, trigger: {after: p}}")
def deployments(world: CrashingWorld) -> None:
    world.tick(hours=1)
    running = world.claim("w1")
    hourly = f"{{{RUN}, trigger: {{cron: '0 * * * *'}}}}"
    world.deploy(f"processes: {{q: {hourly}, r: {hourly}}}")
    world.tick(hours=1)
    for attempt in running:
        world.end(attempt)
    world.work()
    world.tick(hours=1)
    world.work()


@scenario("p: {RUN, inputs: {x: '1'}}\nq: {RUN, trigger: {after: p}}")
def launches(world: CrashingWorld) -> None:
    world.processes_service(lambda service: service.launch("p", {"x": "2"}, "!1"))
    world.processes_service(lambda service: service.launch("p", {}, "!2", after=world.now))
    world.tick(minutes=1)
    world.work()
