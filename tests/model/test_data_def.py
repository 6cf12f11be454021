"""DataDef: the columns of a row are the first item, the dims and the fact."""

from __future__ import annotations

import pytest

from scoopi.model.data_def import DataDef, ItemDef, is_link_pattern


def test_the_columns_have_one_item_and_one_fact() -> None:
    items, dims = (ItemDef("i"), ItemDef("j")), (ItemDef("d"), ItemDef("e"))
    facts = (ItemDef("f"), ItemDef("g"))
    definition = DataDef("towns", "table", "td", items, dims, facts)
    assert [each.name for each in definition.columns] == ["i", "d", "e", "f"]


@pytest.mark.parametrize(
    ("text", "is_pattern"),
    [("list.html?page=3", False), ("a.b", False), (".*", True), ("(a)", True), ("a$", True)],
)
def test_an_address_is_no_pattern(text: str, is_pattern: bool) -> None:
    assert is_link_pattern(text) is is_pattern
