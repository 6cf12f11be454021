"""A wrong time zone is answered by one of a place, whose clocks change as people there expect."""

from __future__ import annotations

from zoneinfo import available_timezones

import pytest

from scoopi.model.text.zone_names import nearest_zone


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("CEST", "Europe/Berlin"),
        ("pdt", "America/Los_Angeles"),
        ("europe/berlin", "Europe/Berlin"),
        ("Europe/Berln", "Europe/Berlin"),
        ("Berlin", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("Mars/Base", ""),
        ("local", ""),
        ("", ""),
    ],
)
def test_a_zone_of_a_place_is_suggested(written: str, meant: str) -> None:
    assert nearest_zone(written) == meant
    assert not meant or meant in available_timezones()
