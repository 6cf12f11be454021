"""RunRegistry: the lives of a run's name; real records, the maps of a run are names in a set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from scoopi.errors import RecordError, StoreError
from scoopi.store.ports import RUN, Change, Outcome, Store, StoreMap
from scoopi.store.runs.known_run import PREFIX
from scoopi.store.runs.run_keep_alive import PREFIX as KEEP_ALIVE
from scoopi.store.runs.run_record import RunPhase
from scoopi.store.runs.run_registry import RunRegistry
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.store.faulty_store import NodeDied


class Grid:
    """A grid's maps by name; what the run's record says in those that are kept."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.phases: dict[str, RunPhase] = {}
        self.removed: list[str] = []

    def registry(self, node: str) -> RunRegistry:
        return RunRegistry(self.store, self.phases.get, self.removed.append, node)

    def sweeper(self, is_alive: Callable[[str], bool] = lambda maps: False) -> RunRegistry:
        """The registry of a node that sees no heartbeat in any run."""
        return RunRegistry(self.store, self.phases.get, self.removed.append, "sweeper", is_alive)


class WatchedStore(SqliteStore):
    """Calls `after_write` after each write of a run's record in the registry; not for writes in that call."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.after_write: Callable[[], None] = lambda: None

    def put_if_absent_all(self, store_map: StoreMap, records: Sequence[tuple[str, bytes]]) -> list[Outcome]:
        outcomes = super().put_if_absent_all(store_map, records)
        self._watch([key for key, _ in records])
        return outcomes

    def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
        outcomes = super().cas_all(store_map, changes)
        self._watch([change.key for change in changes])
        return outcomes

    def _watch(self, keys: Sequence[str]) -> None:
        if any(key.startswith(PREFIX) for key in keys):
            call, self.after_write = self.after_write, lambda: None
            call()
            self.after_write = call


class RacedStore(WatchedStore):
    """Another node changes the run's record once, just before this one's first conditional write."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.before_change: Callable[[], None] = lambda: None

    def cas_all(self, store_map: StoreMap, changes: Sequence[Change]) -> list[Outcome]:
        call, self.before_change = self.before_change, lambda: None
        call()
        return super().cas_all(store_map, changes)


def nobody(run: str, maps: str) -> None:
    raise AssertionError(f"{run} was ended in order, or goes on")


@pytest.fixture
def grid(store: Store) -> Grid:
    return Grid(store)


def test_nodes_that_come_together_enter_the_same_maps(grid: Grid) -> None:
    assert grid.registry("n1").enter("shop") == ("shop", False)
    assert grid.registry("n2").enter("shop") == ("shop", False)
    assert grid.registry("n3").kept() == {"shop": "shop"}


def test_a_node_that_comes_after_the_end_finds_the_run_over_as_long_as_it_is_kept(grid: Grid) -> None:
    maps, _ = grid.registry("n1").enter("shop")
    grid.phases[maps] = RunPhase.OVER
    grid.registry("n1").note_over("shop", "shop")
    grid.registry("n2").note_over("shop", "shop")
    grid.registry("n2").note_ends("shop", "shop")
    assert grid.registry("n3").enter("shop") == (maps, True)
    grid.registry("n3").sweep(nobody)
    assert grid.removed == []
    assert grid.registry("n3").kept() == {"shop": "shop"}


def test_the_maps_of_a_run_that_is_no_longer_kept_are_removed_once(grid: Grid) -> None:
    maps, _ = grid.registry("n1").enter("shop")
    grid.registry("n1").note_over("shop", "shop")
    grid.registry("n2").sweep(nobody)
    grid.registry("n3").sweep(nobody)
    assert grid.removed == [maps]
    assert grid.registry("n3").kept() == {}
    assert grid.registry("n3").maps("shop") is None


@pytest.mark.parametrize("swept", [False, True])
def test_a_name_that_returns_gets_maps_that_no_earlier_incarnation_had(grid: Grid, swept: bool) -> None:
    former, _ = grid.registry("n1").enter("shop")
    grid.registry("n1").note_over("shop", "shop")
    if swept:
        grid.registry("n2").sweep(nobody)
    maps, over = grid.registry("n3").enter("shop")
    assert maps != former
    assert not over
    assert former in grid.removed
    assert grid.registry("n4").enter("shop") == (maps, False)
    grid.registry("n4").sweep(nobody)
    assert maps not in grid.removed


def test_a_name_whose_data_is_lost_gets_other_maps_once_whichever_node_asks(grid: Grid) -> None:
    lost, _ = grid.registry("n1").enter("shop")
    maps, over = grid.registry("n2").renew("shop", lost)
    assert maps != lost
    assert not over
    assert grid.registry("n3").renew("shop", lost) == (maps, False)
    assert grid.registry("n4").enter("shop") == (maps, False)
    assert grid.removed == [lost]


def test_a_run_that_has_not_begun_or_goes_on_is_never_swept(grid: Grid) -> None:
    grid.registry("n1").enter("shop")
    grid.registry("n2").sweep(nobody)
    assert grid.removed == []


def test_two_that_restart_a_name_agree_also_when_a_sweep_that_began_before_goes_on(grid: Grid) -> None:
    grid.registry("n1").enter("shop")
    grid.registry("n1").note_over("shop", "shop")
    entered: list[tuple[str, bool]] = []

    def begun_meanwhile(maps: str) -> None:
        entered.extend(grid.registry(node).enter("shop") for node in ("n3", "n4"))

    RunRegistry(grid.store, begun_meanwhile, grid.removed.append, "n2").sweep(nobody)
    (maps, _), (again, _) = entered
    assert maps == again
    assert grid.registry("n5").enter("shop") == (maps, False)


def test_a_run_that_is_over_is_named_until_somebody_has_noted_that_all_of_it_ends(grid: Grid) -> None:
    maps, _ = grid.registry("n1").enter("shop")
    for phase in (RunPhase.RUNNING, RunPhase.ENDING):
        grid.phases[maps] = phase
        grid.registry("n2").sweep(nobody)
    grid.phases[maps] = RunPhase.OVER
    found: list[tuple[str, str]] = []
    for _ in range(2):  # before its last node has noted it, and after
        grid.registry("n2").sweep(lambda *run: found.append(run))
        grid.registry("n1").note_over("shop", maps)
    assert found == [("shop", maps)] * 2
    grid.registry("n2").note_ends("shop", maps)
    grid.registry("n1").note_over("shop", maps)
    grid.registry("n3").sweep(nobody)
    assert grid.removed == []


def test_a_node_that_sleeps_over_the_end_of_a_run_notes_nothing_of_the_next_incarnation_of_its_name(
    grid: Grid,
) -> None:
    former, _ = grid.registry("n1").enter("shop")
    grid.registry("n2").note_ends("shop", former)
    maps, _ = grid.registry("n3").enter("shop")
    grid.registry("n1").note_over("shop", former)
    grid.registry("n1").note_ends("shop", former)
    assert grid.registry("n4").enter("shop") == (maps, False)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[WatchedStore]:
    store = WatchedStore(tmp_path / "watched")
    yield store
    store.close()


def test_a_run_that_begins_while_another_node_sweeps_keeps_its_maps(watched: WatchedStore) -> None:
    grid = Grid(watched)
    watched.after_write = lambda: grid.sweeper().sweep(nobody)
    assert grid.registry("n1").enter("shop") == ("shop", False)
    assert grid.removed == []


@pytest.mark.parametrize("is_over", [False, True])
def test_a_name_that_returns_while_another_node_sweeps_keeps_its_new_maps(
    watched: WatchedStore, is_over: bool
) -> None:
    grid = Grid(watched)
    former, _ = grid.registry("n1").enter("shop")
    if is_over:
        grid.registry("n1").note_over("shop", former)
    watched.after_write = lambda: grid.sweeper().sweep(nobody)
    maps, _ = grid.registry("n1").enter("shop") if is_over else grid.registry("n1").renew("shop", former)
    assert grid.removed == [former]
    assert grid.registry("n2").enter("shop") == (maps, False)


def test_a_run_to_which_a_node_returns_while_heartbeats_are_looked_for_is_never_marked_as_gone(
    watched: WatchedStore,
) -> None:
    grid = Grid(watched)
    maps, _ = grid.registry("n1").enter("shop")
    grid.registry("n1").keep_alive.end(maps)

    def after_write() -> None:
        raise AssertionError("its record is changed")

    def returned(maps: str) -> bool:
        assert grid.registry("n1").enter("shop") == (maps, False)
        return False

    watched.after_write = after_write
    grid.sweeper(returned).sweep(nobody)
    assert grid.removed == []


def test_an_unfinished_run_without_a_keep_alive_and_without_a_heartbeat_is_removed(grid: Grid) -> None:
    maps, _ = grid.registry("n1").enter("shop")
    grid.sweeper().sweep(nobody)
    grid.registry("n1").keep_alive.end(maps)
    grid.sweeper(lambda maps: True).sweep(nobody)
    assert grid.removed == []
    grid.sweeper().sweep(nobody)
    grid.sweeper().sweep(nobody)
    assert grid.removed == [maps]
    assert grid.registry("n3").maps("shop") is None
    assert grid.registry("n3").is_gone("shop", maps)
    assert grid.registry("n3").enter("shop")[0] != maps


def test_a_run_is_not_removed_when_a_node_returns_just_as_it_is_marked_as_gone(watched: WatchedStore) -> None:
    grid = Grid(watched)
    maps, _ = grid.registry("n1").enter("shop")
    stands = watched.get_all(RUN, [PREFIX + "shop"])
    grid.registry("n1").keep_alive.end(maps)

    def returned() -> None:
        if watched.get_all(RUN, [PREFIX + "shop"]) != stands:
            with pytest.raises(StoreError, match="shop is being removed"):  # it will try again
                grid.registry("n1").enter("shop")
            grid.registry("n1").keep_alive.renew(maps, 60)

    watched.after_write = returned
    grid.sweeper().sweep(nobody)
    assert grid.removed == []
    assert grid.registry("n1").enter("shop") == (maps, False)


def test_maps_that_a_crashed_node_was_about_to_remove_are_removed_by_the_next(watched: WatchedStore) -> None:
    grid = Grid(watched)
    maps, _ = grid.registry("n1").enter("shop")
    grid.registry("n1").keep_alive.end(maps)

    def crash() -> None:
        raise NodeDied

    watched.after_write = crash
    with pytest.raises(NodeDied):
        grid.sweeper().sweep(nobody)
    assert grid.removed == []
    watched.after_write = lambda: None
    with pytest.raises(StoreError, match="shop is being removed"):
        grid.registry("n1").enter("shop")
    grid.sweeper().sweep(nobody)
    grid.sweeper().sweep(nobody)
    assert grid.removed == [maps]
    assert grid.registry("n1").enter("shop")[0] != maps


@pytest.mark.parametrize("again", ["forget", "sweep"])
def test_a_run_whose_node_crashed_while_it_was_forgotten_is_removed_once_by_the_next(
    watched: WatchedStore, again: str
) -> None:
    grid = Grid(watched)
    maps, _ = grid.registry("n1").enter("shop")

    def crash() -> None:
        raise NodeDied

    watched.after_write = crash
    with pytest.raises(NodeDied):
        grid.registry("n2").forget("shop")
    assert grid.removed == []
    watched.after_write = lambda: None
    for _ in range(2):
        if again == "forget":
            grid.registry("n3").forget("shop")
        else:
            grid.sweeper().sweep(nobody)
    assert grid.removed == [maps]
    assert grid.registry("n4").enter("shop")[0] != maps


def over(grid: Grid) -> str:
    """The maps of a run that is over."""
    maps, _ = grid.registry("n1").enter("shop")
    grid.phases[maps] = RunPhase.OVER
    grid.registry("n1").note_over("shop", maps)
    grid.registry("n1").note_ends("shop", maps)
    return maps


def test_a_run_that_is_over_is_reopened_in_other_maps_once(grid: Grid) -> None:
    former = over(grid)
    assert grid.registry("n2").reopen("shop")
    maps, is_over = grid.registry("n3").enter("shop")
    assert (maps != former, is_over) == (True, False)
    assert not grid.registry("n3").reopen("shop"), "it has begun already"
    assert grid.registry("n4").enter("shop") == (maps, False)
    assert grid.registry("n4").before("shop") == former
    assert grid.removed == []
    grid.registry("n1").note_over("shop", former)  # a node that was asleep
    assert grid.registry("n4").enter("shop") == (maps, False)


def kept_alive(grid: Grid) -> set[str]:
    """The maps with a record that expires unless it is renewed."""
    keys = [key for key, _ in grid.store.scan(RUN, None, 100, KEEP_ALIVE)]
    return {key.removeprefix(KEEP_ALIVE) for key in keys if key.startswith(KEEP_ALIVE)}


def test_a_run_that_was_forgotten_was_over_in_no_maps_and_leaves_no_time_behind(grid: Grid) -> None:
    over(grid)
    grid.registry("n1").reopen("shop")
    assert grid.registry("n1").before("bank") is None
    grid.registry("n1").enter("bank")
    grid.registry("n1").forget("shop")
    assert grid.registry("n1").before("shop") is None
    assert kept_alive(grid) == {"shop", "bank"}, "the time of the former maps runs out"


def test_a_run_is_not_removed_by_a_node_that_does_not_look_for_heartbeats(grid: Grid) -> None:
    maps, _ = grid.registry("n1").enter("shop")
    grid.registry("n1").keep_alive.end(maps)
    grid.registry("n2").sweep(nobody)
    assert grid.removed == []


def test_a_run_that_another_node_has_removed_and_begun_again_since_the_scan_is_left(tmp_path: Path) -> None:
    class Scanned(WatchedStore):
        """Calls `after_scan` once."""

        after_scan: Callable[[], object] | None = None

        def scan(
            self, store_map: StoreMap, index_value: str | None, limit: int, after: str = ""
        ) -> list[tuple[str, bytes]]:
            found = super().scan(store_map, index_value, limit, after)
            call, self.after_scan = self.after_scan, None
            if call is not None:
                call()
            return found

    def crash() -> None:
        raise NodeDied

    with closing(Scanned(tmp_path / "scanned.db")) as store:
        grid = Grid(store)
        former, _ = grid.registry("n1").enter("shop")
        store.after_write = crash
        with pytest.raises(NodeDied):
            grid.registry("n2").forget("shop")
        store.after_write = lambda: None
        begun: list[tuple[str, bool]] = []

        def begin_again() -> None:
            grid.registry("n3").forget("shop")
            begun.append(grid.registry("n3").enter("shop"))

        store.after_scan = begin_again
        grid.sweeper().sweep(nobody)
        assert grid.removed == [former, former], "once as it is forgotten, once as its name returns"
        assert [grid.registry("n4").enter("shop")] == begun


def test_a_run_that_is_not_over_or_not_known_is_not_reopened(grid: Grid) -> None:
    assert not grid.registry("n1").reopen("shop")
    maps, _ = grid.registry("n1").enter("shop")
    for phase in (RunPhase.RUNNING, RunPhase.ENDING):
        grid.phases[maps] = phase
        assert not grid.registry("n2").reopen("shop")
    assert grid.registry("n2").before("shop") is None
    assert grid.registry("n2").enter("shop") == (maps, False)


def test_of_a_run_that_is_reopened_again_only_the_last_two_maps_are_kept(grid: Grid) -> None:
    first = over(grid)
    grid.registry("n1").reopen("shop")
    second = over(grid)
    assert grid.removed == []
    assert grid.registry("n1").reopen("shop")
    assert grid.removed == [first]
    assert grid.registry("n1").before("shop") == second


@pytest.mark.parametrize("end", ["sweep", "forget", "enter", "renew"])
def test_all_maps_of_a_reopened_run_are_removed_with_it(grid: Grid, end: str) -> None:
    former = over(grid)
    grid.registry("n1").reopen("shop")
    maps = over(grid)
    if end == "forget":
        grid.registry("n2").forget("shop")
    elif end == "renew":
        grid.registry("n2").renew("shop", maps)
    else:
        del grid.phases[maps]
        grid.sweeper().sweep(nobody) if end == "sweep" else grid.registry("n2").enter("shop")
    assert sorted(grid.removed) == sorted([former, maps])


def test_a_run_that_two_nodes_reopen_at_once_gets_the_maps_of_one(watched: WatchedStore) -> None:
    grid = Grid(watched)
    former = over(grid)
    second: list[bool] = []

    def phase(maps: str) -> RunPhase | None:
        if not second:  # the other one comes while this one looks
            second.append(grid.registry("n2").reopen("shop"))
        return grid.phases.get(maps)

    assert not RunRegistry(watched, phase, grid.removed.append, "n1").reopen("shop")
    assert second == [True]
    assert grid.registry("n3").before("shop") == former
    assert kept_alive(grid) == {former, grid.registry("n3").kept()["shop"]}, "and none that nobody uses"
    grid.sweeper().sweep(nobody)
    assert grid.removed == []


DAMAGED = b"no record of a run"


def damage(grid: Grid, run: str, record: bytes = DAMAGED) -> None:
    stands = grid.store.get_all(RUN, [PREFIX + run])[PREFIX + run]
    assert grid.store.cas_all(RUN, [Change(PREFIX + run, stands, record)])[0].won


def test_a_damaged_record_concerns_its_run_alone(grid: Grid, caplog: pytest.LogCaptureFixture) -> None:
    for run in ("broken", "shop"):
        grid.registry("n1").enter(run)
    damage(grid, "broken")
    assert grid.registry("n1").kept() == {"shop": "shop"}
    grid.registry("n1").note_over("shop", "shop")
    grid.registry("n1").sweep(nobody)
    assert grid.removed == ["shop"]
    assert "a run is skipped" in caplog.text
    with pytest.raises(RecordError):
        grid.registry("n2").enter("broken")


def test_a_run_whose_record_is_damaged_can_be_forgotten_with_its_first_maps(grid: Grid) -> None:
    grid.registry("n1").enter("shop")
    damage(grid, "shop")
    grid.registry("n2").forget("shop")
    assert grid.removed == ["shop"]
    assert grid.registry("n3").enter("shop") == ("shop", False)


def test_a_record_that_names_another_run_is_not_read_and_removes_nothing_of_it(grid: Grid) -> None:
    grid.registry("n1").enter("other")
    grid.registry("n1").enter("shop")
    of_other = grid.store.get_all(RUN, [PREFIX + "other"])[PREFIX + "other"]
    damage(grid, "shop", of_other)
    with pytest.raises(RecordError, match="it names another run"):
        grid.registry("n2").maps("shop")
    grid.registry("n2").forget("shop")
    assert grid.removed == ["shop"]
    assert grid.registry("n3").kept() == {"other": "other"}


def test_one_sweep_removes_all_runs_that_are_to_be_removed(grid: Grid) -> None:
    node = grid.registry("n1")
    for run in ("a-forgotten", "b-left", "c-over", "d-runs"):
        node.enter(run)
    node.forget("a-forgotten")
    node.keep_alive.end("b-left")
    node.note_over("c-over", "c-over")
    grid.sweeper().sweep(nobody)
    assert grid.removed == ["a-forgotten", "b-left", "c-over"]
    assert [*node.kept()] == ["d-runs"]


def test_a_run_whose_own_record_is_damaged_is_left_as_it_is(
    grid: Grid, caplog: pytest.LogCaptureFixture
) -> None:
    node = grid.registry("n1")
    for run in ("a-over", "b-damaged", "c-over"):
        node.enter(run)
        node.note_over(run, run)

    def phase(maps: str) -> RunPhase | None:
        if maps == "b-damaged":
            raise RecordError("it is not a run record")
        return grid.phases.get(maps)

    RunRegistry(grid.store, phase, grid.removed.append, "n2").sweep(nobody)
    assert grid.removed == ["a-over", "c-over"]
    assert [*RunRegistry(grid.store, phase, grid.removed.append, "n3").kept()] == ["b-damaged"]
    assert "run b-damaged is left unchanged" in caplog.text


def test_a_run_whose_keep_alive_cannot_be_read_is_not_taken_to_be_left(
    grid: Grid, caplog: pytest.LogCaptureFixture
) -> None:
    grid.registry("n1").enter("shop")
    key = f"{KEEP_ALIVE}shop"
    stands = grid.store.get_all(RUN, [key])[key]
    assert grid.store.cas_all(RUN, [Change(key, stands, DAMAGED)])[0].won
    grid.sweeper().sweep(nobody)
    assert grid.removed == []
    assert grid.registry("n2").maps("shop") == "shop"
    assert "run shop is left unchanged" in caplog.text


def test_a_run_is_forgotten_although_its_record_changes_meanwhile(tmp_path: Path) -> None:
    with closing(RacedStore(tmp_path / "raced.db")) as raced:
        grid = Grid(raced)
        maps, _ = grid.registry("n1").enter("shop")
        grid.phases[maps] = RunPhase.OVER
        raced.before_change = lambda: grid.registry("n1").note_over("shop", maps)
        grid.registry("n2").forget("shop")
        assert grid.removed == [maps]
