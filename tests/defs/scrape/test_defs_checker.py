"""What a run reaches, and what must be there for it."""

from __future__ import annotations

import pytest

from scoopi.defs.scrape.checkers import Checkers, Fault, SelectorFaults
from scoopi.model.data_def import DataDef
from scoopi.model.records import RecordSchema
from scoopi.model.records.record_def import RecordDef
from scoopi.model.records.record_fault import RecordFault
from scoopi.model.scrape.task_def import OutputDef
from tests.defs.written import DATA, PLACES, TASKS, Check

_LINK = "steps: { css: { link: { class: LocatorCreator, previous: parser, next: seeder } } }"
_PAGES = """
locatorGroups:
  start: { locators: [ { name: a, url: /a.html } ] }
taskGroups:
  start: { links: { dataDef: next, STEPS } }
  page: { links: { dataDef: next, STEPS }, rows: { dataDef: rows } }
dataDefs:
  next:
    query: { block: nav }
    items: [ item: { name: more, selector: 'a attribute: href', linkGroup: page, once: true } ]
  rows: { query: { block: table, selector: td }, items: [ item: { name: row, selector: th } ] }
""".replace("STEPS", _LINK)


def test_links_lead_to_further_groups(check: Check) -> None:
    outcome = check(_PAGES)
    assert outcome.found == []
    assert list(outcome.definitions.task_groups) == ["start", "page"]
    assert list(outcome.definitions.data_defs) == ["next", "rows"]
    tasks = outcome.definitions.task_groups["page"].tasks
    assert [(task.group, task.name, task.data_def) for task in tasks] == [
        ("page", "links", "next"),
        ("page", "rows", "rows"),
    ]


def test_a_link_group_that_is_not_there_is_an_error(check: Check) -> None:
    assert check(_PAGES.replace("linkGroup: page", "linkGroup: pag")).found == [
        "10:76: error dataDefs.next.items[0].linkGroup: there is no task group pag to link to; "
        "did you mean page?"
    ]


def test_a_link_group_that_no_step_follows_may_be_absent(check: Check) -> None:
    text = PLACES + TASKS + DATA.replace("selector: th", "selector: th, linkGroup: nowhere")
    assert check(text).report.errors == ()


def test_items_without_link_group_in_a_link_task_are_a_warning(check: Check) -> None:
    item = "item: { name: row, selector: th }"
    text = _PAGES.replace("once: true } ]", f"once: true }}, {item} ]")
    assert check(text).sentences == [
        "warning dataDefs.next.items[1]: item 'row' has no linkGroup: no links are made from it; "
        "add `linkGroup: …`, or remove the item"
    ]


def test_a_locator_group_without_task_group_is_skipped_with_a_warning(check: Check) -> None:
    text = PLACES + "  citi: { locators: [ { name: x, url: /x } ] }\n" + TASKS + DATA
    outcome = check(text)
    assert outcome.found == [
        "3:3: warning locatorGroups.citi: there is no task group citi: these locators are skipped; "
        "did you mean city?"
    ]
    assert list(outcome.definitions.locator_groups) == ["city"]


def test_nothing_to_do_is_an_error(check: Check) -> None:
    outcome = check(PLACES + TASKS.replace("city", "town") + DATA)
    assert [each.sentence() for each in outcome.report.errors] == [
        "locatorGroups: no locator group has a task group of its name: there is nothing to do; "
        "give both the same name"
    ]


def test_what_is_not_reached_is_a_warning_and_left_out(check: Check) -> None:
    more = "  town: { temps: { dataDef: spare } }\n"
    spare = "  spare: { query: { block: b }, items: [ item: { name: a } ] }\n"
    outcome = check(PLACES + TASKS + more + DATA + spare)
    assert outcome.found == [
        "5:3: warning taskGroups.town: no locator or link leads to the task group town; "
        "remove it, or add locators for it",
        "10:3: warning dataDefs.spare: no task that is reached uses the data definition spare; remove it",
    ]
    assert list(outcome.definitions.task_groups) == ["city"]
    assert list(outcome.definitions.data_defs) == ["temps"]


def test_a_data_definition_that_no_locator_leads_to_may_be_absent(check: Check) -> None:
    outcome = check(PLACES + TASKS + "  town: { temps: { dataDef: nowhere } }\n" + DATA)
    assert outcome.report.errors == ()


def test_unknown_steps_are_an_error_wherever_they_are(check: Check) -> None:
    outcome = check(PLACES + TASKS + "  town: { temps: { dataDef: temps, steps: cs } }\n" + DATA)
    assert [each.sentence() for each in outcome.report.errors] == [
        "taskGroups.town.temps.steps: there is no steps set cs; did you mean css?"
    ]


_MORE_RECORDS = """\
  town: { each: .town, fields: { name: h1, next: { select: a, type: url, follow: vilage } } }
  village: { each: .village, fields: { name: h2 } }
"""
_RECORDS = f"""\
{PLACES}taskGroups:
  city: {{ a: {{ dataDef: twn, output: a.foo }} }}
  village: {{ b: {{ dataDef: village, output: b.foo }} }}
dataDefs:
{_MORE_RECORDS}"""


def _wrong_formats(task: str, output: OutputDef, schema: RecordSchema | None) -> list[Fault]:
    columns = "unknown columns" if schema is None else ", ".join(each.name for each in schema.columns)
    return [Fault(f"{output.to} of {columns}")]


def _wrong_records(record_def: RecordDef) -> list[RecordFault]:
    return [RecordFault(("each",), f"{record_def.name} is wrong", "")]


def test_a_misspelt_name_hides_no_fault_of_what_it_means(check: Check) -> None:
    checkers = Checkers(output=_wrong_formats, records=_wrong_records)
    assert check(_RECORDS, checkers=checkers).sentences == [
        "error taskGroups.city.a.dataDef: there is no data definition twn; did you mean town?",
        "error taskGroups.city.a.output: a.foo of unknown columns",
        "error taskGroups.village.b.output: b.foo of name",
        "error dataDefs.town.each: town is wrong",
        "error dataDefs.town.fields.next.follow: there is no task group vilage to follow; "
        "did you mean village?",
        "error dataDefs.village.each: village is wrong",
    ]


def test_what_a_misspelt_name_means_has_no_faults_that_only_the_misspelling_causes(check: Check) -> None:
    parent = _RECORDS.replace("name: h2", "name: h2, of: { parent: name }")
    assert check(parent).sentences == [
        "error taskGroups.city.a.dataDef: there is no data definition twn; did you mean town?",
        "error dataDefs.town.fields.next.follow: there is no task group vilage to follow; "
        "did you mean village?",
    ]
    changed = parent.replace("city: { a", "city: { changed: true, a")
    assert check(changed).sentences == check(parent).sentences


def test_a_misspelt_group_of_locators_hides_no_fault_of_the_tasks(check: Check) -> None:
    text = (
        _RECORDS.replace("twn", "town").replace("vilage", "village").replace("  city: { loc", "  cty: { loc")
    )
    checkers = Checkers(output=_wrong_formats, records=_wrong_records)
    assert [each.sentence() for each in check(text, checkers=checkers).report.errors] == [
        "locatorGroups: no locator group has a task group of its name: there is nothing to do; "
        "give both the same name",
        "taskGroups.city.a.output: a.foo of name, next",
        "taskGroups.village.b.output: b.foo of name",
        "dataDefs.town.each: town is wrong",
        "dataDefs.village.each: village is wrong",
    ]


def test_a_misspelt_key_or_section_hides_no_fault_and_causes_none(check: Check) -> None:
    text = PLACES + TASKS.replace("temps }", "twn }") + "dataDefs:\n" + _MORE_RECORDS
    text = text.replace(", follow: vilage", "")
    known = check(text.replace("twn", "town"), checkers=Checkers(records=_wrong_records))
    misspelt = text.replace("dataDef: twn", "dataDeff: town").replace("dataDefs:", "dataDfs:")
    errors = check(misspelt, checkers=Checkers(records=_wrong_records)).report.errors
    assert [each.sentence() for each in errors] == [
        "taskGroups.city.temps: unknown key dataDeff; did you mean dataDef?",
        "unknown key dataDfs; did you mean dataDefs?",
        *(each.sentence() for each in known.report.errors),
    ]
    assert [each.key for each in known.report.errors] == ["dataDefs.town.each"]


@pytest.mark.parametrize(
    "steps", ["xpth", "{ xpth: { x: { class: DataFilter, previous: parser, next: filter } } }"]
)
def test_a_misspelt_steps_set_hides_no_wrong_selector(check: Check, steps: str) -> None:
    def wrong(data_def: DataDef) -> SelectorFaults:
        return [(data_def.items[0].place, "the selector is wrong", "")]

    text = PLACES + TASKS.replace("temps }", f"temps, steps: {steps} }}") + DATA
    errors = check(text, checkers=Checkers(xpath=wrong)).report.errors
    assert [each.what for each in errors] == ["there is no steps set xpth", "the selector is wrong"]


def test_a_definition_that_no_misspelt_name_means_is_not_checked(check: Check) -> None:
    text = PLACES + TASKS.replace("dataDef: temps", "dataDef: tems") + DATA + _MORE_RECORDS
    assert check(text, checkers=Checkers(records=_wrong_records)).sentences == [
        "error taskGroups.city.temps.dataDef: there is no data definition tems; did you mean temps?"
    ]


def test_strict_makes_errors_of_warnings(check: Check) -> None:
    text = PLACES + TASKS + DATA + "  spare: { query: { block: b }, items: [ item: { name: a } ] }\n"
    outcome = check(text, strict=True)
    assert outcome.sentences == [
        "error dataDefs.spare: no task that is reached uses the data definition spare; remove it"
    ]
    assert outcome.definitions.task_groups == {}


def test_addresses_and_live_of_what_is_reached_are_checked(check: Check) -> None:
    def bad(text: str) -> Fault | None:
        return Fault(f"{text!r} is wrong") if "!" in text else None

    places = PLACES + "  town: { locators: [ { name: a, url: '!' } ] }\n"
    tasks = TASKS.replace("{ temps", "{ live: 'P!', temps")
    text = (
        places.replace("http://h/o", "'x:!'")
        + tasks
        + "  spare: { live: '!', t: { dataDef: temps } }\n"
        + DATA
    )
    outcome = check(text, checkers=Checkers(url=bad, live=bad))
    assert [f"{each.place.line}:{each.place.column} {each.sentence()}" for each in outcome.report.errors] == [
        "2:42 locatorGroups.city.locators[0].url: 'x:!' is wrong",
        "5:17 taskGroups.city.live: 'P!' is wrong",
    ]


@pytest.mark.parametrize(
    ("persist", "kept"),
    [("", True), (", persist: { data: true }", True), (", persist: { data: no }", False)],
)
def test_persist_and_live_arrive(check: Check, persist: str, kept: bool) -> None:
    tasks = f"taskGroups:\n  city: {{ live: P1W, temps: {{ dataDef: temps{persist} }} }}\n"
    group = check(PLACES + tasks + DATA).definitions.task_groups["city"]
    assert (group.live, [task.name for task in group.tasks], group.tasks[0].persist_data) == (
        "P1W",
        ["temps"],
        kept,
    )


def test_steps_and_selectors_are_checked_where_the_chain_is_wrong_too(check_steps: Check) -> None:
    seen: list[str] = []
    steps = "{ css: { filter: { class: Filtr, previous: parser, next: apender }, "
    steps += "appender: { class: DataAppender, previous: filtr, next: end } } }"

    def note(data_def: DataDef) -> SelectorFaults:
        seen.append(data_def.name)
        return []

    outcome = check_steps(
        steps, checkers=Checkers(css=note, step_class=lambda name: Fault(f"unknown class {name}"))
    )
    assert seen == ["temps"]
    assert [each.what for each in outcome.report.errors] == [
        "unknown class Filtr",
        "nothing follows step filter: there is no step apender",
    ]
