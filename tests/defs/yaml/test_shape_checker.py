"""Keys that are unknown, missing or of another kind than the language wants."""

from __future__ import annotations

import pytest

from tests.defs.written import DATA, PLACES, TASKS, Check


@pytest.mark.parametrize(
    ("item", "found"),
    [
        (
            "nam: hour",
            ["unknown key nam; did you mean name?"],
        ),
        (
            "name: hour, colour: red",
            [
                "unknown key colour; known are name, value, match, script, selector, index, "
                "indexRange, breakAfter, order, filters, prefix, linkGroup, linkBreakOn, once, download"
            ],
        ),
        ("name: ''", ["name is blank; write `name: price`"]),
        ("name: [ a ]", ["name must be a single value, not a list; write `name: price`"]),
        (
            "name: hour, index: 99999999999",
            ['index is "99999999999", which is too large; 2147483647 is the largest'],
        ),
        (
            "name: hour, indexRange: 1-99999999999",
            ['indexRange is "1-99999999999", which is too large; 2147483647 is the largest'],
        ),
        (
            f"name: hour, index: {'9' * 5000}",
            [f'index is "{"9" * 40}", which is too large; 2147483647 is the largest'],
        ),
        ("name: hour, index: 2.5", ['index must be a whole number, not "2.5"; write `index: 2`']),
        (
            "name: hour, indexRange: 2..6",
            ['indexRange is "2..6", which is not a range; write FROM-TO, FROM- or one number, as in 2-6'],
        ),
        ("name: hour, order: first", ['order must be a whole number, not "first"; write `order: 1`']),
        (
            "name: hour, breakAfter: x",
            ['breakAfter must be a list, not a text; write `breakAfter: [ "Total" ]`'],
        ),
        ("name: hour, prefix: []", ["prefix is empty; add an entry, or remove it"]),
        (
            "name: hour, prefix: [ { a: b } ]",
            ['prefix[0] must be a single value, not a mapping; write `prefix: [ "/pages/" ]`'],
        ),
        ("name: hour, selector: ", ["selector has no value; write `selector: td:nth-child(%{index})`"]),
        (
            "name: hour, filters: [ { type: value, pattern: x } ]",
            ["an entry of this list is `filter: { … }`; put `filter:` before it"],
        ),
        ("name: hour, filters: [ filter: { type: value } ]", ['pattern is missing; add `pattern: ""`']),
        (
            "name: hour, linkGroup: city, once: maybe",
            ['once must be true or false, not "maybe"; write `once: true`'],
        ),
    ],
)
def test_what_an_item_must_not_say(check_item: Check, item: str, found: list[str]) -> None:
    outcome = check_item(item)
    errors = [each.sentence() for each in outcome.report.errors]
    assert len(errors) == len(found)
    assert all(said.endswith(end) for said, end in zip(errors, found, strict=True)), errors


def test_a_finding_has_file_line_column_and_key(check_item: Check) -> None:
    outcome = check_item('name: hour, index: "x"')
    assert outcome.found == [
        '8:41: error dataDefs.temps.items[0].index: index must be a whole number, not "x"; write `index: 2`'
    ]


@pytest.mark.parametrize(
    "item",
    [
        'name: 2016, index: "2"',
        "name: on, indexRange: 3",
        "name: hour, order: '7'",
        "name: null, value: 0x1F",
    ],
)
def test_scalars_are_read_by_the_type_that_the_key_wants(check_item: Check, item: str) -> None:
    assert check_item(item).found == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            PLACES.replace("locatorGroups", "locatorGroup") + TASKS + DATA,
            ["error unknown key locatorGroup; did you mean locatorGroups?"],
        ),
        (
            PLACES.replace("[ {", "{").replace("} ]", "}") + TASKS + DATA,
            [
                "error locatorGroups.city.locators: locators must be a list, not a mapping; "
                "write `locators: [ { name: oslo, url: /pages/oslo.html } ]`"
            ],
        ),
        (
            PLACES.replace("[ { name: oslo, url: http://h/o } ]", "[]") + TASKS + DATA,
            ["error locatorGroups.city.locators: locators is empty; add an entry, or remove it"],
        ),
        (
            PLACES.replace(" } ]", " }, { url: http://h/o, name: oslo } ]") + TASKS + DATA,
            [
                "error locatorGroups.city.locators[1]: this entry of locators occurs twice "
                "(see defs.yml:2:23); "
                "remove one of them"
            ],
        ),
        (
            PLACES + TASKS.replace("dataDef: temps", "datadef: temps") + DATA,
            [
                "error taskGroups.city.temps: unknown key datadef; did you mean dataDef?",
            ],
        ),
        (
            PLACES + TASKS.replace("{ temps: { dataDef: temps } }", "{ live: P1W }") + DATA,
            [
                "error taskGroups.city: city has no task; add at least one task",
            ],
        ),
        (
            PLACES + TASKS.replace("{ temps: {", "{ live: {") + DATA,
            [
                "error taskGroups.city: city has no task; add at least one task",
                'error taskGroups.city.live: live must be a single value, not a mapping; write `live: "P1W"`',
            ],
        ),
        (
            PLACES + TASKS.replace("temps }", "temps, persist: {} }") + DATA,
            ["error taskGroups.city.temps.persist: data is missing; add `data: true`"],
        ),
        (
            PLACES + TASKS + DATA.replace("query: { block: table, selector: td }", "query: td"),
            [
                "error dataDefs.temps.query: query must be a mapping, not a text; "
                'write `query: { block: "table#prices", selector: "td:nth-child(2)" }`'
            ],
        ),
        (
            PLACES + TASKS + DATA.replace("item: {", "{"),
            ["error dataDefs.temps.items[0]: an entry of this list is `item: { … }`; put `item:` before it"],
        ),
        (
            PLACES + TASKS + "dataDefs: {}\n",
            [
                "error taskGroups.city.temps.dataDef: there is no data definition temps",
                "error dataDefs: dataDefs has no data definition; add at least one data definition",
            ],
        ),
    ],
)
def test_what_sections_must_not_say(check: Check, text: str, found: list[str]) -> None:
    assert check(text).sentences == found


def test_all_findings_of_all_files_are_in_one_report(check: Check) -> None:
    outcome = check(
        {
            "a.yml": PLACES.replace("url", "uri"),
            "b.yml": TASKS.replace("dataDef: temps", "dataDef: tempz"),
            "c.yml": DATA.replace("th }", "th, index: x }"),
        }
    )
    assert outcome.sentences == [
        "error locatorGroups.city.locators[0]: unknown key uri; did you mean url?",
        "error taskGroups.city.temps.dataDef: there is no data definition tempz; did you mean temps?",
        'error dataDefs.temps.items[0].index: index must be a whole number, not "x"; write `index: 2`',
    ]


def test_another_key_beside_item_is_an_error(check: Check) -> None:
    text = (
        PLACES
        + TASKS
        + DATA.replace(
            "[ item: { name: hour, selector: th } ]", "[ { item: { name: hour, selector: th }, more: x } ]"
        )
    )
    assert check(text).found == [
        "8:52: error dataDefs.temps.items[0]: unknown key more beside item; "
        "indent it below item, or remove it"
    ]


def test_what_may_follow_from_another_error_is_not_reported_beside_it(check: Check) -> None:
    own = "steps:\n  own: { css: { links: { class: LocatorCreator, previous: parser, next: end } } }\n"
    linked = DATA.replace("th }", "th, linkGroup: city }")
    tasks = TASKS.replace("temps }", "temps, steps: own }")
    assert check(PLACES + tasks + linked + own).sentences == []
    assert check(PLACES + tasks.replace("own }", "onw }") + linked + own).sentences == [
        "error taskGroups.city.temps.steps: there is no steps set onw; did you mean own?"
    ]
    assert check(PLACES + tasks + linked + own.replace("previous: parser", "previous: praser")).sentences == [
        "error steps.own.css.links.previous: there is no step praser; did you mean parser?"
    ]


@pytest.mark.parametrize(
    ("group", "said"),
    [
        ("frames: true", "frames is a key of `browser`; write it there: `browser: { frames: true }`"),
        ("timeout: 5s", "timeout is a key of `browser`; write it there: `browser: { timeout: 30000 }`"),
        (
            "until: { text: x }",
            "until is a key of `browser`; write it there: `browser: { until: { selector: ",
        ),
        ("time: 600", "time is a key of `budget`; write it there: `budget: { time: 600 }`"),
        ("actions: ", "actions is a key of `browser`; write it there: `browser: { actions: [ { click: "),
        (
            "crawl: { same: host }",
            'crawl is a key of a task; write it there: `TASK: { crawl: { same: host, deny: "/login", ',
        ),
        ("next: a.next @href", "next is a key of a task; write it there: `TASK: { next: { select: "),
        ("follow: { select: a, group: b }", "follow is a key of a task; write it there: `TASK: { follow: {"),
        ("output: a.csv", "output is a key of a task; write it there: `TASK: { output: [ books.csv, "),
        ("other: true", "other must be a mapping, not true; write `other: { dataDef: prices }`"),
        ("other: ", "other has no value; write `other: { dataDef: prices }`"),
    ],
)
def test_a_key_that_belongs_one_level_deeper_is_no_task(check: Check, group: str, said: str) -> None:
    tasks = TASKS.replace("{ temps: { dataDef: temps } }", f"{{ temps: {{ dataDef: temps }}, {group} }}")
    (found,) = check(PLACES + tasks + DATA).found
    assert found.startswith(("4:38: error taskGroups.city", "4:45: error taskGroups.city.other"))
    assert said in found


def test_a_task_may_have_the_name_of_such_a_key(check: Check) -> None:
    assert check(PLACES + TASKS.replace("temps: {", "until: {") + DATA).found == []
    assert check(PLACES + TASKS.replace("temps: {", "next: {") + DATA).found == []


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("locatorGroups: { city: }", 'city has no value; write `city: "https://shop.example/"`'),
        ("sites: { a: { delay: 0s } }", 'must be a whole number of ms, not "0s"; write `delay: 0`'),
        (
            "sites: { a: { budget: { time: 10m } } }",
            'must be a whole number of seconds, not "10m"; write `time: 600`',
        ),
        ("sites: { a: { delay: soon } }", 'must be a whole number of ms, not "soon"; write `delay: 250`'),
        ("dataDefs: { temps: }", "temps has no value; write `temps: { each: "),
    ],
)
def test_the_hint_is_a_valid_value_in_its_unit(check: Check, section: str, said: str) -> None:
    others = {"locatorGroups": PLACES, "taskGroups": TASKS, "dataDefs": DATA}
    others[section.partition(":")[0]] = f"{section}\n"
    found = check("".join(others.values())).found
    assert len([each for each in found if said in each]) == 1, found
