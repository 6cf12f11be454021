"""SeedMarks: how far the seeding of a run has come."""

from __future__ import annotations

import zlib

import msgspec
import pytest

from scoopi.errors import RecordError
from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.store.jobs.job_records import NewJob
from scoopi.store.jobs.seed_marks import SeedMark, SeedMarks
from scoopi.store.ports import RUN, Change
from scoopi.store.settling_store import SettlingStore

KEPT = {"a:80": [NewJob("id", "a:80", JobPayload(Locator("p", "group", "http://a/"), "id"))]}


def mark(seeded: int) -> SeedMark:
    return SeedMark(seeded, {"a:80": 3}, {"a:80": 1}, KEPT)


def test_a_mark_is_read_as_it_was_moved(store: SettlingStore) -> None:
    ann = SeedMarks(store, "ann", "run")
    assert ann.read() is None
    for seeded in (10, 20):
        ann.move(mark(seeded))
        assert SeedMarks(store, "bob", "run").read() == mark(seeded)
    ann.remove()
    assert SeedMarks(store, "bob", "run").read() is None


def test_a_mark_is_read_by_nodes_of_other_versions(store: SettlingStore) -> None:
    SeedMarks(store, "ann", "run").move(mark(10))
    stands = store.get_all(RUN, ["seed-mark"])["seed-mark"]
    *counts, kept = msgspec.msgpack.decode(stands)
    assert counts == ["run", "ann", 10, {"a:80": 3}, {"a:80": 1}]
    payloads = {host: [job.payload for job in jobs] for host, jobs in KEPT.items()}
    assert zlib.decompress(kept) == msgspec.msgpack.encode(payloads)


def test_the_mark_of_an_earlier_life_of_the_run_does_not_count_and_is_replaced(store: SettlingStore) -> None:
    before, now = SeedMarks(store, "ann", "before"), SeedMarks(store, "ann", "now")
    before.move(mark(10))
    assert now.read() is None
    now.move(mark(5))
    assert now.read() == mark(5)


def test_a_node_that_seeds_beside_another_moves_no_mark_back(store: SettlingStore) -> None:
    frozen, bob = SeedMarks(store, "ann", "run"), SeedMarks(store, "bob", "run")
    frozen.move(mark(10))
    assert bob.read() == mark(10)
    bob.move(mark(20))
    for seeded in (15, 30):
        frozen.move(mark(seeded))
        assert bob.read() == mark(20)
    assert frozen.read() == mark(20), "having read it, the node may move it again"
    frozen.move(mark(30))
    assert bob.read() == mark(30)


def test_a_damaged_mark_is_reported(store: SettlingStore) -> None:
    ann = SeedMarks(store, "ann", "run")
    ann.move(mark(10))
    stands = store.get_all(RUN, ["seed-mark"])["seed-mark"]
    store.cas_all(RUN, [Change("seed-mark", stands, stands[:-4] + b"none")])
    with pytest.raises(RecordError, match="seed-mark"):
        SeedMarks(store, "bob", "run").read()
