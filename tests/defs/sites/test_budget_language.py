"""Budgets of groups and hosts are read, and a number that is none is a finding with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.model.limits.budget import Budget
from tests.defs.written import check_in

DEFINITIONS = """
    locatorGroups: { list: /a.html }
    taskGroups:
      list:
        books: { dataDef: book }
        budget: GROUP
    dataDefs:
      book: { each: li, fields: { title: b } }
    sites:
      "*": { budget: HOST }
"""


def definitions_with(group: str = "{ pages: 9 }", host: str = "{ pages: 9 }") -> dict[str, str | bytes]:
    return {"defs.yml": DEFINITIONS.replace("GROUP", group).replace("HOST", host)}


def test_groups_and_sites_have_budgets(tmp_path: Path) -> None:
    outcome = check_in(tmp_path, definitions_with("{ pages: 100, time: 60 }", "{ bytes: 5000 }"))

    assert outcome.found == []
    assert outcome.definitions.task_groups["list"].budget == Budget(pages=100, seconds=60)
    (block,) = outcome.definitions.sites
    assert block.values["budget"] == {"bytes": 5000}
    assert "defs.yml:10" in block.origins["budget.bytes"]


@pytest.mark.parametrize(
    ("budget", "sentence"),
    [
        ("{ pages: 0 }", "pages is 0, but a budget is at least 1; correct it, or remove it"),
        ("{ time: -3 }", "time is -3, but a budget is at least 1; correct it, or remove it"),
        ("{ page: 3 }", "unknown key page; did you mean pages?"),
        ("{ pages: many }", 'pages must be a whole number, not "many"'),
        ("{}", "the budget has no limit; add `pages: 1000`, or remove it"),
        ("12", "budget must be a mapping, not a text"),
    ],
)
def test_what_is_no_budget_is_a_finding(tmp_path: Path, budget: str, sentence: str) -> None:
    of_group = check_in(tmp_path, definitions_with(group=budget)).found
    of_host = check_in(tmp_path, definitions_with(host=budget)).found

    assert len(of_group) == len(of_host) == 1, (of_group, of_host)
    assert sentence in of_group[0]
    assert sentence in of_host[0]
