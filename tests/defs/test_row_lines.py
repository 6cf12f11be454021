"""Long lists of similar lines are read as the YAML library reads them."""

from __future__ import annotations

import random
from typing import Any

import pytest
import yaml

from scoopi.defs.yaml import row_lines
from scoopi.defs.yaml.entries import Entries
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Listing, Node, Table, Text, is_same
from scoopi.defs.yaml.row_lines import LEAST_LINES, cut_rows
from scoopi.defs.yaml.yaml_file import YamlFile
from scoopi.model.place import Place

ROWS = [f'  - {{ name: n{number}, url: "http://h:80/p?q={number}&r" }}' for number in range(2 * LEAST_LINES)]
LINES = [
    "a:",
    "b: |",
    "  c:",
    "  d: >-",
    "e: [",
    "  ]",
    "- x",
    "  - x",
    "    - y: z",
    "",
    "  # a remark",
    '  f: "',
    '  "',
    "---",
    "  - { name: a, url: /a }",
    "  - { name: b, url: /b }",
    "  - { name: c, url: /c }  ",
    "  - { name: d, url: /d } # why",
    "  - { name: null, url: 12 }",
    '  - { name: "1", url: /e }',
    '  - { name: "f g", url: "x, y: z" }',
    '  - { name: "h i", url: "j" }',
    "  - {name: k, url: 'l'}",
    "  - {name: m, url: n}",
    "  - {name: o, name: p}",
    "  - { name: q }",
    "  - &r { name: s, url: t }",
    "  - *r",
    "  - { <<: *r }",
    "  - { name: u, url: [ v ] }",
    "- { name: w, url: /w }",
    "- { name: x, url: http://x:1/y:z }",
    "  -  { name: é, url: /é }",
]
"""Lines of which any number may follow each other."""


def read(text: str, least: int, monkeypatch: pytest.MonkeyPatch) -> tuple[Table | None, list[str]]:
    monkeypatch.setattr(row_lines, "LEAST_LINES", least)
    findings = Findings()
    table = YamlFile(text, "f", findings).read()
    return table, [f"{each.place} {each.severity} {each.sentence()}" for each in findings.sorted()]


def places(node: Node) -> list[Place]:
    if isinstance(node, Text):
        return [node.place]
    inner = node.entries if isinstance(node, Listing) else node.entries.values()
    keys = [] if isinstance(node, Listing) else [*node.keys.values()]
    return [node.place, *keys, *(each for entry in inner for each in places(entry))]


def assert_read_alike(text: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """All values, places and findings are those of a reader that cuts no lines out.

    Returns:
        Whether there are values, and lines could be cut out.
    """
    quick, found = read(text, 2, monkeypatch)
    whole, expected = read(text, 1_000_000, monkeypatch)
    assert found == expected
    assert (quick is None) is (whole is None)
    if quick is not None and whole is not None:
        assert is_same(quick, whole)
        assert places(quick) == places(whole)
    monkeypatch.setattr(row_lines, "LEAST_LINES", 2)
    return quick is not None and cut_rows(text).lists != {}


def test_any_lines_are_read_as_the_library_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    choice = random.Random(16)
    cut = 0
    for size in (1, 2, 3, 4, 6) * 800:
        lines = [line for line in choice.choices(LINES, k=size) for _ in range(choice.choice((1, 2, 4)))]
        cut += assert_read_alike("\n".join(["a:", *lines, ""]), monkeypatch)
    assert cut > 500


@pytest.mark.parametrize(
    "text",
    [
        "a:\n" + "  - { name: x, url: /y }\n" * 4 + "b: 1\n",
        "a: &a\n" + "  - { name: x, url: /y }\n" * 4 + "b: *a\nc: { d: *a }\n",
        "a:\n" + "- { name: x, url: /y }\n" * 4 + "\t- { name: z }\n",
        "a: |\n" + "  - { name: x, url: /y }\n" * 4,
        'a: "\n' + "  - { name: x, url: /y }\n" * 4 + '  "\n',
        "a: [\n" + "  - { name: x, url: /y }\n" * 4 + "]\n",
        "a:\n" + "  - { name: x, url: /y }\n" * 4 + "    z: 1\n",
        "a:\n" + "  - { name: x, url: /y }\n" * 4 + "b: *none\n",
        "a:\n" + "  - { name: x, url: /y }\n" * 4 + "a:\n" + "  - { name: x, url: /y }\n" * 4,
        "a:\n" + "  - { name: x, url: /y }\r\n" * 4 + "b: 1\n",
        "a: \u2028\n" + "b:\n" + "  - { name: x, url: /y }\n" * 4,
        "a:\r\n  b:\n" + "  - { name: x, url: /y }\n" * 4,
        "- { name: x, url: /y }\n" * 4,
        "a:\n  -\n" + "    - { name: x, url: /y }\n" * 4,
    ],
)
def test_a_list_is_read_alike_wherever_it_is(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_read_alike(text, monkeypatch)


def test_a_long_list_is_not_parsed_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = yaml.parse

    def noting(text: str, Loader: Any) -> object:  # noqa: N803 - the name of the library
        parsed.append(text)
        return parse(text, Loader=Loader)

    monkeypatch.setattr(yaml, "parse", noting)
    table = YamlFile("a:\n" + "\n".join(ROWS) + "\nb: 1\n", "f", Findings()).read()
    assert table is not None
    assert [text.count("name") for text in parsed] == [1]
    assert [entry.text("name") for entry in table.tables("a")] == [f"n{at}" for at in range(len(ROWS))]
    assert str(table.at("b")) == f"f:{len(ROWS) + 2}:4"


def test_a_short_list_is_left_to_the_library() -> None:
    text = "a:\n" + "\n".join(ROWS[: LEAST_LINES - 1]) + "\n" * LEAST_LINES
    assert cut_rows(text) == (text, {})
    assert len(cut_rows(text.replace("\n\n", f"\n{ROWS[-1]}\n\n", 1)).lists) == 1


def test_entries_know_whether_a_text_may_be_in_them() -> None:
    (lines,) = cut_rows("a:\n" + "\n".join(ROWS) + "\n").lists.values()
    entries = Entries("f")
    entries.append_lines(lines)
    assert (len(entries), entries.names()) == (len(ROWS), {"name", "url"})
    assert entries.may_hold("q=7&")
    assert not entries.may_hold("%{")
    entries.append(Text("x", Place("f")))
    assert entries.may_hold("%{"), "single nodes are not searched"
