"""Whether steps and plugins exist and fit together."""

# Messages are quoted whole.
# ruff: noqa: E501

from __future__ import annotations

import pytest

from scoopi.defs.scrape.checkers import ChainPluginKind, Checkers, Fault
from scoopi.model.scrape.plugin_def import PluginDef
from tests.defs.written import DATA, PLACES, Check

_AT = "taskGroups.city.temps.steps.css"
_BEGIN = "a chain begins with one LocatorSeeder and one PageLoader; look at `previous` of its steps"
_FILE = "{ name: f, class: FileAppender, file: a.txt, plugins: [ plugin: { name: csv, class: CsvEncoder } ] }"


def _unknown(name: str) -> Fault | None:
    return None if name == "mine.Step" else Fault(f"unknown class {name}")


_ROLLER = (
    "x: {{ class: DataConverter, previous: {}, next: appender, plugins: [ plugin: "
    "{{ name: d, class: DateRoller, item: {}, inPattern: yyyy, outPattern: yy, roll: YEAR=1 }} ] }}"
)
_SCRIPT = (
    "s: { class: Scripter, previous: filter, next: x, plugins: [ plugin: { name: s, class: BasicScript } ] }"
)


@pytest.mark.parametrize(
    ("step", "found"),
    [
        (
            _ROLLER.format("filter", "houre"),
            f"error {_AT}.x.plugins.d: temps has no item, dim or fact houre to convert; did you mean hour?",
        ),
        (
            "x: { class: DataFiltr, previous: filter, next: appender }",
            f"error {_AT}.x.class: unknown class DataFiltr; did you mean DataFilter?",
        ),
        (
            "parser: { class: org.codetab.scoopi.step.parse.jsoup.QueryAnalyzer, previous: loader, next: end }",
            f"error {_AT}.parser: org.codetab.scoopi.step.parse.jsoup.QueryAnalyzer: "
            "Scoopi has no interactive analyser; use CssParser or XPathParser",
        ),
        (
            "x: { class: Scripter, previous: filter, next: appender, plugins: [ plugin: { name: s, "
            "class: org.codetab.scoopi.plugin.script.DomScript } ] }",
            f"error {_AT}.x.plugins.s: org.codetab.scoopi.plugin.script.DomScript: there is no class DomScript; "
            "use BasicScript",
        ),
        (
            "x: { class: DataFilter, previous: loader, next: parser }",
            f"error {_AT}.x: step x (DataFilter) works on data, and step loader (PageLoader) before it gives a page; "
            "look at `previous` and `class` of both",
        ),
        (
            f"x: {{ class: DataAppender, previous: filter, next: appender, plugins: [ plugin: {_FILE} ] }}",
            f"error {_AT}.x: step x (DataAppender) ends its chain, and step appender (DataAppender) follows; "
            "set `next: end` in x",
        ),
        (
            "seeder: { class: LocatorSeeder, previous: start, next: end }",
            "error taskGroups.city.temps: the steps of task temps end before a page is loaded; "
            "put a PageLoader behind the seeder",
        ),
        (
            "loader: { class: mine.Step, previous: seeder, next: parser }",
            f"error {_AT}.loader: step loader (mine.Step) cannot stand at its place; {_BEGIN}",
        ),
        (
            "seeder: { class: Scripter, previous: start, next: loader, plugins: [ plugin: "
            "{ name: s, class: BasicScript } ] }",
            f"error {_AT}.seeder: step seeder (Scripter) cannot stand at its place; {_BEGIN}",
        ),
        (
            "parser: { class: PageLoader, previous: loader, next: filter }",
            f"error {_AT}.parser: step parser (PageLoader) cannot stand at its place; {_BEGIN}",
        ),
        (
            "parser: { class: DomLoader, previous: loader, next: filter }",
            f"error {_AT}.parser: step parser (DomLoader) cannot stand at its place; {_BEGIN}",
        ),
        (
            "filter: { class: DataFilter, previous: parser, next: appender, plugins: [ plugin: "
            "{ name: s, class: BasicScript } ] }",
            f"warning {_AT}.filter.plugins: step filter (DataFilter) takes no plugins: they do nothing; "
            "remove them",
        ),
        (
            "x: { class: DataConverter, previous: filter, next: appender }",
            f"warning {_AT}.x: step x has no plugins: it does nothing; add `plugins: [ plugin: {{ … }} ]`",
        ),
    ],
)
def test_what_is_found(check_steps: Check, step: str, found: str) -> None:
    outcome = check_steps(f"{{ css: {{ {step} }} }}", checkers=Checkers(step_class=_unknown))
    assert outcome.sentences == [found]


def test_a_step_of_a_plugin_may_take_and_give_anything(check_steps: Check) -> None:
    step = "x: { class: mine.Step, previous: loader, next: filter }"
    parser = "parser: { class: CssParser, previous: nowhere, next: end }"
    outcome = check_steps(f"{{ css: {{ {step}, {parser} }} }}", checkers=Checkers(step_class=_unknown))
    assert outcome.report.errors == ()


@pytest.mark.parametrize("item", ["hour", "fact"])
def test_a_converter_may_name_any_entry_of_the_tasks_definition(check_steps: Check, item: str) -> None:
    assert check_steps(f"{{ css: {{ {_ROLLER.format('filter', item)} }} }}").sentences == []


def test_behind_a_script_rows_may_have_any_entries(check_steps: Check) -> None:
    outcome = check_steps(f"{{ css: {{ {_SCRIPT}, {_ROLLER.format('s', 'minute')} }} }}")
    assert outcome.sentences == []


def test_plugins_are_checked_once_each_by_the_kind_of_their_step(check: Check) -> None:
    asked: list[tuple[str, str, dict[str, object]]] = []

    def plugin(kind: ChainPluginKind, each: PluginDef) -> list[Fault]:
        asked.append((kind, each.class_name, each.fields))
        return [Fault("field item is missing")] if kind == "converters" else []

    steps = """
steps:
  own:
    css:
      a:
        class: DataConverter
        previous: filter
        next: b
        plugins: [ plugin: { name: d, class: org.x.DateRoller, inPattern: MMM, roll: [ 1, { x: on } ] } ]
      b: { class: Scripter, previous: a, next: appender, plugins: [ plugin: { name: s, class: my.Script } ] }
"""
    tasks = "taskGroups:\n  city:\n"
    tasks += "".join(f"    {name}: {{ dataDef: temps, steps: own }}\n" for name in ("one", "two"))
    outcome = check(PLACES + tasks + DATA + steps, checkers=Checkers(plugin=plugin))
    assert asked == [
        ("converters", "DateRoller", {"inPattern": "MMM", "roll": ["1", {"x": "on"}]}),
        ("scripts", "my.Script", {}),
        ("appenders", "FileAppender", {"file": "output/data.txt"}),
        ("encoders", "CsvEncoder", {"delimiter": "|", "includeTags": "false"}),
    ]
    assert outcome.found == ["19:28: error steps.own.css.a.plugins.d: field item is missing"]


def test_a_field_without_value_is_left_out_with_a_warning(check_steps: Check) -> None:
    step = "x: { class: DataConverter, previous: filter, next: appender, plugins: [ plugin: { name: d, class: X, y: } ] }"
    outcome = check_steps(f"{{ css: {{ {step} }} }}")
    assert outcome.sentences == [
        f'warning {_AT}.x.plugins[0].y: y has no value and is ignored; write "" for an empty text, or remove it'
    ]
    assert outcome.definitions.task_groups["city"].tasks[0].steps[4].plugins[0].fields == {}


_LOADER = (
    "loader: {{ class: PageLoader, previous: seeder, next: parser, plugins: [ plugin: {{ name: t, {} }} ] }}"
)


@pytest.mark.parametrize(
    ("first", "later", "is_error"),
    [
        ("", "class: a.Loader", True),
        ("class: a.Loader", "class: b.Loader", True),
        ("class: a.Loader", "class: a.Loader, user: me", True),
        ("class: a.Loader", "class: a.Loader", False),
        ("class: a.Loader", "", False),
    ],
)
def test_a_loader_plugin_that_would_never_be_called_is_an_error(
    check: Check, first: str, later: str, is_error: bool
) -> None:
    tasks = [
        f"    {name}: {{ dataDef: temps, steps: {{ css: {{ {_LOADER.format(plugin) if plugin else ''} }} }} }}\n"
        for name, plugin in (("one", first), ("two", later))
    ]
    accepting = Checkers(step_class=lambda name: None, plugin=lambda kind, plugin: [])
    sentences = check(PLACES + "taskGroups:\n  city:\n" + "".join(tasks) + DATA, checkers=accepting).sentences
    expected = (
        "error taskGroups.city.two.steps.css.loader.plugins.t: plugin t would load no page: the pages of group "
        "city are loaded once for all its tasks, by the loader of the first one, one; "
        "give one the same loader, or move the task to a group of its own"
    )
    assert (expected in sentences) is is_error, sentences


def test_a_loader_plugin_beside_a_browser_is_an_error(check: Check) -> None:
    step = _LOADER.format("class: a.Loader")
    tasks = f"    loader: browser\n    one: {{ dataDef: temps, steps: {{ css: {{ {step} }} }} }}\n"
    accepting = Checkers(step_class=lambda name: None, plugin=lambda kind, plugin: [])
    sentences = check(PLACES + "taskGroups:\n  city:\n" + tasks + DATA, checkers=accepting).sentences
    assert sentences == [
        "error taskGroups.city.one.steps.css.loader.plugins.t: plugin t would load no page: group city has "
        "`loader: browser`; remove one of them"
    ]
