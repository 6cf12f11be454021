"""The language reference has what the code has: keys, plugins, pseudo-classes, objects of scripts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scoopi.app import check
from scoopi.defs.scrape.class_names import STEP_CLASSES
from scoopi.defs.scrape.language import ENCODER, LANGUAGE
from scoopi.defs.scrape.step_sets import BUILT_IN_SETS
from scoopi.plugins.converters.calendar_field import FIELDS
from tests.docs.markdown import PAGES, ROOT, Page
from tests.docs.tables import names_in, records_of, shown_records, tables, with_tables

REFERENCE = Page("defs/README.md")


@pytest.mark.parametrize("name", PAGES)
def test_a_table_made_from_the_code_is_up_to_date(name: str) -> None:
    text = Page(name).text

    assert text == with_tables(text), "run `python -m tests.docs.tables`"


def test_each_table_is_in_one_page() -> None:
    placed = [table for name in PAGES for table in names_in(Page(name).text)]

    assert sorted(placed) == sorted(tables())


def test_each_record_of_the_language_has_a_table() -> None:
    """An encoder has the keys of a plugin, without plugins of its own."""
    tabled = [*shown_records(), ENCODER]

    assert [record.names for record in records_of(LANGUAGE) if record not in tabled] == []


def test_the_step_classes_are_those_of_the_program() -> None:
    rows = REFERENCE.table("class", "takes → gives", "also known as")

    assert sorted(name for name, _, _ in rows) == sorted(STEP_CLASSES)


def test_the_built_in_sets_are_named() -> None:
    section = _section("4.2")

    assert [name for name in BUILT_IN_SETS if f"`{name}`" not in section] == []
    assert [step for step in BUILT_IN_SETS["css"] if f"`{step}`" not in section] == []


def test_the_pseudo_classes_are_those_of_the_program(tmp_path: Path) -> None:
    shown = set(re.findall(r":([a-z][A-Za-z-]*)", "".join(re.findall(r"`(:[^`]+)`", _section("3.2")))))

    assert shown == set(re.findall(r" :([A-Za-z-]+)", _hint(tmp_path, block="p:nonsense")))


def test_the_properties_of_placeholders_are_those_of_the_program(tmp_path: Path) -> None:
    known = _hint(tmp_path, selector="b%{item.nonsense}").removeprefix("known are ").split(", ")

    line = next(text for text in _section("2.4").split("\n\n") if text.startswith("`prop`"))
    assert [name for name in known if f"`{name}`" not in line] == []


def test_the_fields_of_the_calendar_are_those_of_the_program() -> None:
    section = _section("4.5")

    assert [name for name in FIELDS if f"`{name}`" not in section] == []


@pytest.mark.parametrize(("file", "section"), [("page.js", "2.8"), ("data.js", "4.5")])
def test_the_getters_of_script_objects_are_those_of_the_program(file: str, section: str) -> None:
    code = (ROOT / "scoopi" / "script" / file).read_text(encoding="utf-8")
    getters = set(re.findall(r"^ +((?:get|is|set)[A-Z]\w+)\(", code, re.MULTILINE))

    assert getters
    assert [name for name in getters if name not in _section(section)] == []


def _section(number: str) -> str:
    """The text from one numbered heading to the next one."""
    found = re.search(
        rf"^### {re.escape(number)} .*?(?=^##)", f"{REFERENCE.text}\n##", re.MULTILINE | re.DOTALL
    )
    assert found
    return found[0]


def _hint(folder: Path, block: str = "p", selector: str = "b") -> str:
    """What the check answers to a definition with a mistake."""
    (folder / "one.yml").write_text(
        "locatorGroups: { g: { locators: [ { name: a, url: 'http://a.example/' } ] } }\n"
        "taskGroups: { g: { t: { dataDef: d } } }\n"
        f"dataDefs: {{ d: {{ query: {{ block: '{block}', selector: '{selector}' }},\n"
        "                 items: [ item: { name: i } ] } }\n"
    )
    (finding,) = check(folder, environ={}).errors
    return finding.hint
