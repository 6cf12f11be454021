"""Groups as written, and which of them the locators of a run lead to."""

from __future__ import annotations

from scoopi.model.scrape.task_def import OutputDef
from tests.defs.written import Check

LIST = """\
locatorGroups: { list: { locators: [ { name: a, url: "http://h/a" }, { name: b, url: "http://h/b" } ] } }
dataDefs:
  book:
    key: title
    each: li
    fields: { title: h3, link: { select: "a @href", follow: detail } }
  detail:
    fields: { title: h1, back: { select: "a.back @href", follow: list } }
"""
GROUPS = """\
taskGroups:
  list:
    live: PT1H
    changed: true
    loader: auto
    browser: { until: { time: 500 } }
    budget: { pages: 3 }
    books: { dataDef: book, output: [ books.csv, { to: "-" } ], persist: { data: false } }
  detail:
    details: { dataDef: detail, output: details.csv }
"""


def test_keys_of_a_group_are_no_tasks(check: Check) -> None:
    outcome = check(LIST + GROUPS)
    assert outcome.report.errors == ()
    group = outcome.definitions.task_groups["list"]
    assert [task.name for task in group.tasks] == ["books"]
    assert (group.live, group.changed, group.is_auto, group.budget.pages) == ("PT1H", True, True, 3)
    assert group.browser is not None


def test_a_group_without_keys_has_none_of_them(check: Check) -> None:
    group = check(LIST + GROUPS).definitions.task_groups["detail"]
    assert (group.live, group.changed, group.is_auto, group.budget.pages) == ("", False, False, 0)
    assert group.browser is None


def test_a_task_has_its_outputs_and_whether_its_data_is_kept(check: Check) -> None:
    groups = check(LIST + GROUPS).definitions.task_groups
    (books,), (details,) = groups["list"].tasks, groups["detail"].tasks
    assert [each.to for each in books.outputs] == ["books.csv", "-"]
    assert not books.persist_data
    assert details.persist_data
    assert all(isinstance(each, OutputDef) and not each.stream for each in books.outputs)


def test_locators_can_be_read_more_than_once(check: Check) -> None:
    locators = check(LIST + GROUPS).definitions.locator_groups["list"].locators
    assert len(locators) == 2
    first, again = list(locators), list(locators)
    assert [each.url for each in first] == ["http://h/a", "http://h/b"]
    assert first == again
    assert first[0] in locators


def test_groups_that_lead_to_each_other_are_followed_once_and_others_are_reported(check: Check) -> None:
    assert check(LIST + GROUPS).sentences == []
    lonely = "  lonely: { details: { dataDef: detail, output: lonely.csv } }\n"
    (sentence,) = check(LIST + GROUPS + lonely).sentences
    assert "lonely" in sentence
    assert sentence.startswith("warning")
