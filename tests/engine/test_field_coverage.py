"""What the fields of records found, from the node's counters."""

from __future__ import annotations

from scoopi.engine.field_coverage import FieldCoverage
from scoopi.metrics.node_counts import NodeCounts
from tests.parse.record_page import record_def, records_of

PAGE = "<li><b>1</b></li><li><b>x</b></li><li></li>"
FIELDS = {"n": {"select": "b", "type": "integer"}, "w": {"select": "b", "list": True}, "z": "u"}


def test_filled_missing_and_unreadable_add_up_to_the_records() -> None:
    counts = NodeCounts()
    for _ in range(2):
        counts.add_all(records_of(PAGE, FIELDS, each="li").finds, "finds.")
    figures = FieldCoverage({"d": record_def(FIELDS, each="li")}, counts).figures()
    assert [(each.field, each.filled, each.missing, each.unreadable) for each in figures] == [
        ("n", 2, 2, 2),
        ("w", 4, 2, 0),
        ("z", 0, 6, 0),
    ]
    assert figures[0].example == "'x' holds no number"


def test_definitions_that_read_no_page_have_no_figures() -> None:
    coverage = FieldCoverage({"d": record_def(FIELDS)}, NodeCounts())
    assert (coverage.figures(), coverage.sentences()) == ((), ())
