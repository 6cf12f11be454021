"""Files that tasks write to."""

# Messages are quoted whole.
# ruff: noqa: E501

from __future__ import annotations

from inspect import signature

import pytest

from scoopi.defs.scrape.output_checker import ENCODER_DEFAULTS
from scoopi.plugins.encoders.csv_encoder import CsvEncoder
from scoopi.plugins.encoders.jsonl_encoder import JsonlEncoder
from scoopi.plugins.parameters import camel_case
from tests.defs.written import DATA, PLACES, Check

_CSV = "plugin: { name: csv, class: CsvEncoder }"


def _tasks(one: str, two: str) -> str:
    text = PLACES + "taskGroups:\n  city:\n"
    for name, plugin in (("one", one), ("two", two)):
        step = f"{{ class: DataAppender, previous: filter, next: end, plugins: [ plugin: {plugin} ] }}"
        text += f"    {name}: {{ dataDef: temps, steps: {{ css: {{ appender: {step} }} }} }}\n"
    return text + DATA


def _file(file: str, encoder: str = "") -> str:
    csv = f"plugin: {{ name: csv, class: CsvEncoder{encoder} }}"
    return f"{{ name: out, class: FileAppender, file: {file}, plugins: [ {csv} ] }}"


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("/tmp/x", "is absolute"),
        ("../x", "leaves the folder of the run"),
        ('""', "names no file"),
        ("x/", "names no file"),
        ("run.json", "is reserved"),
        (".gz", "is reserved, as are all names that begin with a dot"),
        ("x" * 256, "has a name of more than 255 bytes, which is too long for a file system"),
    ],
)
def test_a_file_that_cannot_be_is_an_error_that_says_why(check: Check, file: str, why: str) -> None:
    written = file.strip('"')
    assert check(_tasks(_file(file), _file("ok.txt"))).found == [
        "5:165: error taskGroups.city.one.steps.css.appender.plugins.out.file: "
        f"file {written!r} {why}; give a path below the folder of the run, as in data.txt"
    ]


def test_two_formats_for_one_file_are_an_error_with_both_places(check: Check) -> None:
    outcome = check(_tasks(_file("a.txt"), _file("output/a.txt", ', delimiter: "|"')))
    assert outcome.found == [
        "6:125: error taskGroups.city.two.steps.css.appender.plugins.out: "
        "tasks city.one and city.two write a.txt with different encoder settings (see defs.yml:5:125); "
        "use the same settings, or two files"
    ]


@pytest.mark.parametrize(
    "encoder", [", delimiter: ','", ", includeTags: False", ", quote: minimal, header: false"]
)
def test_settings_that_say_the_default_are_the_same(check: Check, encoder: str) -> None:
    assert check(_tasks(_file("a.txt"), _file("a.txt", encoder))).found == []


def test_two_files_under_one_plugin_name_are_two_files(check: Check) -> None:
    assert check(_tasks(_file("a.txt"), _file("b.txt", ", delimiter: ';'"))).found == []


@pytest.mark.parametrize(
    ("one", "two"), [("prices", "prices/eur.csv"), ("a/b/c", "output/a"), ("x.gz", "x.gz/y")]
)
def test_a_file_that_is_the_folder_of_another_is_an_error(check: Check, one: str, two: str) -> None:
    assert check(_tasks(_file(one), _file(two))).found == [
        "6:125: error taskGroups.city.two.steps.css.appender.plugins.out.file: tasks city.one and city.two write "
        f"{one} and {two.removeprefix('output/')}: one name cannot be a file and a folder (see defs.yml:5:125); "
        "rename one of them"
    ]


def test_files_whose_names_only_begin_alike_are_beside_each_other(check: Check) -> None:
    assert check(_tasks(_file("prices"), _file("prices.d/eur.csv"))).found == []


def _two_data_defs(dims: str, encoder: str = ", header: true") -> str:
    text = _tasks(_file("a.csv", encoder), _file("a.csv", encoder)).replace(
        "two: { dataDef: temps", "two: { dataDef: winds"
    )
    return (
        f"{text}  winds:\n    query: {{ block: table, selector: td }}\n"
        f"    items: [ item: {{ name: hour, selector: th }} ]\n    dims: [ {dims} ]\n"
    )


def test_one_header_over_rows_of_two_widths_is_an_error(check: Check) -> None:
    assert check(_two_data_defs("item: { name: day, selector: th }")).found == [
        "6:125: error taskGroups.city.two.steps.css.appender.plugins.out: tasks city.one and city.two write a.csv "
        "with one header, but their columns differ: hour, fact; and hour, day, fact (see defs.yml:5:125); "
        "use two files, or leave the header out"
    ]
    assert check(_two_data_defs("item: { name: day, selector: th }", "")).found == []


def test_one_header_that_misnames_columns_is_a_warning(check: Check) -> None:
    text = _two_data_defs("item: { name: day, selector: th }").replace(
        "items: [ item: { name: hour, selector: th } ]\n  winds",
        "items: [ item: { name: hour, selector: th } ]\n    dims: [ item: { name: week, selector: th } ]\n  winds",
    )
    assert check(text).sentences == [
        "warning taskGroups.city.two.steps.css.appender.plugins.out: tasks city.one and city.two write a.csv "
        "with one header, but their columns differ: hour, week, fact; and hour, day, fact (see defs.yml:5:125); "
        "use two files, or the same names"
    ]


@pytest.mark.parametrize(
    ("name", "encoder", "meaning"),
    [
        ("name", "", "the locator's name"),
        ("group", "", "the task group"),
        ("page", ", includeTags: true", "the page's position in the chain of links"),
        ("page", "", ""),
    ],
)
def test_a_column_named_as_one_of_the_header_is_a_warning(
    check: Check, name: str, encoder: str, meaning: str
) -> None:
    text = _two_data_defs(f"item: {{ name: {name}, selector: th }}", f", header: true{encoder}")
    reported = [sentence for sentence in check(text).sentences if "two columns" in sentence]
    assert len(reported) == (1 if meaning else 0)
    assert all(
        f"the header of a.csv has two columns '{name}': one is {meaning}; rename" in each for each in reported
    )


@pytest.mark.parametrize("kind", [CsvEncoder, JsonlEncoder])
def test_the_defaults_stated_here_are_those_of_the_encoders(kind: type) -> None:
    written = {camel_case(each.name): each.default for each in signature(kind).parameters.values()}
    reported = {
        name: str(value).lower() if value in (True, False) else value for name, value in written.items()
    }
    assert ENCODER_DEFAULTS[kind.__name__] == reported


def test_several_encoders_in_one_appender_are_an_error(check: Check) -> None:
    two = f"{{ name: out, class: FileAppender, file: a.txt, plugins: [ {_CSV}, plugin: {{ name: j, class: J }} ] }}"
    assert check(_tasks(two, _file("b.txt"))).sentences == [
        "error taskGroups.city.one.steps.css.appender.plugins.out: appender out has 2 encoders, but it takes only one; "
        "give each encoder an appender of its own"
    ]


def test_an_appender_without_encoder_is_an_error(check: Check) -> None:
    assert check(_tasks("{ name: out, class: FileAppender, file: a.txt }", _file("b.txt"))).sentences == [
        "error taskGroups.city.one.steps.css.appender.plugins.out: appender out has no encoder: "
        "nothing is written; add `plugins: [ plugin: { name: csv, class: CsvEncoder } ]`"
    ]


def test_a_list_needs_no_encoder(check: Check) -> None:
    one = "{ name: rows, class: org.codetab.scoopi.plugin.appender.ListAppender }"
    assert check(_tasks(one, _file("b.txt"))).found == []
