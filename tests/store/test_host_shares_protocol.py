"""A site sees the promised rate, whatever nodes and store do (a seeded simulation)."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest

from scoopi.configs.groups import FetchLimits
from scoopi.errors import StoreError
from tests.store.faulty_store import Faults
from tests.store.host_share_world import Node, World

LIMITS = (
    FetchLimits(1, 1000),
    FetchLimits(3, 400),
    FetchLimits(1, 0),
    FetchLimits(5, 0),
)


def disturb(world: World, random: Random) -> None:
    """Now and then a node is killed, leaves, sleeps, is cut off, or another joins."""
    node = random.choice(world.nodes)
    event = random.choice(["die", "leave", "sleep", "cut", "join", "interlude", "work", "work", "rest"])
    if event in ("die", "leave") and len(world.nodes) > 2:
        node.die() if event == "die" else node.leave()
    elif event == "join" and len(world.nodes) < 5:
        world.join()
    elif event == "sleep":
        node.asleep_until = world.now + random.choice([3, 9, 18, 30])
    elif event == "cut":
        node.cut_off_until = world.now + random.choice([3, 9, 18, 30])
    elif event == "interlude":
        node.interlude = lambda: sleeps_in_a_write(world, random, node)
    elif event == "work":
        node.needs[random.choice(world.hosts)] = random.choice([1, 3, 40])
        node.wants = {host for host in world.hosts if random.random() < 0.6}
    elif event == "rest":
        node.wants = set()


def sleeps_in_a_write(world: World, random: Random, node: Node) -> None:
    """What the node is about to write is written much later; its heart may go on beating meanwhile."""
    seconds = random.choice([0.5, 3, 20])
    if random.random() < 0.7:
        node.asleep_until = world.now + seconds
    world.pass_s(seconds)


@pytest.mark.parametrize("limits", LIMITS, ids=lambda limits: f"{limits.parallelism}-{limits.delay_ms}")
@pytest.mark.parametrize("seed", range(6))
def test_the_hosts_own_logs_keep_the_promise_whatever_happens(limits: FetchLimits, seed: int) -> None:
    random = Random(seed)
    faults = Faults(
        lose_first_answers=seed % 3 == 0,
        deliver_twice=seed % 2 == 0,
        lost_answers=0.15,
        torn=0.15,
        unreadable=0.05,
    )
    world = World(limits, random, faults=faults, longest_s=random.choice([0.3, 2.5]))
    world.ahead = random.choice([0, 1, 4])
    world.crawl_s = random.choice([0, 3])
    for _ in range(3):
        world.join().wants = set(world.hosts)
    for _ in range(100):
        world.pass_s(random.choice([0.2, 1, 2]))
        disturb(world, random)
        make_late_writes(world, random)
    world.check()
    assert sum(node.errors for node in world.everyone) > 5
    assert len(world.ledger) > 10


def make_late_writes(world: World, random: Random) -> None:
    """Some writes that were given up are made after all, some are never made."""
    for node in world.nodes:
        node.late.late_share = 0.1
        random.shuffle(node.late.late)
        for write in node.late.late[: random.randrange(3)]:
            with suppress(StoreError):
                write()
            node.late.late.remove(write)
    for host in world.hosts:
        world.check_record(host)


@pytest.mark.parametrize("crawl_s", [0, 4])
@pytest.mark.parametrize("seed", range(8))
def test_when_the_faults_end_every_node_gets_what_it_asks_for(seed: int, crawl_s: float) -> None:
    random = Random(seed)
    faults = Faults(lost_answers=0.1, torn=0.2, unreadable=0.05)
    world = World(FetchLimits(1, 500), random, faults=faults, crawl_s=crawl_s)
    for _ in range(3):
        world.join().needs["a"] = 20
    for _ in range(15):
        world.pass_s(1)
        disturb(world, random)
    for node in world.nodes:
        node.asleep_until = node.cut_off_until = 0
        node.wants, node.needs = set(), dict.fromkeys(world.hosts, 2)
    world.pass_s(90 + 30 * crawl_s)
    assert all(not any(node.needs.values()) for node in world.nodes)
    assert all(not world.record(host).parties for host in world.hosts), "and gives back what it has"
    world.check()
