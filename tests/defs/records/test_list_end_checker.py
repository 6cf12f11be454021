"""The ends of lists as definitions give them, and what can be wrong with them."""

from __future__ import annotations

import pytest

from scoopi.model.locator import LinkBounds, ListEnd
from tests.defs.written import Check

DEFS = """
locatorGroups: { list: "http://a/" }
taskGroups:
  list:
    ads: { dataDef: ad, output: ads.csv }
    more: { next: { select: "a.next @href", UNTIL } }
dataDefs:
  ad:
    each: li
    fields: { name: h3, posted: { select: time, type: date }, seen: { select: i, type: datetime } }
"""
ONE_DAY = DEFS.replace(", seen: { select: i, type: datetime }", "")
ALONE = DEFS.replace("    ads: { dataDef: ad, output: ads.csv }\n", "").partition("dataDefs:")[0]


def bounds(check: Check, until: str, text: str = DEFS) -> LinkBounds | None:
    checked = check(text.replace("UNTIL", until))
    assert checked.found == []
    (field,) = checked.definitions.record_defs["list.more"].fields
    return None if field.links is None else field.links.bounds


@pytest.mark.parametrize(
    ("until", "end"),
    [
        ("until: no-new-items", ListEnd(no_new=True)),
        ("until: seen", None),
        ("until: [ seen, no-new-items ], max: 9", ListEnd(no_new=True)),
        ("until: older-than 2026-01-31, by: posted", ListEnd(older_than="2026-01-31", by="posted")),
        ("until: [ no-new-items, older-than 2026-01 ], by: seen", ListEnd(True, "2026-01-01", "seen")),
    ],
)
def test_the_end_of_a_list_is_read(check: Check, until: str, end: ListEnd | None) -> None:
    found = bounds(check, until)
    assert found == LinkBounds(None, 9 if "max" in until else None, end)


def test_without_by_the_only_day_counts(check: Check) -> None:
    assert bounds(check, "until: older-than 2026-01-31", ONE_DAY) == LinkBounds(
        end=ListEnd(older_than="2026-01-31")
    )


@pytest.mark.parametrize(
    ("until", "found"),
    [
        ("until: no-new-item", "'no-new-item' is not an end of a list; did you mean no-new-items?"),
        ("until: never", "'never' is not an end of a list; write seen, no-new-items, or older-than DAY"),
        ("until: older-than", "'older-than' is not an end of a list; did you mean older-than DAY?"),
        ("until: older-than 2026-13-01", "'2026-13-01' is not a day; write `older-than 2026-01-31`"),
        (
            "until: older-than today",
            "older-than: several fields of these pages are days: posted, seen; add `by: ",
        ),
        ("until: older-than today, by: name", "the field name is not a day; give it `type: date`"),
        (
            "until: older-than today, by: post",
            "no record of these pages has a field post; did you mean posted?",
        ),
        (
            "until: no-new-items, by: posted",
            "by is the field that older-than compares, but until has no older-than",
        ),
    ],
)
def test_what_is_wrong_with_an_end_is_reported_where_it_stands(check: Check, until: str, found: str) -> None:
    (said,) = check(DEFS.replace("UNTIL", until)).found
    assert said.startswith("6:")
    assert found in said


def test_a_list_of_which_nothing_is_read_has_no_items_to_end_it(check: Check) -> None:
    (said,) = check(ALONE.replace("UNTIL", "until: no-new-items")).found
    assert "the pages of this list have no items: no other task reads them" in said
