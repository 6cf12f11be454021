"""Place, source_folder: a position is shown as editors read it; a file stands for its folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.model.place import NOWHERE, Place, source_folder


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


def test_definitions_are_a_folder_or_a_file_in_one(tmp_path: Path) -> None:
    (tmp_path / "bread.yml").write_text("{}")
    assert source_folder(tmp_path) == source_folder(tmp_path / "bread.yml") == tmp_path
