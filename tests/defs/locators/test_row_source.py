"""What messages call the source of rows; never by a credential."""

from __future__ import annotations

import pytest

from scoopi.defs.locators.row_source import RowSource


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (RowSource(file="a.csv"), "a.csv"),
        (RowSource(database="postgresql://a:b@c/d", query="select 1"), "the query"),
        (RowSource(run="defs/shops", output="a.csv"), "a.csv of run defs/shops"),
    ],
)
def test_a_source_has_a_name_for_messages(source: RowSource, name: str) -> None:
    assert source.name == name
