"""FoundCounts: a place that is not known leaves no trace in a sentence."""

from __future__ import annotations

import pytest

from scoopi.engine.found_counts import placed
from scoopi.model.place import NOWHERE, Place


@pytest.mark.parametrize(("place", "shown"), [(Place("defs.yml", 3, 5), " (defs.yml:3:5)"), (NOWHERE, "")])
def test_a_place_stands_behind_its_sentence_if_it_is_known(place: Place, shown: str) -> None:
    assert placed(place) == shown
