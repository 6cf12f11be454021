"""Bad definitions never start: one report says what is wrong, where, and the hint; exit 3."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.bad_input.town import DEFINITIONS, Town
from tests.engine.workspace import Ended, Workspace

MARK = "¦"
"""Stands in a bad text where the report's line and column shall point to."""

ITEM = "{ name: hour, indexRange: 2-3,"
TEMP_TASK = "tempTask: { dataDef: temps }"
CASES: dict[str, tuple[str, str, str, str]] = {
    # what is bad: (good text, bad text with the mark, what the report says, the hint or likely name)
    "not YAML": (
        "[ item: { name: title, value: title } ]",
        "[ item: { name: title, value: title }\n  ¦temps2:",
        "this is not YAML",
        "look at indentation and brackets",
    ),
    "tab": ("    query:\n", "¦\tquery:\n", "a tab indents this line", "indent with spaces"),
    "control character": ("value: title", 'value: "¦\x01"', "a control character", "remove it"),
    "second document": (
        "dataDefs:\n",
        "¦---\ndataDefs:\n",
        "a second document begins here",
        "a file of its own",
    ),
    "duplicate key": (
        "value: title",
        "value: title, ¦value: other",
        "value is written twice, with different values",
        "keep one of them",
    ),
    "duplicate block": (
        "  temps:\n    query:",
        "  temps: { query: { block: p }, items: [ item: { name: x } ] }\n  ¦temps:\n    query:",
        "temps is written twice, with different values",
        "keep one of them",
    ),
    "unknown key": (
        ITEM,
        "{ name: hour, ¦indxRange: 2-3,",
        "unknown key indxRange",
        "did you mean indexRange?",
    ),
    "unknown section": (
        "dataDefs:",
        "¦datadef: {}\ndataDefs:",
        "unknown key datadef",
        "did you mean dataDefs?",
    ),
    "number wanted": (
        ITEM,
        "{ name: hour, index: ¦two,",
        'must be a whole number, not "two"',
        "index: 2",
    ),
    "range wanted": (
        ITEM,
        "{ name: hour, indexRange: ¦2..6,",
        'is "2..6", which is not a range',
        "as in 2-6",
    ),
    "list wanted": (
        "items: [ item: { name: title, value: title } ]",
        "items: ¦{ name: title, value: title }",
        "must be a list, not",
        "items: [ item: { name: price } ]",
    ),
    "mapping wanted": (
        'query: { block: "body", selector: "h1" }',
        "query: ¦body",
        "must be a mapping, not",
        "query: { block:",
    ),
    "value wanted": ("value: title", "¦value:", "value has no value", "value: EUR"),
    "missing key": (
        'query: { block: "body", selector: "h1" }',
        '¦query: { selector: "h1" }',
        "block is missing",
        "add `block:",
    ),
    "unknown data definition": (
        TEMP_TASK,
        "tempTask: { dataDef: ¦tmeps }",
        "there is no data definition tmeps",
        "did you mean temps?",
    ),
    "unknown steps set": (
        TEMP_TASK,
        "tempTask: { dataDef: temps, steps: ¦jsoupDefalt }",
        "jsoupDefalt",
        "did you mean jsoupDefault?",
    ),
    "unknown step": (
        TEMP_TASK,
        "tempTask: { dataDef: temps, steps: { css: { extra: "
        "{ class: DataFilter, previous: ¦parsr, next: filter } } } }",
        "parsr",
        "did you mean parser?",
    ),
    "unknown step class": (
        TEMP_TASK,
        "tempTask: { dataDef: temps, steps: { css: { extra: "
        "{ class: ¦DataFliter, previous: parser, next: filter } } } }",
        "DataFliter",
        "did you mean DataFilter?",
    ),
    "unknown plugin class": (
        TEMP_TASK,
        "tempTask: { dataDef: temps, steps: { css: { extra: { class: DataConverter, previous: parser, "
        "next: filter, plugins: [ plugin: { name: d, class: ¦DateRoler, item: hour } ] } } } }",
        "unknown class DateRoler",
        "did you mean DateRoller?",
    ),
    "unknown plugin field": (
        TEMP_TASK,
        "tempTask: { dataDef: temps, steps: { css: { appender: { class: DataAppender, previous: filter, "
        "next: end, plugins: [ plugin: { name: f, class: FileAppender, file: x.txt, "
        "plugins: [ plugin: { name: c, class: CsvEncoder, ¦delimitr: ; } ] } ] } } } }",
        "delimitr",
        "delimiter",
    ),
    "unknown link group": (
        "value: title }",
        "selector: h1, linkGroup: ¦twon }",
        "there is no task group twon to link to",
        "did you mean town?",
    ),
    "bad CSS selector": (
        'selector: "h1" }',
        'selector: ¦"h1:nth-child(" }',
        "h1:nth-child(",
        "",
    ),
    "bad regex in a selector": (
        'selector: "h1" }',
        'selector: ¦"h1:matchesOwn([a-)" }',
        "[a-",
        "",
    ),
    "bad regex in a filter": (
        "value: title }",
        'value: title, filters: [ filter: { type: value, pattern: ¦"(a" } ] }',
        "the regex '(a' is wrong at character 2",
        "close it with )",
    ),
    "bad script": (
        "value: title }",
        'script: ¦"1 +* 2" }',
        "unexpected token in expression: '*'",
        "line 1, column 4 of the script",
    ),
    "bad placeholder": (
        'selector: "h1" }',
        'selector: ¦"h1:nth-child(%{item.indx})" }',
        "indx",
        "did you mean index?",
    ),
    "bad address": (
        "url: pages/lima.html",
        "url: ¦gopher://lima/",
        "pages cannot be loaded by gopher:",
        "use http, https or file",
    ),
    "endless range": (
        "value: title }",
        "value: title, indexRange: ¦1- }",
        "it would never end",
        "give it an end",
    ),
    "chain without end": (
        TEMP_TASK,
        "tempTask: { dataDef: temps, steps: { css: { "
        "appender: { class: DataAppender, previous: filter, next: ¦edn } } } }",
        "nothing follows step appender: there is no step edn",
        "did you mean end?",
    ),
}


def located(text: str) -> tuple[str, int, int]:
    """The text without its mark, and the line and column of the mark."""
    before, mark, after = text.partition(MARK)
    assert mark, text
    return before + after, before.count("\n") + 1, len(before) - before.rfind("\n")


@pytest.mark.parametrize(("good", "bad", "what", "hint"), CASES.values(), ids=CASES.keys())
def test_a_fault_is_reported_with_its_place_and_nothing_starts(
    workspace: Workspace, town: Town, good: str, bad: str, what: str, hint: str
) -> None:
    if "linkGroup" in bad:
        town.put("nameTask: { dataDef: name }", LINKING)
    assert DEFINITIONS.count(good) == 1
    text, line, column = located(town.job.read_text(encoding="utf-8").replace(good, bad))
    town.write(text)
    report = assert_refused(workspace)
    assert report["errors"] == 1, report
    found = next(each for each in report["findings"] if each["severity"] == "error")
    assert (found["file"], found["line"]) == ("defs/job.yml", line)
    assert found["column"] == column, found
    assert what in found["what"]
    ended = workspace.scoopi("run", "defs")
    for said in ("defs/job.yml", f"{line}:{column}", what, hint):
        assert said in ended.err, ended.err


LINKING = (
    "nameTask: { dataDef: name, steps: { css: { link: "
    "{ class: LocatorCreator, previous: parser, next: seeder } } } }"
)


def test_a_bad_xpath_is_reported_with_its_place(workspace: Workspace, town: Town) -> None:
    town.put("nameTask: { dataDef: name }", "nameTask: { dataDef: name, steps: xpath }")
    town.put('query: { block: "body", selector: "h1" }', 'query: { block: "//body", selector: ¦"h1[" }')
    text, line, column = located(town.job.read_text(encoding="utf-8"))
    town.write(text)
    report = assert_refused(workspace)
    errors = [each for each in report["findings"] if each["severity"] == "error"]
    assert [(each["line"], each["column"]) for each in errors] == [(line, column)]
    assert "h1[" in errors[0]["what"]


def test_an_empty_folder_is_reported(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.folder / "defs" / "plugins").mkdir(parents=True)
    (workspace.folder / "defs" / "plugins" / "not-looked-at.yml").write_text(DEFINITIONS)
    assert_reported(workspace, "the folder holds no definition files", "put a .yml file there")


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing yet\n", "---\n", "{}\n"])
def test_files_without_definitions_are_reported(workspace: Workspace, town: Town, text: str) -> None:
    town.write(text)
    assert_reported(workspace, "the files hold no definitions", "or with processes: for the scheduler")


def test_a_missing_folder_is_reported_with_its_likely_name(workspace: Workspace, town: Town) -> None:
    ended = workspace.scoopi("run", "dfs")
    assert ended.code == 3
    for said in ("dfs", "there is no such file or folder", "did you mean defs?"):
        assert said in ended.err


@pytest.mark.parametrize(
    ("content", "what", "hint"),
    [
        (b"\x7fELF\x02\x01\x01\0\0\0", "it is a binary file", "move it out of the folder of definitions"),
        (b"\xff\xd8\xff\xe0 no text", "byte 0xFF is not valid UTF-8", "save the file as UTF-8"),
        ("# Tromsø\n".encode("latin-1"), "byte 0xF8 is not valid UTF-8", "save the file as UTF-8"),
        (b"# " + b"x" * 16_000_001, "the file is larger than 16 MB", "split it into several files"),
        (b"a list of words", "the file holds a text, not definitions", "begin with locatorGroups:"),
        (b"- one\n- two\n", "the file holds a list, not definitions", "begin with locatorGroups:"),
        (b"[" * 100_000, "it is nested deeper than 50 levels", "use fewer levels"),
    ],
)
def test_a_file_that_holds_no_definitions_is_reported(
    workspace: Workspace, town: Town, content: bytes, what: str, hint: str
) -> None:
    (town.job.parent / "other.yml").write_bytes(content)
    assert_reported(workspace, what, hint, "defs/other.yml")


def test_aliases_of_aliases_are_bounded(workspace: Workspace, town: Town) -> None:
    lines = ["a0: &a0 [ x, x, x, x, x, x, x, x, x, x ]"]
    lines += [f"a{n}: &a{n} [ {', '.join([f'*a{n - 1}'] * 10)} ]" for n in range(1, 9)]
    (town.job.parent / "other.yml").write_text("\n".join(lines))
    assert_reported(
        workspace, "its aliases stand for more than 2,000,000 values", "use fewer aliases of aliases"
    )


def test_two_files_that_differ_on_one_name_are_reported_with_both_places(
    workspace: Workspace, town: Town
) -> None:
    (town.job.parent / "twin.yml").write_text(
        'dataDefs:\n  name: { query: { block: "p" }, items: [ item: { name: x, value: x } ] }\n'
    )
    ended = assert_reported(workspace, "name", "", "defs/twin.yml")
    assert "defs/job.yml:11:3" in ended.err


def test_all_faults_of_all_files_are_in_one_report(workspace: Workspace, town: Town) -> None:
    town.put(TEMP_TASK, "tempTask: { dataDef: tmeps }")
    town.put(ITEM, "{ name: hour, indxRange: 2-3,")
    (town.job.parent / "more.yml").write_text(
        'dataDefs:\n  more: { query: { block: "p" }, items: [ itm: { name: x } ] }\n'
    )
    ended = workspace.scoopi("run", "defs")
    assert ended.code == 3
    for said in ("did you mean temps?", "did you mean indexRange?", "defs/more.yml", "3 errors in 2 files"):
        assert said in ended.err, ended.err


def test_a_folder_without_rights_is_reported(workspace: Workspace, town: Town) -> None:
    # Rights don't bind root, as whom CI runs: the process gives root's power over them away first.
    town.job.parent.chmod(0)
    try:
        ended = workspace.process("run", "defs", powerless=True)
    finally:
        town.job.parent.chmod(0o755)
    assert ended.code == 3
    for said in ("defs", "it cannot be read: Permission denied", "change its permissions"):
        assert said in ended.err
    assert not (workspace.folder / "output").exists()


def test_a_file_without_rights_is_reported_and_hides_no_other_fault(workspace: Workspace, town: Town) -> None:
    (town.job.parent / "closed.yml").write_text(DEFINITIONS)
    (town.job.parent / "closed.yml").chmod(0)
    town.put(ITEM, "{ name: hour, indxRange: 2-3,")
    ended = workspace.process("run", "defs", powerless=True)
    assert ended.code == 3
    for said in ("defs/closed.yml", "it cannot be read: Permission denied", "did you mean indexRange?"):
        assert said in ended.err


def test_a_link_to_nowhere_is_reported(workspace: Workspace, town: Town) -> None:
    (town.job.parent / "gone.yml").symlink_to("nowhere.yml")
    assert_reported(workspace, "it is a link to nowhere.yml", "remove the link", "defs/gone.yml")


def test_bad_definitions_end_a_real_process_with_3_and_an_empty_stdout(
    workspace: Workspace, town: Town
) -> None:
    town.put(TEMP_TASK, "tempTask: { dataDef: tmeps }")
    ended = workspace.process("run", "defs")
    assert (ended.code, ended.out) == (3, "")
    assert "there is no data definition tmeps; did you mean temps?" in ended.err
    assert "Traceback" not in ended.err
    assert not (workspace.folder / "output").exists()


def assert_refused(workspace: Workspace) -> dict[str, Any]:
    """`run` ends with 3 before anything is made, `check` says the same; gives the report."""
    ended = workspace.scoopi("run", "defs")
    assert ended.code == 3, ended.err
    assert ended.out == ""
    assert not (workspace.folder / "output").exists()
    checked = workspace.scoopi("check", "defs", "--format", "json")
    assert checked.code == 3
    report: dict[str, Any] = json.loads(checked.out)
    return report


def assert_reported(workspace: Workspace, what: str, hint: str, where: str = "defs") -> Ended:
    """One error that says what, where and the hint, and exit 3 with nothing made."""
    report = assert_refused(workspace)
    assert report["errors"] == 1, report
    ended = workspace.scoopi("run", "defs")
    for said in (what, hint, where):
        assert said in ended.err, ended.err
    return ended


def test_the_hint_of_a_bad_address_is_a_field_of_its_own_in_json(workspace: Workspace, town: Town) -> None:
    town.add_locator("ftp://example.org/")
    report = assert_refused(workspace)
    (finding,) = report["findings"]
    assert finding["what"] == "pages cannot be loaded by ftp:"
    assert finding["hint"] == "use http, https or file; write ./ before a path with a colon"
