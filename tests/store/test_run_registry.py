"""RunRegistry: the lives of a run's name; real records, the maps of a run are names in a set."""

from __future__ import annotations

import pytest

from scoopi.store.ports import Store
from scoopi.store.runs.run_record import RunPhase
from scoopi.store.runs.run_registry import RunRegistry


class Grid:
    """A grid's maps by name; what the run's record says in those that are kept."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.phases: dict[str, RunPhase] = {}
        self.removed: list[str] = []

    def registry(self, node: str) -> RunRegistry:
        return RunRegistry(self.store, self.phases.get, self.removed.append, node)


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
