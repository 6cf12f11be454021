"""KnownRun: whether a record names maps of its own run."""

from __future__ import annotations

from scoopi.store.runs.known_run import KnownRun, other_maps


def test_a_run_has_maps_of_its_own_name_only() -> None:
    assert KnownRun("shop", "n1", "shop").has_own_maps
    assert KnownRun("shop", "n1", other_maps("shop"), before="shop").has_own_maps
    assert not KnownRun("shop", "n1", "bank").has_own_maps
    assert not KnownRun("shop", "n1", "shop", before=other_maps("bank")).has_own_maps


def test_other_maps_are_never_those_of_another_time() -> None:
    assert other_maps("shop") != other_maps("shop")
