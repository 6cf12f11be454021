"""Scenarios of what is due: fires, periods, iterations, dependencies, deadlines and overlap."""

from __future__ import annotations

from tests.serve.histories.crashing_world import CrashingWorld
from tests.serve.histories.scenarios import scenario


@scenario("p: {RUN, trigger: {every: 1h}, retry: {max: 2, delay: 10m, backoff: 2, jitter: 0.5}}")
def retry(world: CrashingWorld) -> None:
    world.tick(hours=1)
    for status in ("failed", "error", "failed"):
        world.work(status)
        world.tick(minutes=50)


@scenario(
    "p: {RUN, trigger: {every: 1h}, catchup: all, catchup_window: 6h, overlap: wait}", "max_new_slots: 2"
)
def catch_up_all(world: CrashingWorld) -> None:
    world.tick(hours=5, minutes=10)
    world.work()


@scenario("""
    latest: {RUN, trigger: {cron: "0 * * * *"}, catchup: latest, catchup_window: 6h}
    none: {RUN, trigger: {cron: "0 * * * *"}, catchup: none}
""")
def catch_up_latest_and_none(world: CrashingWorld) -> None:
    world.tick(hours=5, minutes=10)
    world.work()
    world.tick(minutes=50)
    world.work()


@scenario("""
    finish: {RUN, lookback: 1, trigger: {slots: iterations, cron: "0 * * * *"}}
    cancel: {RUN, lookback: 1, trigger: {slots: iterations, cron: "0 * * * *"}, on_window_exit: cancel}
""")
def iterations_by_cron(world: CrashingWorld) -> None:
    world.tick(hours=1, minutes=1)
    running = world.claim("w1")
    for _ in range(3):
        world.tick(hours=1)
    for attempt in running:
        world.end(attempt)
    world.work()


@scenario("p: {RUN, trigger: {slots: iterations, source: after_completion, every: 10m}, lookback: 2}")
def iterations_after_completion(world: CrashingWorld) -> None:
    for status in ("succeeded", "noop", "canceled", "failed"):
        world.tick(minutes=30)
        world.work(status)
    world.tick(minutes=30)


@scenario("""
    a: {RUN, trigger: {every: 1h}}
    b: {RUN, trigger: {every: 1h}}
    c: {RUN, trigger: {after: [a, b]}}
    d: {RUN, trigger: {after: c}}
""")
def after(world: CrashingWorld) -> None:
    world.tick(hours=1)
    world.work(lambda attempt: "failed" if attempt.process == "b" else "succeeded")
    world.tick(hours=1)
    world.work()


@scenario("""
    first: {RUN, qualifier: daily, trigger: {}, retry: {max: 0, on_exhausted: fail}}
    waits: {RUN, qualifier: daily, trigger: {}, depends_on: [first]}
    fails: {RUN, qualifier: daily, trigger: {}, depends_on: [{process: first, when_failed: fail}]}
    skips: {RUN, qualifier: daily, trigger: {}, depends_on: [{process: first, when_failed: skip}]}
    runs: {RUN, qualifier: daily, trigger: {}, depends_on: [{process: first, slot: -1, when_failed: run}]}
""")
def depends_on(world: CrashingWorld) -> None:
    world.tick(days=1, minutes=10)
    world.work(lambda attempt: "failed" if attempt.process == "first" else "succeeded")
    world.tick(days=1)
    world.work()
    world.jobs_service(lambda service: service.reprocess("first/D:2026010100"))
    world.tick(minutes=1)
    world.work()


@scenario(
    "p: {RUN, trigger: {every: 1h}, retry: {max: 1, delay: 10m}, notify: "
    "[{when: [running, canceling, canceled], via: [mail]}, {when: [canceling], via: [page]}]}",
)
def notices_of_what_workers_do(world: CrashingWorld) -> None:
    world.tick(hours=1)
    (attempt,) = world.claim("w1")
    world.tick(minutes=1)
    world.end(attempt, "failed")  # and no pass has seen the next one run
    world.tick(minutes=20)
    world.work("succeeded")
    world.tick(hours=1)
    (attempt,) = world.claim("w1")
    world.cancel(attempt.job, "step")
    world.see_wishes("w1")
    world.tick(minutes=1)
    world.end(attempt)
    world.tick(hours=1)
    (attempt,) = world.claim("w1")
    world.cancel(attempt.job, "drain")
    world.see_wishes("w1")
    world.end(attempt, "canceled")
    world.tick(minutes=1)


@scenario(
    "p: {RUN, trigger: {every: 1h}, history: 1, retry: {max: 1, delay: 10m}, notify: "
    "[{when: [succeeded, failed, processed, skipped, noop], via: [mail]}, {when: [failed], via: [page]}]}",
)
def notices(world: CrashingWorld) -> None:
    for status in ("failed", "succeeded", "noop", "canceled"):
        world.tick(minutes=30)
        world.work(status)
    world.tick(minutes=30)


@scenario(
    """
    fails: {RUN, trigger: {every: 1h}, deadline: {after: created, within: 30m, then: fail}}
    late: {RUN, trigger: {every: 1h}, deadline: {after: slot_start, within: 30m, then: notify}}
    never: {RUN, trigger: {every: 1h}, start_deadline: 20m}
    stuck: {RUN, qualifier: daily, trigger: {}, depends_on: [bad]}
    bad: {RUN, qualifier: daily, trigger: {}, retry: {max: 0, on_exhausted: fail}}
    """,
    "stuck_after: 2h, notify: [{when: [deadline, missed, stuck], via: [mail]}]",
)
def deadlines(world: CrashingWorld) -> None:
    world.tick(hours=1)
    running = world.claim("w1", limit=1)
    world.tick(minutes=45)
    for attempt in running:
        world.end(attempt)
    world.tick(days=1)
    world.work("failed")
    world.tick(hours=3)
    world.work()


OVERLAPS = ("wait", "skip", "remind", "buffer_one", "allow", "cancel_running")


def _overlapping(world: CrashingWorld) -> None:
    world.tick(hours=1)
    running = world.claim("w1")
    for _ in range(3):
        world.tick(hours=1)
        running += world.claim("w1")
    for attempt in running:
        world.end(attempt)
    world.work()


for _overlap in OVERLAPS:
    _overlapping.__name__ = f"overlap_{_overlap}"
    scenario(f"p: {{RUN, trigger: {{every: 1h}}, overlap: {_overlap}}}")(_overlapping)


@scenario("""
    often: {RUN, qualifier: daily, trigger: {every: 6h}, machine: continuous}
    again: {RUN, qualifier: daily, trigger: {every: 6h}, machine: recomputing, retry: {max: 1, delay: 1m}}
    groups: {RUN, qualifier: hourly, grouping: 12, trigger: {}}
""")
def periods(world: CrashingWorld) -> None:
    for _ in range(5):
        world.tick(hours=6, minutes=10)
        world.work(lambda attempt: "noop" if attempt.process == "groups" else "succeeded")
