"""RunRegistry: the lives of a run's name; real records, the maps of a run are names in a set."""

from __future__ import annotations

import pytest

from scoopi.store.ports import Store
from scoopi.store.run_registry import RunRegistry


class Grid:
    """A grid's maps by name; a run's record stands in those that are kept."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.kept: set[str] = set()
        self.removed: list[str] = []

    def registry(self, node: str) -> RunRegistry:
        return RunRegistry(self.store, self.kept.__contains__, self.removed.append, node)


@pytest.fixture
def grid(store: Store) -> Grid:
    return Grid(store)


def test_nodes_that_come_together_enter_the_same_maps(grid: Grid) -> None:
    assert grid.registry("n1").enter("shop") == ("shop", False)
    assert grid.registry("n2").enter("shop") == ("shop", False)
    assert grid.registry("n3").names() == ["shop"]


def test_who_comes_after_the_end_finds_the_run_over_as_long_as_it_is_kept(grid: Grid) -> None:
    maps, _ = grid.registry("n1").enter("shop")
    grid.kept.add(maps)
    grid.registry("n1").note_over("shop")
    grid.registry("n2").note_over("shop")
    assert grid.registry("n3").enter("shop") == (maps, True)
    grid.registry("n3").sweep()
    assert grid.removed == []
    assert grid.registry("n3").names() == ["shop"]


def test_the_maps_of_a_run_that_is_no_longer_kept_are_removed_once(grid: Grid) -> None:
    maps, _ = grid.registry("n1").enter("shop")
    grid.registry("n1").note_over("shop")
    grid.registry("n2").sweep()
    grid.registry("n3").sweep()
    assert grid.removed == [maps]
    assert grid.registry("n3").names() == []
    assert grid.registry("n3").maps("shop") is None


@pytest.mark.parametrize("swept", [False, True])
def test_a_name_that_returns_gets_maps_that_no_former_life_had(grid: Grid, swept: bool) -> None:
    former, _ = grid.registry("n1").enter("shop")
    grid.registry("n1").note_over("shop")
    if swept:
        grid.registry("n2").sweep()
    maps, over = grid.registry("n3").enter("shop")
    assert maps != former
    assert not over
    assert former in grid.removed
    assert grid.registry("n4").enter("shop") == (maps, False)
    grid.registry("n4").sweep()
    assert maps not in grid.removed


def test_a_run_that_has_not_begun_or_goes_on_is_never_swept(grid: Grid) -> None:
    grid.registry("n1").enter("shop")
    grid.registry("n2").sweep()
    assert grid.removed == []


def test_two_that_begin_a_name_anew_agree_also_when_answers_are_lost(grid: Grid) -> None:
    grid.registry("n1").enter("shop")
    grid.registry("n1").note_over("shop")
    late = grid.registry("n2")
    known, stands = late._read("shop")
    assert known is not None
    (maps, _), (again, _) = grid.registry("n3").enter("shop"), late.enter("shop")
    assert maps == again
    late._change(known, stands, over=True, gone=True)  # a sweep that began before, and goes on now
    assert grid.registry("n5").enter("shop") == (maps, False)
