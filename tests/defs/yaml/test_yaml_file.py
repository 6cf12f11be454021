"""How the text of a definition file is read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from msgspec.structs import replace

from scoopi.defs.yaml import yaml_file
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Table, plain
from scoopi.defs.yaml.source_files import LARGEST_BYTES
from scoopi.defs.yaml.yaml_file import YamlFile
from tests.defs.written import DATA, PLACES, TASKS, Check

_WHOLE = PLACES + TASKS + DATA


def _read(text: str) -> tuple[Table | None, list[str]]:
    findings = Findings()
    table = YamlFile(text, "f", findings).read()
    return table, [f"{each.place}: {each.severity} {each.sentence()}" for each in findings.sorted()]


@pytest.mark.parametrize(
    "written",
    [
        "010",
        "0x1F",
        "2016-12-31",
        "1:30",
        "1e3",
        "1_000",
        "yes",
        "On",
        "null",
        "~",
        ".inf",
        "2-6",
        "5-",
        "1.50",
    ],
)
def test_a_scalar_is_its_text_as_written(written: str) -> None:
    table, found = _read(f"key: {written}")
    assert table is not None
    assert (table.text("key"), found) == (written, [])


def test_a_key_without_value_has_no_text() -> None:
    table, _ = _read("key:\nother: ''")
    assert table is not None
    assert (table.text("key"), table.text("other")) == (None, "")


def test_places_count_lines_and_columns_from_one() -> None:
    table, _ = _read("a: 1\nb:\n  - {c: é, d: 2}\n")
    assert table is not None
    entry = table.tables("b")[0]
    assert [str(place) for place in (table.keys["b"], entry.keys["d"], entry.at("d"))] == [
        "f:2:1",
        "f:3:12",
        "f:3:15",
    ]


def test_anchors_and_merge_keys_work() -> None:
    table, found = _read("a: &x { p: 1, q: 2 }\nb: *x\nc: { <<: [ *x, { r: 3, p: 9 } ], q: 7 }\n")
    assert table is not None
    assert found == []
    assert plain(table) == {
        "a": {"p": "1", "q": "2"},
        "b": {"p": "1", "q": "2"},
        "c": {"q": "7", "p": "1", "r": "3"},
    }


def test_a_quoted_merge_key_is_a_name() -> None:
    table, _ = _read("'<<': { p: 1 }")
    assert table is not None
    assert plain(table) == {"<<": {"p": "1"}}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "a: 1\nb: 2\na: 3\n",
            ["f:3:1: error a is written twice, with different values (see f:1:1); keep one of them"],
        ),
        (
            "a: [1]\na: ['1']\n",
            ["f:2:1: warning a is written twice, with the same value (see f:1:1); keep one of them"],
        ),
        ("a:\n\tb: 1\n", ["f:2:1: error a tab indents this line; indent with spaces"]),
        ("a:\n  b: 1\n \tc: 1\n", ["f:3:2: error a tab indents this line; indent with spaces"]),
        ("a: 1\n---\nb: 2\n", ["f:2:1: error a second document begins here; put it into a file of its own"]),
        (
            "a: *nowhere\n",
            [
                "f:1:4: error this alias names an anchor that is not defined; "
                "define the anchor before it; a text that begins with * needs quotes"
            ],
        ),
        ("a: &x [ *x ]\n", ["f:1:4: error an anchored block holds itself; write the inner block out"]),
        ("a: x\x01\n", ["f:1:5: error a control character is not allowed in a text file; remove it"]),
        ("? [ a ]\n: b\n", ["f:1:3: error a name is needed before the colon; write `name: value`"]),
        ("'': b\n", ["f:1:1: error a name is needed before the colon; write `name: value`"]),
        (
            "a: { <<: 1 }\n",
            ["f:1:10: error <<: a merge key takes mappings only; name an anchor of one: `<<: *anchor`"],
        ),
        (
            "- a\n- b\n",
            [
                "f:1:1: error the file holds a list, not definitions; "
                "begin with locatorGroups:, taskGroups:, dataDefs: or steps:"
            ],
        ),
        (
            "just words\n",
            [
                "f:1:1: error the file holds a text, not definitions; "
                "begin with locatorGroups:, taskGroups:, dataDefs: or steps:"
            ],
        ),
        (
            'a: 1\nb: { c: "d }\ne: f\n',
            [
                "f:2:9: error a quoted text begins here and has no end; "
                "close it with the quote that it begins with"
            ],
        ),
        (
            "a: [ 1, 2\nb: 3\n",
            [
                "f:2:2: error this is not YAML: while parsing a flow sequence that begins at 1:4: "
                "did not find expected ',' or ']'; "
                "look at indentation and brackets; a text with special characters needs quotes"
            ],
        ),
    ],
)
def test_what_is_wrong_with_the_text_is_said_with_its_place(text: str, found: list[str]) -> None:
    assert _read(text)[1] == found


def test_a_tab_inside_a_script_is_no_fault() -> None:
    table, found = _read("a: |\n  if (x)\n  \ty()\n")
    assert table is not None
    assert (found, table.text("a")) == ([], "if (x)\n\ty()\n")


def test_deep_nesting_is_refused() -> None:
    _, found = _read("a: " + "[" * 20_000 + "]" * 20_000)
    (refused,) = found  # libyaml from 0.2.6 on refuses it further on in the line
    assert re.fullmatch(r"f:1:(52|1003): error it is nested deeper than 50 levels; use fewer levels", refused)


def test_deep_nesting_by_aliases_is_refused() -> None:
    lines = ["a0: &a0 [ x ]"] + [f"a{n}: &a{n} [ *a{n - 1} ]" for n in range(1, 60)]
    assert _read("\n".join(lines))[1] == [
        "f:50:6: error it is nested deeper than 50 levels; use fewer levels"
    ]


def test_aliases_of_aliases_are_bounded() -> None:
    lines = ["a0: &a0 [ x, x, x, x, x, x, x, x, x, x ]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert _read("\n".join(lines))[1] == [
        "f:7:5: error its aliases stand for more than 2,000,000 values; use fewer aliases of aliases"
    ]


def test_the_loader_in_python_reads_the_same(monkeypatch: pytest.MonkeyPatch, check: Check) -> None:
    fast = check(_WHOLE)
    monkeypatch.setattr(yaml_file, "LOADER", yaml.SafeLoader)
    slow = check(_WHOLE)
    assert slow.found == []
    slow_group, fast_group = (each.definitions.locator_groups["city"] for each in (slow, fast))
    assert [*slow_group.locators] == [*fast_group.locators]
    assert replace(slow.definitions, locator_groups={}) == replace(fast.definitions, locator_groups={})


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"a: \x00\x01\x02", "bad.yml: error it is a binary file; move it out of the folder of definitions"),
        (
            b"a: 1\nb: caf\xe9\n",
            "bad.yml:2:7: error byte 0xE9 is not valid UTF-8; save the file as UTF-8",
        ),
        (
            b"\xef\xbb\xbfa: 1\nb\xc3\xa9: \xff\n",
            "bad.yml:2:5: error byte 0xFF is not valid UTF-8; save the file as UTF-8",
        ),
        (
            b"#" * (LARGEST_BYTES + 1),
            "bad.yml: error the file is larger than 16 MB; split it into several files",
        ),
    ],
)
def test_a_file_that_is_no_text_is_one_finding(check: Check, content: bytes, found: str) -> None:
    assert check({"a.yml": _WHOLE, "bad.yml": content}).found == [found]


def test_a_mark_of_utf_8_or_utf_16_is_understood(check: Check, tmp_path: Path) -> None:
    wide = check({"a.yml": _WHOLE.encode("utf-16")})
    marked = check({"a.yml": b"\xef\xbb\xbf" + _WHOLE.encode()})
    assert (wide.found, marked.found) == ([], [])
    assert wide.definitions.data_defs.keys() == marked.definitions.data_defs.keys() == {"temps"}


def test_an_anchor_may_be_defined_once() -> None:
    assert _read("a: &x 1\nb: &x 2\n")[1] == [
        "f:2:4: error this is not YAML: found duplicate anchor; first occurrence: second occurrence; "
        "look at indentation and brackets; a text with special characters needs quotes"
    ]


def test_an_alias_may_be_a_name() -> None:
    table, found = _read("a: &x name\n*x : 1\n")
    assert table is not None
    assert (found, plain(table), str(table.keys["name"])) == ([], {"a": "name", "name": "1"}, "f:1:4")


def test_of_a_text_that_is_no_yaml_nothing_else_is_reported() -> None:
    assert len(_read("a: 1\na: 2\nb: ]\n")[1]) == 1
    assert len(_read("a: &x [ *x ]\nb: ]\n")[1]) == 1
