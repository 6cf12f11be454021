"""Shapes know which keys a mapping must have, and which tables need no full check."""

from __future__ import annotations

import pytest

from scoopi.defs.yaml.shape import Free, Key, Kind, ListOf, Record, Scalar

NAME = Scalar(Kind.NAME)


def key(name: str, shape: Scalar = NAME, required: bool = True) -> Key:
    return Key(name, shape, "What it is.", "x", required)


def test_a_record_knows_its_keys() -> None:
    record = Record((key("a"), key("b", required=False)))
    assert record.names == {"a", "b"}
    assert record.required_names == {"a"}


@pytest.mark.parametrize(
    ("record", "needs_names_only"),
    [
        (Record((key("a"),)), True),
        (Record((key("a"), key("b", Scalar(Kind.TEXT), required=False))), True),
        (Record((key("a", Scalar(Kind.INTEGER)),)), False),
        (Record((key("a"),), others=Free()), False),
        (Record((key("a", required=False),)), False),
        (Record(), False),
    ],
)
def test_a_record_of_names_is_one_whose_required_values_are_names(
    record: Record, needs_names_only: bool
) -> None:
    assert record.needs_names_only is needs_names_only


@pytest.mark.parametrize(
    ("names", "texts", "is_met"),
    [
        (("a", "b"), ("x", "y"), True),
        (("b", "a"), ("x", "y"), True),
        (("a",), ("x",), False),
        (("a", "b", "c"), ("x", "y", "z"), False),
        (("a", "b"), ("x", "  "), False),
    ],
)
def test_a_table_with_all_required_names_and_no_blank_text_is_surely_valid(
    names: tuple[str, ...], texts: tuple[str, ...], is_met: bool
) -> None:
    assert ListOf(Record((key("a"), key("b")))).is_met_by(names, texts) is is_met


@pytest.mark.parametrize(
    "entries",
    [
        ListOf(Record((key("a"),)), wrapper="item"),
        ListOf(NAME),
        ListOf(Record((key("a", Scalar(Kind.BOOL)),))),
    ],
)
def test_any_other_entry_needs_the_full_check(entries: ListOf) -> None:
    assert not entries.is_met_by(("a",), ("x",))
