"""The trees of both backends are those of browsers, case by case of `tree/*.dat`."""

from __future__ import annotations

import pytest

from scoopi.parse.tree.html_copier import copy_html
from tests.parse.tree.built_bridge import built_bridge
from tests.parse.tree.dat_reader import TreeCase, read_cases
from tests.parse.tree.tree_drawing import draw

CASES = list(read_cases())


def test_the_cases_are_many_and_differ() -> None:
    assert len(CASES) >= 300
    assert len({case.page for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_walk_gives_the_tree_of_a_browser(case: TreeCase) -> None:
    assert draw(copy_html(case.page.encode(), 500)) == case.expected()


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_the_bridge_gives_the_tree_of_a_browser(case: TreeCase) -> None:
    assert draw(built_bridge()(case.page.encode(), 500)) == case.expected()
