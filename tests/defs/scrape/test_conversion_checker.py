"""Converters name entries of the data definitions that they convert."""

from __future__ import annotations

import pytest

from tests.defs.written import PLACES, Check

_DATA = """\
dataDefs:
  temps:
    query: { block: table, selector: td }
    items: [ item: { name: hour, selector: th } ]
  winds:
    query: { block: table, selector: td }
    items: [ item: { name: knots, selector: th } ]
"""
_STEPS = """\
steps:
  dated:
    css:
      roll:
        class: DataConverter
        previous: filter
        next: appender
        plugins:
          - plugin: { name: d, class: DateRoller, item: %s, inPattern: yyyy, outPattern: yy, roll: YEAR=1 }
%s"""
_TASKS = """\
taskGroups:
  city:
    one: { dataDef: temps, steps: dated }
    two: { dataDef: winds, steps: %s }
"""
_SCRIPT = """\
      tidy:
        class: Scripter
        previous: %s
        next: %s
        plugins: [ plugin: { name: s, class: BasicScript, script: x } ]
"""


def _text(item: str, script: str = "", other: str = "dated") -> str:
    return PLACES + _TASKS % other + _DATA + _STEPS % (item, script)


def test_a_name_of_no_data_definition_that_shares_the_steps_is_an_error(check: Check) -> None:
    assert check(_text("our")).found == [
        "22:21: error steps.dated.css.roll.plugins.d: none of temps, winds has an item, dim or fact our "
        "to convert; did you mean hour?"
    ]


def test_a_name_of_one_data_definition_is_a_warning_for_the_others(check: Check) -> None:
    assert check(_text("hour")).found == [
        "22:21: warning steps.dated.css.roll.plugins.d: winds has no item, dim or fact hour to convert: "
        "its tasks will fail; give tasks of this data definition other steps"
    ]


def test_data_definitions_with_other_steps_do_not_count(check: Check) -> None:
    assert check(_text("knots", other="css")).sentences == [
        "error steps.dated.css.roll.plugins.d: temps has no item, dim or fact knots to convert; "
        "known are fact, hour"
    ]


def test_behind_a_script_any_name_may_be_an_entry(check: Check) -> None:
    assert check(_text("other", _SCRIPT % ("filter", "roll"))).found == []


def test_a_script_behind_the_converter_brings_no_entry(check: Check) -> None:
    assert "error" in check(_text("other", _SCRIPT % ("roll", "appender"))).sentences[0]


@pytest.mark.parametrize("section", ["appender", "encoder"])
def test_a_plugin_without_its_wrapper_is_an_error(check: Check, section: str) -> None:
    encoder = "{ name: csv, class: CsvEncoder }"
    wrapped = f"plugin: {{ name: out, class: FileAppender, file: x.txt, plugins: [ {encoder} ] }}"
    plugin = wrapped if section == "encoder" else "{ name: out, class: FileAppender, file: x.txt }"
    step = f"appender: {{ class: DataAppender, previous: filter, next: end, plugins: [ {plugin} ] }}"
    tasks = f"taskGroups: {{ city: {{ one: {{ dataDef: temps, steps: {{ css: {{ {step} }} }} }} }} }}\n"
    outcome = check(PLACES + tasks + _DATA)
    what = "an entry of this list is `plugin: { … }`"
    assert [what, "put `plugin:` before it"] in [[each.what, each.hint] for each in outcome.report.errors]
