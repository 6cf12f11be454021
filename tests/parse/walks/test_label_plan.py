"""What of a selector around a label the walk in C can look for."""

from __future__ import annotations

import pytest

from scoopi.parse.css.selector_parser import parse_selector
from scoopi.parse.walks.label_plan import LabelPlan

DD = "dd", "", ()


@pytest.mark.parametrize(
    ("selector", "target"),
    [
        ("dt:contains(Price) + dd", ("v", "c", True, "price", (("+", DD),))),
        ("dt:containsOwn(Price)", ("o", "c", True, "price", ())),
        ("dl.k > dt:matches(Price) ~ dd", ("v", "c", False, "Price", (("~", DD),))),
        (
            r"dt:matchesOwn(^Price \(net\)) ~ dt + dd",
            ("o", "p", False, "Price (net)", (("~", ("dt", "", ())), ("+", DD))),
        ),
    ],
)
def test_a_label_of_known_text_and_its_siblings_are_planned(selector: str, target: object) -> None:
    plan = LabelPlan.of(parse_selector(selector))
    assert plan is not None
    assert plan.target == target


@pytest.mark.parametrize(
    "selector",
    [
        "dt + dd",
        "dt:matchesOwn(^Price$) + dd",
        "dt:matches(Price|Cost) + dd",
        "dt:contains(a):contains(b)",
        "dt:contains(a) + dd:contains(b)",
        "dt:contains(a) + dd > b",
        "dt:contains(a) + dd:nth-child(2)",
        "dt[title]:contains(a) + dd",
        "dt:containsData(a) + dd",
        "dt:contains(a) + dd, dd",
        "p + dt:contains(a)",
        "> dt:contains(a)",
        "dt:contains(\u00a0)",
    ],
)
def test_other_selectors_are_left_to_queries(selector: str) -> None:
    assert LabelPlan.of(parse_selector(selector)) is None
