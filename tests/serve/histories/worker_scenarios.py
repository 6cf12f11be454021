"""Scenarios of workers: groups, losses, timeouts, and attempts that are not ready."""

from __future__ import annotations

from scoopi.model.schedule.run_node import RUN
from scoopi.model.schedule.schedule_records import AttemptRecord
from scoopi.serve.claims.attempt_claims import AttemptClaims
from scoopi.serve.claims.claim import Claim
from scoopi.serve.claims.node_claims import NodeClaims
from scoopi.serve.state import State
from tests.serve.histories.crashing_world import CrashingWorld
from tests.serve.histories.scenarios import scenario


@scenario(
    """
    any: {RUN, trigger: {every: 1h}, catchup: all, catchup_window: 9h}
    big: {RUN, trigger: {every: 1h}, groups: [fast, slow]}
    none: {RUN, trigger: {every: 1h}, groups: [nobody], timeout: {queue: 90m}}
    """,
    "start_limit: 2",
)
def workers_and_groups(world: CrashingWorld) -> None:
    world.worker("w2", 1, ("fast", "default"))
    world.worker("w3", 1, ("slow",))
    world.tick(hours=3)
    world.work("succeeded", "w1", "w2", "w3")
    world.tick(hours=1)
    world.work("succeeded", "w3", "w2", "w1")


@scenario("""
    pauses: {RUN, trigger: {every: 1h}, groups: [gpu], no_worker: pause}
    fails: {RUN, trigger: {every: 1h}, groups: [gpu], no_worker: fail, retry: {max: 1, delay: 90m}}
""")
def no_worker_of_a_group(world: CrashingWorld) -> None:
    world.tick(hours=1)
    world.worker("w2", 9, ("gpu",))
    world.tick(hours=2)
    world.work("succeeded", "w2")


@scenario("p: {RUN, trigger: {every: 1h}, catchup: all, catchup_window: 9h}")
def lost_workers(world: CrashingWorld) -> None:
    world.worker("w2")
    world.tick(hours=3)
    first = world.claim("w1") + world.claim("w2")
    world.pass_beats(4, "w2")
    world.tick(minutes=1)
    again = world.claim("w2")
    for attempt in [*first, *again]:  # w1 wakes up, and is too late
        world.end(attempt)
    world.work("succeeded", "w2")
    world.pass_beats(1, "w1", "w2")
    world.tick(hours=1)
    world.work("succeeded", "w1", "w2")


@scenario(
    "p: {executes: 'external:press', trigger: {every: 1h}, retry: {stale_after: 20m, max: 1, delay: 1m}}"
)
def external_workers(world: CrashingWorld) -> None:
    world.external_worker("e1")
    world.tick(hours=1)
    (attempt,) = world.claim("e1", {"p": "press"})
    world.tick(minutes=30)  # stale
    world.tick(minutes=3)  # and offered again
    (again,) = world.claim("e1", {"p": "press"})
    for each in (attempt, again):
        world.end(each, "failed")
    world.tick(minutes=5)
    for each in world.claim("e1", {"p": "press"}):
        world.end(each)
    world.tick(minutes=1)


@scenario("""
    run: {RUN, trigger: {every: 1h}, timeout: {run: 10m}, retry: {max: 1, delay: 10m}}
    beat: {RUN, trigger: {every: 1h}, timeout: {heartbeat: 10m}, retry: {max: 0}}
""")
def timeouts(world: CrashingWorld) -> None:
    world.tick(hours=1)
    running = world.claim("w1")
    world.tick(minutes=15)
    for attempt in running:
        world.end(attempt)
    world.tick(minutes=15)
    world.work()


@scenario("""
    off: {RUN, trigger: {every: 1h}, enabled: false}
    skips: {RUN, trigger: {every: 1h}, enabled: false, when_disabled: skip}
    later: {RUN, trigger: {every: 1h, jitter: 20m}}
    slow: {RUN, trigger: {every: 1h}, inputs: {x: "${slot.key}"}}
""")
def disabled_and_not_ready(world: CrashingWorld) -> None:
    asked: list[str] = []

    def status(attempt: AttemptRecord) -> str:
        asked.append(attempt.attempt)
        return "not_ready" if attempt.process == "slow" and asked.count(attempt.attempt) == 1 else "succeeded"

    world.tick(hours=1)
    world.work(status)
    world.tick(minutes=30)
    world.work(status)


def _end_node(world: CrashingWorld, claim: Claim) -> None:
    """The worker w2 reports the end of a node, if it may."""
    world.allowed(lambda state: NodeClaims(state.store, "w2").end(claim))


def claim_nodes(world: CrashingWorld, worker: str) -> list[Claim]:
    """Claim the further nodes that are placed on a worker; one that died offers its claims again first."""

    def claimed(state: State) -> list[Claim]:
        claims = NodeClaims(state.store, worker)
        for left in claims.left():
            claims.hand_back(left)
        state.passes.run(world.now)
        return claims.claim(world.now, 9)

    return world.do(claimed)


@scenario("p: {executes: {scrape: books, nodes: 3}, trigger: {every: 1h}}")
def nodes_of_a_run(world: CrashingWorld) -> None:
    world.worker("w2")
    world.tick(hours=1)
    (first,) = world.claim("w1")
    world.do(lambda state: AttemptClaims(state.store).progress(first, first.fence, world.now, {RUN: "p-1"}))
    world.tick(minutes=1)
    lost = claim_nodes(world, "w2")
    world.pass_beats(4, "w1")
    world.tick(minutes=1)  # w2 is lost, and its nodes are placed on w1
    claim_nodes(world, "w1")
    for claim in lost:  # w2 wakes up, and is too late
        _end_node(world, claim)
    world.end(first)
    world.tick(minutes=1)
