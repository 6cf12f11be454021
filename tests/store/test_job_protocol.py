"""Every job ends once, whatever is lost, doubled or killed between two writes (a seeded simulation)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

import pytest

from scoopi.errors import StoreError
from scoopi.model.job import JobPayload, JobState
from scoopi.model.locator import Locator
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.jobs.job_records import Ended, Ending, NewJob, Postponed, TakenJob
from scoopi.store.jobs.job_store import LARGE, JobStore
from scoopi.store.ports import JOBS, PAYLOADS, Store
from scoopi.store.settling_store import SettlingStore
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.cluster.grids import new_run
from tests.store.faulty_store import Faults, FaultyStore, NodeDied

HOSTS = ("a", "b")
SEEDS = tuple(f"s{number}" for number in range(12))
LEFT_OVER = (318,)
"""In these worlds a node dies between the payload and the record of a job that has ended before."""
Frame = tuple[str, str, int]
Move = Callable[[], object]


def children(job: str) -> list[str]:
    """The links of a page: two below each seed, one below each of these."""
    return {1: [f"{job}-0", f"{job}-1"], 2: [f"{job}-0"]}.get(job.count("-") + 1, [])


ALL = {*SEEDS, *(f"{seed}-{n}" for seed in SEEDS for n in (0, 1))}
ALL |= {f"{job}-0" for job in list(ALL) if job.count("-") == 1}


def new_job(job: str) -> NewJob:
    """The pages at the end of the links have payloads that stand apart."""
    host = HOSTS[len(job) % 2]
    url = job * (LARGE if job.count("-") == 2 else 1)
    return NewJob(job, host, JobPayload(Locator(job, "g", url), seed=job))


class Node:
    """One incarnation: takes jobs, puts their children, commits their frames, ends them."""

    def __init__(self, incarnation: str, store: Store, frames: set[Frame], random: Random) -> None:
        self.incarnation = incarnation
        self.jobs = JobStore(store, incarnation)
        self.frames = frames
        self.random = random
        self.held: dict[str, TakenJob] = {}
        self.ended: set[tuple[str, int]] = set()
        self.half_put: set[str] = set()

    def put(self, jobs: Sequence[str]) -> None:
        """Put jobs; notes what it was at, should it die between a payload and its record."""
        self.half_put.update(jobs)
        self.jobs.put([new_job(job) for job in jobs])
        self.half_put.difference_update(jobs)

    def take(self) -> None:
        for job in self.jobs.take(self.random.choice(HOSTS), self.random.randint(1, 4)):
            self.held[job.id] = job

    def work(self) -> None:
        """Some of the held jobs: children before frame before end."""
        done = [job for job in self.held.values() if self.random.random() < 0.7]
        self.put([child for job in done for child in children(job.id)])
        self.frames.update((job.id, self.incarnation, job.fence) for job in done)
        endings = [Ending(job.id, job.fence, JobState.DONE) for job in done]
        for ending, counts in zip(endings, self.jobs.finished.end(endings), strict=True):
            del self.held[ending.id]
            if counts:
                self.ended.add((ending.id, ending.fence))

    def hand_back(self) -> None:
        fresh = [
            job for job in self.held.values() if (job.id, self.incarnation, job.fence) not in self.frames
        ]
        if fresh:
            self.jobs.hand_back(fresh[:1])
            del self.held[fresh[0].id]

    def postpone(self) -> None:
        """Some of the held jobs have failed to load, and wait."""
        failed = [job for job in self.held.values() if self.random.random() < 0.4]
        fresh = [job for job in failed if (job.id, self.incarnation, job.fence) not in self.frames]
        self.jobs.waiting.postpone([Postponed(job.id, job.fence, 1000, "timeout") for job in fresh])
        for job in fresh:
            del self.held[job.id]

    def make_ready(self) -> None:
        self.jobs.waiting.make_ready([job.id for job in self.jobs.waiting.here()])

    def tidy(self) -> None:
        self.jobs.finished.bury()
        self.jobs.reconcile(set(self.held), self._committed)

    def _committed(self, job: str, fence: int) -> JobState | None:
        return JobState.DONE if (job, self.incarnation, fence) in self.frames else None


class World:
    """Nodes over one store, some of them dead, some asleep."""

    def __init__(self, inner: Store, seed: int, moves: bool = False) -> None:
        self.inner = inner
        self.moves = moves
        self.random = Random(seed)
        self.plain = JobStore(inner, "observer")
        self.frames: set[Frame] = set()
        self.everyone: list[Node] = []
        self.dead: list[str] = []
        self.sleepers: list[Node] = []
        self.remembered: dict[str, Ended] = {}
        self.faults = 0
        self.live = [self.born() for _ in range(3)]

    def born(self) -> Node:
        random, number = self.random, len(self.everyone)
        dies_after = random.randint(1, 60) if random.random() < 0.7 and number < 12 else None
        faults = Faults(
            lose_first_answers=random.random() < 0.3,
            deliver_twice=random.random() < 0.5,
            lost_answers=0.2,
            torn=0.2,
            unreadable=0.05,
            moves=self.moves,
            dies_after=dies_after,
        )
        store = SettlingStore(FaultyStore(self.inner, faults, seed=random.randrange(10**6)), tries=3)
        node = Node(f"n{number}", store, self.frames, random)
        self.everyone.append(node)
        return node

    def step(self) -> None:
        place = self.random.randrange(len(self.live))
        node = self.live[place]
        moves: list[Move] = [
            node.take,
            node.take,
            node.work,
            node.work,
            node.hand_back,
            node.postpone,
            node.make_ready,
            node.tidy,
            self.seed(node),
        ]
        moves += [self.rescue(node), self.falls_asleep(place), self.wakes]
        before = set(self.remembered)
        held = set(node.held)
        try:
            self.random.choice(moves)()
        except StoreError:
            self.faults += 1
        except NodeDied:
            self.faults += 1
            self.dead.append(node.incarnation)
            self.live[place] = self.born()
        assert before.isdisjoint(set(node.held) - held), "an ended job was taken to be run"
        self.remember()

    def seed(self, node: Node) -> Move:
        return lambda: node.put(SEEDS)

    def rescue(self, node: Node) -> Move:
        return lambda: [(node.jobs.take_back(dead), node.jobs.waiting.adopt(dead)) for dead in self.dead]

    def falls_asleep(self, place: int) -> Move:
        def fall() -> None:
            if self.random.random() < 0.3:
                self.sleepers.append(self.live[place])
                self.dead.append(self.live[place].incarnation)
                self.live[place] = self.born()

        return fall

    def wakes(self) -> None:
        """A sleeper does what it was about to do, long after it was taken for lost."""
        if self.sleepers:
            sleeper = self.random.choice(self.sleepers)
            with self.may_die():
                sleeper.work()

    @contextmanager
    def may_die(self) -> Iterator[None]:
        try:
            yield
        except NodeDied:
            self.faults += 1

    def remember(self) -> None:
        """What has ended stays ended, by the same take."""
        now = self.plain.finished.ended(sorted(ALL))
        for job, end in self.remembered.items():
            assert now[job] == end
        self.remembered = now

    def finish(self) -> None:
        """No more faults: a last node does what is left."""
        last = Node("last", self.inner, self.frames, self.random)
        last.jobs.put([new_job(job) for job in SEEDS])
        self.everyone.append(last)
        for _ in range(200):
            for node in self.everyone[:-1]:
                last.jobs.take_back(node.incarnation)
                last.jobs.waiting.adopt(node.incarnation)
            last.make_ready()
            last.take()
            last.work()
            last.tidy()
            self.remember()
            if last.jobs.nothing_left():
                return
        raise AssertionError("the run does not come to its end")


@pytest.fixture
def inner(tmp_path: Path) -> Iterator[Store]:
    """The store that all nodes share."""
    store = SqliteStore(tmp_path / "store.db")
    yield store
    store.close()


@pytest.mark.parametrize("seed", [*range(24), *LEFT_OVER])
def test_every_job_ends_once_whatever_is_lost_or_doubled_or_killed(inner: Store, seed: int) -> None:
    assert_every_job_ends_once(inner, seed, steps=200)


@pytest.mark.parametrize("seed", range(24))
def test_every_job_ends_once_where_the_end_of_a_job_is_one_write(inner: Store, seed: int) -> None:
    assert_every_job_ends_once(inner, seed, steps=200, moves=True)


def test_every_job_ends_once_also_on_a_real_grid(cluster: ClusterClient) -> None:
    with new_run(cluster) as store:
        assert_every_job_ends_once(SettlingStore(store), seed=1, steps=50)


def test_every_job_ends_once_also_behind_a_network_that_cuts_and_drops(faulty_cluster: ClusterClient) -> None:
    random, frames = Random(5), set[Frame]()
    with new_run(faulty_cluster) as store:
        nodes = [Node(f"n{number}", SettlingStore(store), frames, random) for number in range(3)]
        assert any(acknowledged(lambda: nodes[0].put(SEEDS)) for _ in range(10))
        for _ in range(100):
            acknowledged(random.choice(all_moves(random.choice(nodes))))
        assert any(do_what_is_left(nodes) for _ in range(100)), "the run does not come to its end"
        ended = all_ended(nodes[0].jobs)
        assert set(ended) == ALL
        assert {(job, end.incarnation, end.fence) for job, end in ended.items()} <= frames


def all_moves(node: Node) -> list[Move]:
    return [node.take, node.work, node.hand_back, node.postpone, node.make_ready, node.tidy]


def acknowledged(move: Move) -> bool:
    """Make a move; whether the store has acknowledged it."""
    try:
        move()
    except StoreError:
        return False
    return True


def do_what_is_left(nodes: Sequence[Node]) -> bool:
    """A round of the moves that lead to the end; whether nothing is left."""
    for node in nodes:
        moves: list[Move] = [node.make_ready, node.take, node.work, node.tidy]
        for move in moves:
            acknowledged(move)
    with suppress(StoreError):
        return nodes[0].jobs.nothing_left()
    return False


def all_ended(jobs: JobStore) -> dict[str, Ended]:
    return dict(end for page in jobs.finished.pages() for end in page)


def assert_every_job_ends_once(inner: Store, seed: int, steps: int, moves: bool = False) -> None:
    world = World(inner, seed, moves)
    for _ in range(steps):
        world.step()
    world.finish()
    assert world.faults > 3
    ended = all_ended(world.plain)
    assert set(ended) == ALL
    counted = [(job, node.incarnation, fence) for node in world.everyone for job, fence in node.ended]
    named = {(job, end.incarnation, end.fence) for job, end in ended.items()}
    assert named <= world.frames, "each end names a committed frame"
    assert set(counted) <= named, "no node counts an end that the store does not"
    assert inner.count(JOBS) == 0
    left = {key for key, _ in inner.scan(PAYLOADS, None, len(ALL))}
    half_put = {job for node in world.everyone for job in node.half_put}
    assert left <= half_put, "a payload stays only where a node died before it put the record"
    assert moves or bool(left) == (seed in LEFT_OVER)


@pytest.mark.parametrize("writes", range(15))
def test_a_node_that_dies_between_any_two_writes_is_made_good(inner: Store, writes: int) -> None:
    assert_its_death_is_made_good(inner, writes)


@pytest.mark.parametrize("writes", [2, 5, 8, 11, 14])
def test_a_node_that_dies_between_two_writes_to_a_real_grid_is_made_good(
    cluster: ClusterClient, writes: int
) -> None:
    with new_run(cluster) as store:
        assert_its_death_is_made_good(SettlingStore(store), writes)


@pytest.mark.parametrize("writes", range(11))
def test_a_node_that_dies_between_two_writes_one_of_which_ends_a_job_is_made_good(
    inner: Store, writes: int
) -> None:
    assert_its_death_is_made_good(inner, writes, moves=True)


def assert_its_death_is_made_good(inner: Store, writes: int, moves: bool = False) -> None:
    """Two jobs, one the child of the other: it dies before each of their 14 writes, or after all.

    Where the end of a job is one write, there are 10.
    """
    frames: set[Frame] = set()
    dying = FaultyStore(inner, Faults(dies_after=writes, moves=moves))

    def run(node: Node) -> None:
        node.jobs.put([new_job("s1-0")])
        for _ in range(2):
            for host in HOSTS:
                for job in node.jobs.take(host, 5):
                    node.jobs.put([new_job(child) for child in children(job.id)])
                    frames.add((job.id, node.incarnation, job.fence))
                    assert node.jobs.finished.end([Ending(job.id, job.fence, JobState.DONE)]) == [True]

    with pytest.raises(NodeDied):
        run(Node("first", SettlingStore(dying), frames, Random(1)))
    assert dying.writes == writes
    second = Node("second", inner, frames, Random(1))
    second.jobs.take_back("first")
    second.jobs.finished.bury()
    run(second)
    assert second.jobs.nothing_left()
    ended = second.jobs.finished.ended(["s1-0", "s1-0-0"])
    assert {(job, end.incarnation, end.fence) for job, end in ended.items()} <= frames
    assert len(ended) == 2
