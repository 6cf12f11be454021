"""Whether a data definition can do what it says."""

# Messages are quoted whole.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from scoopi.defs.scrape.checkers import Checkers, Fault, SelectorFaults
from scoopi.model.data_def import DataDef
from tests.defs.written import DATA, PLACES, TASKS, Check


def _bad_selectors(data_def: DataDef) -> SelectorFaults:
    """Finds fault with each selector that holds a `!`."""
    found = [(data_def.block_place, data_def.block), (data_def.selector_place, data_def.selector or "")]
    found += [
        (each.selector_place, each.selector or "")
        for each in (*data_def.items, *data_def.dims, *data_def.facts)
    ]
    return [(place, f"{text!r} is no selector", "take ! out") for place, text in found if "!" in text]


def _bad_text(text: str) -> Fault | None:
    return Fault("there is a !") if "!" in text else None


_CHECKERS = Checkers(css=_bad_selectors, regex=_bad_text, script=_bad_text)


@pytest.mark.parametrize(
    ("item", "rest", "found"),
    [
        (
            "name: hour, selector: th",
            "dims: [ item: { name: hour, selector: b } ]",
            "9:27: error dataDefs.temps.dims[0].name: the name 'hour' occurs twice in temps "
            "(see defs.yml:8:28); rename one",
        ),
        (
            "name: fact",
            "",
            "8:28: error dataDefs.temps.items[0].name: 'fact' is not a valid name for an item or dim; "
            "only facts are called `fact`",
        ),
        (
            "name: hour",
            "facts: [ item: { name: price, value: a }, item: { name: stock, value: b } ]",
            "9:61: error dataDefs.temps.facts[1].name: the facts of temps have two names (see defs.yml:9:28); "
            "they share one column: give them one name",
        ),
        (
            "name: hour",
            "facts: [ item: { name: hour } ]",
            "9:28: error dataDefs.temps.facts[0].name: the name 'hour' occurs twice in temps "
            "(see defs.yml:8:28); rename one",
        ),
        (
            "name: hour, selector: th, indexRange: 9-2",
            "",
            "8:60: warning dataDefs.temps.items[0].indexRange: the range 9-2 is read as 2-9; write 2-9",
        ),
        (
            "name: hour",
            "facts: [ item: { name: fact }, item: { name: fact, prefix: [ x ] } ]",
            "9:50: error dataDefs.temps.facts[1].name: the name 'fact' occurs twice in temps "
            "(see defs.yml:9:28); rename one",
        ),
        (
            "name: hour, value: x, indexRange: 2-",
            "",
            "8:56: error dataDefs.temps.items[0]: the range of 'hour' is open and its value never changes: "
            "it would never end; give it an end, as in indexRange: 1-5",
        ),
        (
            "name: hour, match: x, breakAfter: [ y ]",
            "",
            "8:56: error dataDefs.temps.items[0]: the range of 'hour' is open and its match never changes: "
            "it would never end; give it an end, as in indexRange: 1-5",
        ),
        (
            "name: hour, index: 2, breakAfter: [ y ]",
            "",
            "8:56: error dataDefs.temps.items[0]: the range of 'hour' is open and there is nothing to read: "
            "it has no rows; give it an end, as in indexRange: 1-5",
        ),
        (
            "name: hour",
            "facts: [ item: { name: fact, indexRange: 2- } ]",
            "9:46: error dataDefs.temps.facts[0]: the range of 'fact' is open and a fact ends by breakAfter only: "
            "it would never end; give it an end, as in indexRange: 1-5",
        ),
        (
            "name: hour, selector: th, indexRange: 2-",
            "",
            "8:60: warning dataDefs.temps.items[0]: the range of 'hour' is open, but its selector does not "
            "change with %{index}; put %{index} into it, or give the range an end",
        ),
        (
            "name: hour, index: 1, indexRange: 2-3",
            "",
            "8:34: warning dataDefs.temps.items[0]: index is ignored beside indexRange; remove it",
        ),
        (
            "name: hour, filters: [ filter: { type: value, pattern: 'a!' } ]",
            "",
            "8:77: error dataDefs.temps.items[0].filters[0].pattern: the pattern is wrong: there is a !",
        ),
        (
            "name: hour, linkGroup: town, linkBreakOn: [ '?a!', 'b!*' ]",
            "",
            "8:73: error dataDefs.temps.items[0].linkBreakOn[1]: the pattern 'b!*' is wrong: there is a !; "
            "for an address as it is, write \\Q before and \\E behind it",
        ),
        (
            "name: hour, filters: [ filter: { type: mtch, pattern: a } ]",
            "",
            "8:61: warning dataDefs.temps.items[0].filters[0].type: filter type 'mtch' acts as value; "
            "write value or match",
        ),
        (
            "name: hour, script: 'a(%{index}) !'",
            "",
            "8:42: error dataDefs.temps.items[0].script: the script is wrong: there is a !",
        ),
        (
            "name: hour, value: x, script: '!'",
            "",
            "8:52: warning dataDefs.temps.items[0].script: the script is wrong, but never run beside value or "
            "match: there is a !; remove it",
        ),
        (
            "name: hour, selector: 'td!'",
            "",
            "8:44: error dataDefs.temps.items[0].selector: 'td!' is no selector; take ! out",
        ),
        (
            "name: hour, match: x, selector: 'td!'",
            "",
            "8:54: warning dataDefs.temps.items[0].selector: 'td!' is no selector; this selector is never used; "
            "remove it",
        ),
        (
            "name: hour",
            "facts: [ item: { name: fact, selector: td } ]",
            "9:44: warning dataDefs.temps.facts[0]: the selector of a fact is ignored; put it into query.selector",
        ),
        (
            "name: hour, once: true",
            "",
            "8:40: warning dataDefs.temps.items[0]: once has no effect without linkGroup; add `linkGroup: …`",
        ),
        (
            "name: hour, linkGroup: city",
            "",
            "8:45: warning dataDefs.temps.items[0]: no task makes links from temps: linkGroup has no effect; "
            "give a task of it a LocatorCreator step after the parser",
        ),
        (
            "name: hour",
            "dims: [ item: { name: day, linkGroup: city } ]",
            "9:43: warning dataDefs.temps.dims[0]: links are made from items only, not from the dim 'day'; "
            "move linkGroup to an item",
        ),
    ],
)
def test_what_is_found(check_item: Check, item: str, rest: str, found: str) -> None:
    outcome = check_item(item, rest, checkers=_CHECKERS)
    assert outcome.found == [found]
    assert bool(outcome.definitions.data_defs) == ("warning" in found)


@pytest.mark.parametrize(
    ("item", "rest"),
    [
        ("name: hour, selector: 'td %{item.index}', breakAfter: [ x ]", ""),
        ("name: hour, selector: 'td %{item.hour.index}', indexRange: 2-", ""),
        ("name: hour, script: next(), indexRange: 2-", ""),
        ("name: hour", "facts: [ item: { name: fact, value: a }, item: { name: fact, value: b } ]"),
        ("name: hour, index: -1", ""),
        ("name: hour, value: ''", ""),
    ],
)
def test_what_the_original_runs_is_accepted(check_item: Check, item: str, rest: str) -> None:
    assert check_item(item, rest, checkers=_CHECKERS).found == []


def test_block_and_query_selector_are_checked(check_item: Check) -> None:
    outcome = check_item("name: hour", block="x!", selector="y!", checkers=_CHECKERS)
    assert outcome.found == [
        "7:21: error dataDefs.temps.query.block: 'x!' is no selector; take ! out",
        "7:37: error dataDefs.temps.query.selector: 'y!' is no selector; take ! out",
    ]


def test_selectors_are_checked_by_the_engine_of_the_tasks(check: Check) -> None:
    tasks = "taskGroups:\n  city: { a: { dataDef: temps }, b: { dataDef: temps, steps: xpath } }\n"
    asked: list[str] = []

    def css(data_def: DataDef) -> SelectorFaults:
        asked.append("css")
        return []

    def xpath(data_def: DataDef) -> SelectorFaults:
        asked.append("xpath")
        return []

    check(PLACES + tasks + DATA, checkers=Checkers(css=css, xpath=xpath))
    assert sorted(asked) == ["css", "xpath"]
    asked.clear()
    check(PLACES + TASKS + DATA, checkers=Checkers(css=css, xpath=xpath), default_steps="xpath")
    assert asked == ["xpath"]


def test_what_no_run_uses_is_not_looked_into(check: Check) -> None:
    spare = "  spare: { query: { block: '!' }, items: [ item: { name: a, selector: '%{x}!' } ] }\n"
    assert check(PLACES + TASKS + DATA + spare, checkers=_CHECKERS).found == [
        "9:3: warning dataDefs.spare: no task that is reached uses the data definition spare; remove it"
    ]


def test_a_wrong_range_is_an_error_even_where_no_run_goes(check: Check) -> None:
    spare = "  spare: { query: { block: b }, items: [ item: { name: a, indexRange: -5 } ] }\n"
    assert check(PLACES + TASKS + DATA + spare).sentences == [
        'error dataDefs.spare.items[0].indexRange: indexRange is "-5", which is not a range; '
        "write FROM-TO, FROM- or one number, as in 2-6"
    ]


def test_what_is_reported_at_a_place_is_not_reported_again_by_an_engine(check_item: Check) -> None:
    item = "name: hour, selector: 'td! %{nothing}'"
    found = check_item(item, checkers=_CHECKERS).report.findings
    assert [each.what for each in found] == ["placeholder %{nothing} asks for the unknown property 'nothing'"]
