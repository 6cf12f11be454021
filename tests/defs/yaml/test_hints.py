"""Hints use the names that other tools have, and what the user has written."""

from __future__ import annotations

import pytest

from scoopi.defs.yaml.hints import number_in_unit, use_below
from scoopi.defs.yaml.node import Node, Table, Text
from scoopi.defs.yaml.shape import Key, Kind, ListOf, Record, Scalar
from scoopi.model.place import Place
from tests.defs.written import DATA, PLACES, TASKS, Check

HERE = Place("defs.yml", 1, 1)
INNER = (
    Key("select", Scalar(Kind.NAME), "", 'select: "a @href"', True),
    Key("max", Scalar(Kind.INTEGER), "", "max: 20"),
)
NEXT = Key("next", Record(INNER), "", "")


def table(**texts: str | Table) -> Table:
    nodes: dict[str, Node] = {
        name: Text(value, HERE) if isinstance(value, str) else value for name, value in texts.items()
    }
    return Table(nodes, dict.fromkeys(nodes, HERE), HERE)


@pytest.mark.parametrize(
    ("written", "use"),
    [
        (table(max="3", next=table(select="li > a @href")), 'next: { select: "li > a @href", max: 3 }'),
        (table(max="3"), 'next: { select: "a @href", max: 3 }'),
        (table(max="many", next=table(select="a")), "next: { select: a, max: 20 }"),
        (table(max="3", next=table(select='a["x"]')), 'next: { select: "a @href", max: 3 }'),
    ],
)
def test_a_misplaced_key_is_shown_below_its_owner_with_what_is_required_there(
    written: Table, use: str
) -> None:
    assert use_below(NEXT, "max", written) == use


def test_a_key_of_the_mappings_of_a_list_is_shown_in_one() -> None:
    actions = Key("actions", ListOf(Record(INNER[1:])), "", "")
    assert use_below(actions, "max", table(max="3")) == "actions: [ { max: 3 } ]"


RECORDS = """\
locatorGroups: {{ list: "http://a/" }}
taskGroups: {{ list: {{ ads: {{ dataDef: ad }}{more} }} }}
dataDefs: {{ ad: {{ fields: {{ name: {field} }} }} }}
"""


@pytest.mark.parametrize(
    ("field", "found"),
    [
        ("{ css: h3 }", "unknown key css; did you mean select?"),
        ("{ xpath: //h3 }", "unknown key xpath; did you mean select?"),
        (
            "{ select: h3, type: percent }",
            'type is "percent"; known are text, integer, decimal, price, boolean, date, datetime, url, json',
        ),
        (
            "{ select: a @href, next: true }",
            "unknown key next; it is a key of a task: write `TASK: { next: … }` or `TASK: { crawl: … }` into "
            "the task group",
        ),
        (
            "{ select: a @href, type: url, follow: list, links: { max: 3 } }",
            "unknown key max; the most pages of a pagination are `pages`, as in `pages: 20`",
        ),
        (
            "{ select: a @href, type: url, follow: list, links: { once: run } }",
            "unknown key once; write it beside `links`, as a key of the field",
        ),
        ("{ select: h3, type: dat }", 'type is "dat"; did you mean date?'),
    ],
)
def test_a_wrong_field_leads_to_the_key_or_the_types(check: Check, field: str, found: str) -> None:
    (sentence,) = check(RECORDS.format(field=field, more="")).sentences
    assert sentence.endswith(found)


@pytest.mark.parametrize(
    ("more", "found"),
    [
        (", more: { crawl: { max: 9 } }", "unknown key max; the number of pages is bounded by `budget: {"),
        (
            ", more: { crawl: { until: seen } }",
            "unknown key until; the pages of a list are read by a task with `next`, in place of `crawl`",
        ),
        (
            ", more: { follow: { select: a @href, group: list, max: 9 } }",
            "unknown key max; the pages of a list are read by a task with `next`, in place of `follow`",
        ),
        (
            ", more: { follow: { select: a @href, group: list, next: true } }",
            "unknown key next; the pages of a list are read by a task with `next`",
        ),
        (
            ", more: { follow: { select: a @href, group: list, same: host } }",
            "unknown key same; links are chosen by a task with `crawl`, or by `links` of a field",
        ),
        (
            ", more: { next: { select: a @href, once: run } }",
            "unknown key once; a list never reads a page twice; remove it",
        ),
        (", more: { follow: { select: a @href, group: list, once: true } }", 'is "true"; did you mean run?'),
        (", more: { next: { select: a @href, depth: 9 } }", "unknown key depth; did you mean max?"),
        (
            ", more: { dataDef: ad, budget: { pages: 9 } }",
            "unknown key budget; it is a key of the task group: ",
        ),
        (", more: { dataDef: ad, changed: true }", "unknown key changed; it is a key of the task group: "),
        (", budget: { bytes: 5 MB }", 'must be a whole number of bytes, not "5 MB"; write `bytes: 5000000`'),
    ],
)
def test_a_key_at_the_wrong_place_or_in_another_unit_leads_to_the_right_one(
    check: Check, more: str, found: str
) -> None:
    (sentence,) = check(RECORDS.format(field="h3", more=more)).sentences
    assert found in sentence


def test_max_beside_next_belongs_inside(check: Check) -> None:
    more = ", more: { next: li.next > a @href, max: 3 }"
    (sentence,) = check(RECORDS.format(field="h3", more=more)).sentences
    assert sentence == (
        "error taskGroups.list.more: max is a key of `next`; write it there: "
        '`next: { select: "li.next > a @href", max: 3 }`'
    )


@pytest.mark.parametrize("links", ["max: x", "group: lst"])
def test_a_fault_of_a_task_of_links_is_reported_once_where_no_other_task_reads(
    check: Check, links: str
) -> None:
    text = RECORDS.partition("dataDefs")[0].replace("{{ dataDef: ad }}{more}", "{{ next: {{ {more} }} }}")
    (sentence,) = check(text.format(more=f'select: "a @href", {links}')).sentences
    assert f"taskGroups.list.ads.next.{links.partition(':')[0]}: " in sentence


def test_data_definitions_are_missed_where_no_task_stands_for_one(check: Check) -> None:
    sentences = check(PLACES + TASKS + "x-more: 1\n").sentences
    assert len(sentences) == 2
    assert "dataDefs is missing" in sentences[0]
    assert DATA.startswith("dataDefs:")


def test_a_duration_is_no_hint_for_a_number_without_a_unit() -> None:
    assert [number_in_unit("2h", unit) for unit in ("seconds", "ms", "bytes", "")] == [
        7200,
        7_200_000,
        None,
        None,
    ]
