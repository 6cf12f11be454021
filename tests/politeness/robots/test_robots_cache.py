"""RobotsCache: the task runner asks without waiting, the job runner brings the answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from scoopi.model.robots import RobotsAnswer, RobotsKind, RobotsLine
from scoopi.politeness.robots.robots_cache import ROUND_S, RobotsCache, RobotsRequest
from scoopi.politeness.robots.robots_store import RobotsStore
from scoopi.store.solo.sqlite_store import SqliteStore

HOST = "a.example:80"
SOUGHT = RobotsRequest("http://a.example/robots.txt")
RULES = RobotsAnswer(RobotsKind.KNOWN, (RobotsLine(2, "Disallow: /x"),), "200")

Make = Callable[[str], RobotsCache]


@pytest.fixture
def now() -> list[float]:
    """The time, which the test moves."""
    return [0.0]


@pytest.fixture
def woken() -> Counter[str]:
    """How often each thread was woken."""
    return Counter()


@pytest.fixture
def make(tmp_path: Path, now: list[float], woken: Counter[str]) -> Make:
    """Makes the cache of a node; all share one store."""
    store = SqliteStore(tmp_path / "store.db")

    def make(node: str) -> RobotsCache:
        kept = RobotsStore(store, node, lambda other: False)
        rounds, tasks = (lambda: woken.update(["rounds"])), (lambda: woken.update(["tasks"]))
        return RobotsCache(kept, rounds, tasks, lambda: now[0])

    return make


def both_seek(one: RobotsCache, two: RobotsCache) -> None:
    """Two nodes need the file of a host, the first of which gets it to read."""
    for node in (one, two):
        node.seek(HOST, SOUGHT)
        node.round()


def test_a_host_is_sought_once_and_given_to_this_node_to_read(make: Make, woken: Counter[str]) -> None:
    cache = make("one")
    cache.seek(HOST, SOUGHT)
    cache.seek(HOST, SOUGHT)
    assert (woken, cache.take_news()) == ({"rounds": 1}, [])
    cache.round()
    assert cache.take_news() == [(HOST, SOUGHT)]
    assert woken["tasks"] == 1
    cache.round()
    assert cache.take_news() == []


def test_rules_that_this_node_has_read_are_used_at_once_and_reach_other_nodes(
    make: Make, now: list[float]
) -> None:
    one, two = make("one"), make("two")
    both_seek(one, two)
    assert two.take_news() == [], "another node reads it"
    one.answered(HOST, RULES)
    rules = one.rules(HOST)
    assert rules is not None
    assert rules.refusal("http://a.example/x")
    one.round()
    two.round()
    assert two.take_news() == [], "the store is not asked at each round"
    now[0] += ROUND_S
    two.round()
    assert two.take_news() == [(HOST, None)]
    assert two.rules(HOST) is not None


def test_a_file_that_did_not_come_is_not_kept(make: Make) -> None:
    cache = make("one")
    cache.answered(HOST, RobotsAnswer(RobotsKind.LATER))
    cache.round()
    assert cache.rules(HOST) is None


def test_a_file_that_this_node_does_not_read_after_all_is_read_by_another(
    make: Make, now: list[float], woken: Counter[str]
) -> None:
    one, two = make("one"), make("two")
    both_seek(one, two)
    woken.clear()
    one.released(HOST)
    assert woken["rounds"] == 1
    one.round()
    now[0] += ROUND_S
    two.round()
    assert two.take_news() == [(HOST, SOUGHT)]


def test_a_file_that_is_sought_again_before_it_is_released_stays_with_this_node(
    make: Make, now: list[float]
) -> None:
    one, two = make("one"), make("two")
    one.seek(HOST, SOUGHT)
    one.round()
    one.take_news()
    one.released(HOST)
    one.seek(HOST, SOUGHT)
    one.round()
    assert one.take_news() == [(HOST, SOUGHT)]
    two.seek(HOST, SOUGHT)
    two.round()
    assert two.take_news() == []


def test_a_request_may_ask_private_hosts_unless_its_jobs_may_not(make: Make) -> None:
    cache = make("one")
    public = RobotsRequest("http://b.example/robots.txt", public_only=True)
    cache.seek(HOST, SOUGHT)
    cache.seek("b.example:80", public)
    cache.round()
    assert dict(cache.take_news()) == {HOST: SOUGHT, "b.example:80": public}
    assert not SOUGHT.public_only


def test_a_host_that_another_node_reads_holds_up_no_other_host(make: Make) -> None:
    one, two = make("one"), make("two")
    both_seek(one, two)
    one.seek("b.example:80", SOUGHT)
    one.round()
    two.seek("b.example:80", SOUGHT)
    two.seek("c.example:80", SOUGHT)
    two.round()
    assert two.take_news() == [("c.example:80", SOUGHT)]
