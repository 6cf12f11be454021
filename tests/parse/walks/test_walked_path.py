"""What of a path in XPath the walk in C can look for."""

from __future__ import annotations

import pytest

from scoopi.model.text.page_text import marked
from scoopi.parse.walks.simple_chain import BELOW, CHILD
from scoopi.parse.walks.walked_path import walked_path

DD = "dd", "", ()


@pytest.mark.parametrize(
    ("path", "place", "attribute", "label"),
    [
        ("h1", CHILD, "", None),
        (".//Dl/dt", BELOW, "", None),
        ("./a/@HREF", CHILD, "href", None),
        ("dl/dt[.='A']/following-sibling::dd[1]", CHILD, "", ("r", "e", False, "A", (("1", DD),))),
        (".//dt[text()='A']/following-sibling::DD/@x", BELOW, "x", ("t", "e", False, "A", (("~", DD),))),
        ("dt[normalize-space(.) = 'A']", CHILD, "", ("n", "e", False, "A", ())),
        ("dt[contains(text(), 'A')]", CHILD, "", ("f", "c", False, "A", ())),
        (
            "dt[starts-with(.,'A')]/following-sibling::*[1]",
            CHILD,
            "",
            ("r", "p", False, "A", (("1", ("", "", ())),)),
        ),
    ],
)
def test_a_path_of_names_and_labels_is_planned(path: str, place: int, attribute: str, label: object) -> None:
    walked = walked_path(path, 3)
    assert walked is not None
    assert (walked.plan[0], walked.plan[3], walked.plan[6], walked.plan[7]) == (3, attribute, place, label)


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "//dt",
        "/html/body",
        "dt[1]",
        "dt[.='A'][1]",
        "dt[.='A']/../dd",
        "dt[.='A' or .='B']",
        "dt[@class='A']",
        "dt[.='']",
        "dt[.!='A']",
        "dt[.='A']/dd",
        "dt[.='A']//following-sibling::dd",
        "dt[.='A']/preceding-sibling::dd[1]",
        "dt[.='A']/following-sibling::dd[2]",
        "dt[contains('A', .)]",
        "dt | dd",
        "string(dt)",
        "dt/text()",
        "*/dt",
        "dt[.='A",
        f"dt[.='{marked('A')}']",
    ],
)
def test_other_paths_are_left_to_queries(path: str) -> None:
    assert walked_path(path, 0) is None


def test_of_several_nodes_the_last_one_decides() -> None:
    walked = walked_path("dt", 0)
    assert walked is not None
    assert (walked.join(["a", "b"]), walked.join([])) == ("b", None)
