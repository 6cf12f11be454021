"""Steps sets: built in, nested, overridden."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from scoopi.model.scrape.plugin_def import StepDef
from tests.defs.written import DATA, PLACES, TASKS, Check, Outcome

_KICKOFF = (
    "{ class: DataConverter, previous: filter, next: appender, plugins: [ plugin: { name: d, class: X } ] }"
)


def chain(outcome: Outcome, group: str = "city", task: int = 0) -> Sequence[StepDef]:
    """The steps of a task, after a check that found nothing wrong."""
    assert outcome.report.errors == ()
    return outcome.definitions.task_groups[group].tasks[task].steps


def names(outcome: Outcome) -> list[str]:
    """Names of the steps of the first task."""
    return [step.name for step in chain(outcome)]


@pytest.mark.parametrize(
    ("name", "parser"),
    [
        ("css", "CssParser"),
        ("jsoupDefault", "CssParser"),
        ("xpath", "XPathParser"),
        ("htmlUnitDefault", "XPathParser"),
    ],
)
def test_built_in_sets_are_known_by_both_names(check_steps: Check, name: str, parser: str) -> None:
    steps = chain(check_steps(name))
    assert [(step.name, step.class_name, step.previous, step.next) for step in steps] == [
        ("seeder", "LocatorSeeder", "start", "loader"),
        ("loader", "PageLoader", "seeder", "parser"),
        ("parser", parser, "loader", "filter"),
        ("filter", "DataFilter", "parser", "appender"),
        ("appender", "DataAppender", "filter", "end"),
    ]
    file = steps[4].plugins[0]
    assert (file.name, file.class_name, file.fields) == (
        "dataFile",
        "FileAppender",
        {"file": "output/data.txt"},
    )
    csv = file.plugins[0]
    assert (csv.class_name, csv.fields) == ("CsvEncoder", {"delimiter": "|", "includeTags": "false"})


def test_a_task_without_steps_has_the_default_steps(check: Check) -> None:
    outcome = check(PLACES + TASKS + DATA, default_steps="xpath")
    assert chain(outcome)[2].class_name == "XPathParser"


def test_unknown_default_steps_are_an_error(check: Check) -> None:
    assert check(PLACES + TASKS + DATA, default_steps="jsoupDefalt").sentences == [
        "error scoopi.defs.defaultSteps: there is no steps set jsoupDefalt; did you mean jsoupDefault?"
    ]


def test_a_new_step_is_inserted_between_its_neighbours(check_steps: Check) -> None:
    outcome = check_steps("late", f"steps: {{ late: {{ css: {{ kickoff: {_KICKOFF} }} }} }}")
    steps = chain(outcome)
    assert [step.name for step in steps] == ["seeder", "loader", "parser", "filter", "kickoff", "appender"]
    assert (steps[3].next, steps[5].previous) == ("kickoff", "kickoff")
    assert steps[4].place.line == 9


def test_an_override_in_a_task_acts_as_one_in_a_set(check_steps: Check) -> None:
    assert names(check_steps(f"{{ css: {{ kickoff: {_KICKOFF} }} }}"))[4] == "kickoff"


def test_a_step_of_the_same_name_is_replaced_whole(check_steps: Check) -> None:
    outcome = check_steps("{ css: { appender: { class: DataAppender, previous: filter, next: end } } }")
    assert outcome.sentences == [
        "error taskGroups.city.temps.steps.css.appender: step appender has no plugins: nothing is written; "
        "add `plugins: [ plugin: { … } ]`"
    ]


def test_sets_are_nested_to_any_depth(check_steps: Check) -> None:
    more = (
        "{ class: Scripter, previous: kickoff, next: appender, plugins: [ plugin: { name: s, class: Y } ] }"
    )
    section = f"steps: {{ one: {{ css: {{ kickoff: {_KICKOFF} }} }}, two: {{ one: {{ more: {more} }} }} }}"
    assert names(check_steps("two", section))[3:] == ["filter", "kickoff", "more", "appender"]


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_inserted_steps_of_one_override_follow_each_other(check_steps: Check, order: tuple[str, str]) -> None:
    plugins = "plugins: [ plugin: { name: s, class: Y } ]"
    written = {
        "a": f"a: {{ class: Scripter, previous: filter, next: appender, {plugins} }}",
        "b": f"b: {{ class: Scripter, previous: a, next: appender, {plugins} }}",
    }
    outcome = check_steps(f"{{ css: {{ {written[order[0]]}, {written[order[1]]} }} }}")
    assert names(outcome)[3:] == ["filter", "a", "b", "appender"]


def test_a_set_without_base_is_taken_as_it_is(check_steps: Check) -> None:
    section = """
steps:
  own:
    go: { class: LocatorSeeder, previous: START, next: get }
    get: { class: PageLoader, previous: go, next: read }
    read: { class: org.codetab.scoopi.step.parse.htmlunit.Parser, previous: get, next: End }
"""
    outcome = check_steps("own", section)
    assert [step.class_name for step in chain(outcome)] == ["LocatorSeeder", "PageLoader", "XPathParser"]


@pytest.mark.parametrize(
    ("steps", "section", "found"),
    [
        (
            "cs",
            "",
            "error taskGroups.city.temps.steps: there is no steps set cs; did you mean css?",
        ),
        (
            "mine",
            "steps: { mine: { csss: { x: { class: A, previous: filter, next: end } } } }",
            "error steps.mine: there is no steps set csss; did you mean css?",
        ),
        (
            "css",
            "steps: { css: { xpath: { x: { class: A, previous: filter, next: end } } } }",
            "error steps.css: css is a built-in steps set; "
            "give yours a name of its own, derived as in `mySteps: { css: { … } }`",
        ),
        (
            "a",
            "steps: { a: { b: { x: { class: A, previous: p, next: n } } }, "
            "b: { a: { x: { class: A, previous: p, next: n } } } }",
            "error steps.a: steps sets are based on each other: a → b → a; break the cycle",
        ),
        (
            "{ css: { x: { class: A, previous: filtr, next: appender } } }",
            "",
            "error taskGroups.city.temps.steps.css.x.previous: there is no step filtr; did you mean filter?",
        ),
        (
            "{ css: { x: { class: A, previous: y, next: y }, y: { class: A, previous: x, next: x } } }",
            "",
            "error taskGroups.city.temps.steps.css.x: steps x and y wait for each other; "
            "begin at a step of the base",
        ),
        (
            "{ css: {} }",
            "",
            "error taskGroups.city.temps.steps.css: css has no step; add at least one step",
        ),
        (
            "{ css: { filter: { previous: parser, next: appender } } }",
            "",
            "error taskGroups.city.temps.steps.css.filter: class is missing; add `class: DataConverter`",
        ),
        (
            "{ css: { filter: { class: DataFilter, previous: parser, next: appender, plugin: x } } }",
            "",
            "error taskGroups.city.temps.steps.css.filter: unknown key plugin; did you mean plugins?",
        ),
        (
            "mine",
            "steps: { mine: {} }",
            "error steps.mine: mine has no base steps set; add at least one base steps set",
        ),
        (
            "[ css ]",
            "",
            "error taskGroups.city.temps.steps: steps must be a mapping, not a list; write `steps: css`",
        ),
    ],
)
def test_what_steps_sets_must_not_say(check_steps: Check, steps: str, section: str, found: str) -> None:
    assert found in check_steps(steps, section).sentences


def test_two_sets_in_one_task_are_an_error(check_steps: Check) -> None:
    step = "{ x: { class: A, previous: filter, next: appender } }"
    assert check_steps(f"{{ css: {step}, xpath: {step} }}").sentences == [
        "error taskGroups.city.temps.steps: 2 steps sets are named, but only one is allowed; keep one of them"
    ]


def test_a_second_base_is_ignored_with_a_warning(check_steps: Check) -> None:
    step = f"{{ kickoff: {_KICKOFF} }}"
    outcome = check_steps("mine", f"steps: {{ mine: {{ css: {step}, xpath: {step} }} }}")
    assert outcome.sentences == ["warning steps.mine: a steps set has one base; xpath is ignored; remove it"]
    assert chain(outcome)[2].class_name == "CssParser"


def test_a_set_that_no_task_uses_is_a_warning(check: Check) -> None:
    outcome = check(PLACES + TASKS + DATA + f"steps: {{ late: {{ css: {{ kickoff: {_KICKOFF} }} }} }}")
    assert outcome.found == ["9:10: warning steps.late: no task uses the steps set late; remove it"]


def test_other_keys_beside_a_plugin_are_a_warning(check_steps: Check) -> None:
    step = _KICKOFF.replace("plugin: { name: d, class: X }", "{ plugin: { name: d, class: X }, note: x }")
    outcome = check_steps(f"{{ css: {{ kickoff: {step} }} }}")
    assert outcome.sentences == [
        "warning taskGroups.city.temps.steps.css.kickoff.plugins[0]: "
        "unknown key note beside plugin; it is ignored; remove it"
    ]
