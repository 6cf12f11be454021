"""tree_lines: what `scoopi show` prints reads back as the same tree, and names the place of each value."""

from __future__ import annotations

from textwrap import dedent

import pytest

from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Table, is_same
from scoopi.defs.yaml.tree_text import tree_lines
from scoopi.defs.yaml.yaml_file import YamlFile
from scoopi.model.place import NOWHERE


def read(text: str) -> Table:
    findings = Findings()
    table = YamlFile(dedent(text), "f.yml", findings).read()
    assert table is not None, findings.sorted()
    return table


@pytest.mark.parametrize(
    "text",
    [
        "a: b",
        "a: { b: c, d: { e: f } }",
        "a: [ b, 'c: d', '' ]",
        "a: [ { b: c, d: [ e, f ] }, { g: { h: i } } ]",
        "a:",
        r"a: '\d+ \"x\" # no comment'",
        'a: "two\\nlines\\tand a tab"',
        "a: ' spaces around '",
        "'a b': '- c'",
        "a: { '@b': '#c' }",
        "a: [ [ b, c ], [ d ] ]",
    ],
)
def test_the_lines_read_back_as_the_same_tree(text: str) -> None:
    table = read(text)
    assert is_same(read("\n".join(tree_lines(table))), table)


def test_each_value_names_its_file_and_line() -> None:
    lines = [*tree_lines(read("a:\n  b: c\n  d: [ e, f ]\n"))]
    assert lines[0] == "a:"
    assert [line.split() for line in lines[1:]] == [
        ["b:", "c", "#", "f.yml:2"],
        ["d:", "[", "e,", "f", "]", "#", "f.yml:3"],
    ]
    assert lines[1].index("#") == lines[2].index("#")


def test_a_value_from_nowhere_has_no_comment() -> None:
    table = read("a: b")
    table.entries["a"].place = NOWHERE
    assert [line.rstrip() for line in tree_lines(table)] == ["a: b"]
