"""ClusterAdmin: figures, cancel and forget of runs, asked from outside; the runs are in a real PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

import msgspec
import pytest

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import RunError, UsageError
from scoopi.model.scrape.definitions import Definitions
from scoopi.model.text.store_url import parse_store_url
from scoopi.runs.cluster.cluster_admin import ClusterAdmin
from scoopi.runs.cluster.cluster_runs import runs_of
from scoopi.runs.composed import Composed
from scoopi.runs.run_request import RunRequest
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.nodes.membership import Membership
from scoopi.store.nodes.node_record import NodeLoad
from scoopi.store.ports import RUN, Store
from scoopi.store.runs.run_record import RunCancel, RunPhase, RunRecord
from scoopi.store.shared_backend import SharedBackend, open_backend

NOW = datetime(2026, 1, 1, tzinfo=UTC)
BEAT_S = 0.005
COMPOSED = Composed(Definitions({}, {}, {}, "d1"), (), {}, NOW, "/", "/home/ann/books", {}, {}, "r1")


def never(_: Sequence[str]) -> bool:
    raise AssertionError("nobody works on it")


@pytest.fixture
def backend(postgres_url: str) -> Iterator[SharedBackend]:
    """What the nodes of the runs are connected to."""
    backend = open_backend(ClusterSettings((), store=parse_store_url(postgres_url)), "n1")
    yield backend
    backend.close()


@pytest.fixture
def admin(postgres_url: str, backend: SharedBackend) -> Iterator[ClusterAdmin]:
    settings = {"scoopi.cluster.store": postgres_url, "scoopi.cluster.heartbeat": "100"}
    with ClusterAdmin(RunRequest(overrides=settings)) as admin:
        yield admin


@pytest.fixture
def begun(backend: SharedBackend) -> Callable[[str], Store]:
    """Begins a run of that name, of which all is kept."""

    def begin(run: str) -> Store:
        maps, _ = runs_of(backend, "n1").enter(run)
        store = backend.store(maps)
        Barricade(store, "setup", "n1").compose_once(lambda: msgspec.msgpack.encode(COMPOSED), 1000)
        RunRecord(store, "n1").create("r1")
        return store

    return begin


@contextmanager
def beating(membership: Membership) -> Iterator[None]:
    """The node beats until the end of the block, or until its run is gone."""
    ended = threading.Event()
    membership.beat(NodeLoad(0, True))

    def beat() -> None:
        with suppress(RunError):
            while not ended.wait(BEAT_S):
                membership.beat(NodeLoad(0, True))

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def over(store: Store) -> None:
    record = RunRecord(store, "n1")
    for move in (record.mark_seeded, record.to_ending, record.to_over):
        move()


def test_without_a_cluster_there_is_nothing_to_ask() -> None:
    with pytest.raises(UsageError, match="no cluster given") as refused:
        ClusterAdmin(RunRequest())
    assert "--cluster HOST:PORT" in (refused.value.hint or "")


def test_the_figures_are_those_of_one_run_or_of_all(
    admin: ClusterAdmin, begun: Callable[[str], Store]
) -> None:
    for run in ("books", "towns"):
        begun(run)
    assert sorted(figures.run for figures in admin.figures(None).runs) == ["books", "towns"]
    (books,) = admin.figures("books").runs
    assert (books.run, books.fault) == ("books", "")
    assert admin.figures("books").is_database


def test_a_damaged_run_does_not_hide_the_others(admin: ClusterAdmin, begun: Callable[[str], Store]) -> None:
    begun("books")
    damaged = begun("towns")
    state = damaged.get_all(RUN, ["run"])
    assert state
    damaged.delete_all(RUN, ["run"])
    damaged.put_if_absent_all(RUN, [("run", b"?")])
    states = {figures.run: figures for figures in admin.figures(None).runs}
    assert states["towns"].fault
    assert not states["books"].fault


def test_an_unknown_run_is_named_beside_those_that_are_known(
    admin: ClusterAdmin, begun: Callable[[str], Store]
) -> None:
    with pytest.raises(RunError, match="knows no run 'shop'") as refused:
        admin.store("shop")
    assert refused.value.hint == "it knows none"
    begun("books")
    with pytest.raises(RunError) as refused:
        admin.figures("shop")
    assert refused.value.hint == "it knows books"


def test_the_phase_is_that_of_its_record(admin: ClusterAdmin, begun: Callable[[str], Store]) -> None:
    store = begun("books")
    assert admin.phase("books") is RunPhase.RUNNING
    over(store)
    assert admin.phase("books") is RunPhase.OVER


def test_what_a_run_was_composed_of_can_be_read(
    admin: ClusterAdmin, backend: SharedBackend, begun: Callable[[str], Store]
) -> None:
    begun("books")
    assert admin.composed("books") == COMPOSED
    runs_of(backend, "n1").enter("towns")
    with pytest.raises(RunError, match="the run towns has not begun"):
        admin.composed("towns")
    with pytest.raises(RunError, match="knows no run 'shop', or no longer"):
        admin.composed("shop")


def test_a_reopened_run_is_still_composed_of_the_same(
    admin: ClusterAdmin, begun: Callable[[str], Store]
) -> None:
    over(begun("books"))
    admin.reopen("books", 3600)
    assert admin.phase("books") is None
    assert admin.composed("books") == COMPOSED


def test_a_running_run_is_cancelled_and_one_that_is_over_is_not(
    admin: ClusterAdmin, begun: Callable[[str], Store]
) -> None:
    store = begun("books")
    node = RunCancel(store, "n1")
    node.listen()
    assert admin.cancel("books")
    assert node.is_asked()
    over(store)
    assert not admin.cancel("books")


def test_a_run_that_nobody_works_on_is_forgotten_unasked(
    admin: ClusterAdmin, begun: Callable[[str], Store]
) -> None:
    begun("books")
    begun("towns")
    assert admin.forget("books", never)
    assert [figures.run for figures in admin.figures(None).runs] == ["towns"]
    with pytest.raises(RunError):
        admin.forget("books", never)


def test_a_run_with_live_nodes_is_forgotten_only_if_that_is_confirmed(
    postgres_url: str, backend: SharedBackend, begun: Callable[[str], Store]
) -> None:
    store = begun("books")
    membership = Membership(store, "n1", "ann")
    asked: list[list[str]] = []

    def answer(nodes: Sequence[str]) -> bool:
        asked.append([*nodes])
        return len(asked) > 1

    settings = {
        "scoopi.cluster.store": postgres_url,
        "scoopi.cluster.heartbeat": "2000",
        "scoopi.cluster.liveness.gap": "60000",
    }
    with ClusterAdmin(RunRequest(overrides=settings)) as admin, beating(membership):
        assert not admin.forget("books", answer)
        assert admin.phase("books") is RunPhase.RUNNING
        assert admin.forget("books", answer)
    assert asked == [["ann"], ["ann"]]


@pytest.mark.parametrize("name", ["", "a/b", ".."])
def test_a_name_that_no_run_can_have_is_refused(admin: ClusterAdmin, name: str) -> None:
    with pytest.raises(UsageError, match="invalid run name"):
        admin.forget(name, never)
