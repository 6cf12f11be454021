"""Place: a position is shown as editors read it."""

from __future__ import annotations

import pytest

from scoopi.model.place import NOWHERE, Place


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        (Place("a.yml", 3, 5), "a.yml:3:5"),
        (Place("a.yml", 3), "a.yml:3"),
        (Place("a.yml"), "a.yml"),
        (NOWHERE, ""),
    ],
)
def test_a_place_names_what_is_known(place: Place, shown: str) -> None:
    assert str(place) == shown
