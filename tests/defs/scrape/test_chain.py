"""Which step follows which."""

from __future__ import annotations

import pytest

from tests.defs.written import Check, Outcome

_LINK = "link: { class: LocatorCreator, previous: parser, next: seeder }"
_FILE = "plugins: [ plugin: { name: f, class: ListAppender } ]"
_AT = "taskGroups.city.temps.steps.css"


def _names(outcome: Outcome) -> list[str]:
    assert outcome.report.errors == ()
    return [step.name for step in outcome.definitions.task_groups["city"].tasks[0].steps]


def test_a_link_step_beside_the_filter_wins_and_ends_the_chain(check_steps: Check) -> None:
    assert _names(check_steps(f"{{ css: {{ {_LINK} }} }}")) == ["seeder", "loader", "parser", "link"]


def test_a_link_step_may_stand_after_the_filter(check_steps: Check) -> None:
    after = _LINK.replace("parser", "filter")
    assert _names(check_steps(f"{{ css: {{ {after} }} }}"))[3:] == ["filter", "link"]


def test_a_link_step_ends_its_chain_whatever_its_next_says(check_steps: Check) -> None:
    before = _LINK.replace("seeder", "filter")
    assert _names(check_steps(f"{{ css: {{ {before} }} }}"))[2:] == ["parser", "link"]


def test_of_several_followers_the_one_that_is_no_filter_wins(check_steps: Check) -> None:
    appender = f"appender: {{ class: DataAppender, previous: parser, next: end, {_FILE} }}"
    assert _names(check_steps(f"{{ css: {{ {appender} }} }}"))[2:] == ["parser", "appender"]


def test_of_several_followers_the_one_that_next_names_wins(check_steps: Check) -> None:
    parser = "parser: { class: CssParser, previous: loader, next: filter }"
    appender = f"appender: {{ class: DataAppender, previous: filter, next: end, {_FILE} }}"
    other = "other: { class: X, previous: parser, next: nowhere }"
    section = f"""
steps:
  own:
    seeder: {{ class: LocatorSeeder, previous: start, next: loader }}
    loader: {{ class: PageLoader, previous: seeder, next: parser }}
    {parser}
    {other}
    filter: {{ class: DataFilter, previous: parser, next: appender }}
    {appender}
"""
    outcome = check_steps("own", section)
    assert _names(outcome)[2:] == ["parser", "filter", "appender"]
    assert outcome.found == [
        "15:34: warning steps.own.other: step other is never run; "
        "no step leads from start to its `previous: parser`"
    ]


def test_a_step_that_follows_a_link_step_is_an_error(check_steps: Check) -> None:
    step = "more: { class: Scripter, previous: link, next: appender }"
    assert check_steps(f"{{ css: {{ {_LINK}, {step} }} }}").sentences == [
        f"error {_AT}.more: step more follows link, which makes links and ends its chain; "
        "let it follow another step, or put link into a task of its own",
        "warning dataDefs.temps.items[0]: item 'hour' has no linkGroup: no links are made from it; "
        "add `linkGroup: …`, or remove the item",
    ]


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        (
            "filter: { class: DataFilter, previous: parser, next: apender }, "
            f"appender: {{ class: DataAppender, previous: filtr, next: end, {_FILE} }}",
            f"error {_AT}.filter: nothing follows step filter: there is no step apender; "
            "did you mean appender?",
        ),
        (
            f"appender: {{ class: DataAppender, previous: seeder, next: end, {_FILE} }}",
            "error taskGroups.city.temps: nothing follows step filter: appender has `previous: seeder`; "
            "set `previous: filter` in appender, or `next: end` in filter",
        ),
        (
            "filter: { class: DataFilter, previous: parser, next: parser }, "
            "parser: { class: CssParser, previous: filter, next: filter }, "
            "loader: { class: PageLoader, previous: seeder, next: parser }",
            f"error {_AT}.loader: nothing follows step loader: parser has `previous: filter`; "
            "set `previous: loader` in parser, or `next: end` in loader",
        ),
        (
            "seeder: { class: LocatorSeeder, previous: strat, next: loader }",
            "error taskGroups.city.temps: no step has `previous: start`; set it in the first step",
        ),
        (
            "loader: { class: PageLoader, previous: start, next: parser }",
            f"error {_AT}.loader: seeder and loader all have `previous: start`; keep it in one step",
        ),
    ],
)
def test_a_chain_that_leads_nowhere_is_an_error(check_steps: Check, steps: str, found: str) -> None:
    assert found in check_steps(f"{{ css: {{ {steps} }} }}").sentences


def test_a_circle_is_an_error(check_steps: Check) -> None:
    section = "steps: { own: { start: { class: LocatorSeeder, previous: start, next: start } } }"
    assert check_steps("own", section).found == [
        "9:17: error steps.own.start: the steps form a cycle: start → start; set `next: end` in one"
    ]


def test_steps_that_wait_for_each_other_leave_the_chain_without_an_end(check_steps: Check) -> None:
    section = """
steps:
  own:
    a: { class: LocatorSeeder, previous: start, next: b }
    b: { class: PageLoader, previous: c, next: c }
    c: { class: CssParser, previous: b, next: b }
"""
    assert check_steps("own", section).found == [
        "12:5: error steps.own.a: nothing follows step a: b has `previous: c`; "
        "set `previous: a` in b, or `next: end` in a"
    ]


def test_two_that_follow_one_step_are_an_error_when_next_does_not_decide(check_steps: Check) -> None:
    section = """
steps:
  own:
    a: { class: LocatorSeeder, previous: start, next: b }
    b: { class: PageLoader, previous: a, next: x }
    c: { class: CssParser, previous: b, next: end }
    d: { class: XPathParser, previous: b, next: end }
"""
    assert check_steps("own", section).found == [
        "13:5: error steps.own.b: c and d all have `previous: b`; set `next` of b to the one that follows"
    ]
