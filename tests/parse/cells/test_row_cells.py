"""Compiled or not, positions and texts of cells are those of the engines' own rules."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from scoopi.parse.bridge.html_backend import RowReader, row_reader_of
from scoopi.parse.cells.row_cells import cells, part, positions, tails
from scoopi.parse.css.element_text import own_text
from scoopi.parse.tree.html_copier import copy_html
from scoopi.parse.xpath.xpath_values import text_of_node
from tests.parse.tree.built_bridge import built_bridge

PLAIN = RowReader(positions, cells, part, tails)

texts = st.sampled_from(
    ("", " ", "a", " b ", "\u00a0", "c \n\t d", "e\u00ad\u200bf", "é€\U0001f600", "&#1;", "x" * 40)
)
names = st.sampled_from(
    ("td", "td class='x y'", "td", "th", "b", "br", "pre", "script", "textarea", "svg", "!--")
)


def tagged(name: str, inner: str, tail: str) -> str:
    return f"<!--{inner}-->{tail}" if name == "!--" else f"<{name}>{inner}</{name.split()[0]}>{tail}"


nodes = st.recursive(texts, lambda inner: st.builds(tagged, names, inner | texts, texts), max_leaves=4)
rows = st.lists(nodes, max_size=4).map(lambda inner: f"<tr>{''.join(inner)}</tr>")
pages = st.lists(rows, max_size=4).map(lambda inner: f"<pre>p<b>q</b></pre><table>{''.join(inner)}</table>")


@given(page=pages, tag=st.sampled_from(("*", "td", "tr", "b")), full=st.booleans())
def test_the_compiled_reader_gives_what_the_plain_one_gives(page: str, tag: str, full: bool) -> None:
    elements = list(copy_html(page.encode(), 99).getroot().iter("*"))
    compiled = row_reader_of(built_bridge())
    assert compiled.positions(elements, full) == PLAIN.positions(elements, full)
    assert compiled.cells(elements, tag, full) == PLAIN.cells(elements, tag, full)
    for first, stop in ((0, 1), (0, 3), (2, 3), (1, 5), (4, 9)):
        wanted = PLAIN.part([*elements, None], tag, full, first, stop)
        assert compiled.part([*elements, None], tag, full, first, stop) == wanted
    for name in ("", "class"):
        assert compiled.tails(elements, tag, name) == PLAIN.tails(elements, tag, name)


@given(page=pages)
def test_positions_are_those_that_xpath_counts(page: str) -> None:
    elements = list(copy_html(page.encode(), 99).getroot().iter("*"))
    for element, among_all, of_type in zip(
        elements, positions(elements, False), positions(elements, True), strict=True
    ):
        if element.getparent() is not None:
            assert among_all == element.xpath("count(preceding-sibling::*) + 1")
        assert of_type == 1 + sum(
            before.tag == element.tag for before in element.itersiblings(preceding=True)
        )


@pytest.mark.parametrize("reader", [PLAIN, row_reader_of(built_bridge())], ids=["plain", "compiled"])
def test_cells_stand_at_their_positions(reader: RowReader) -> None:
    page = b"<table><tr><th>h</th><td> a  b<br>c</td><td>d<b>e</b>f</td></tr></table>"
    row = next(copy_html(page, 9).getroot().iter("tr"))
    assert reader.cells([row], "td", False) == [[None, None, "a b c", "df"]]
    assert reader.cells([row], "*", False) == [[None, "h", "a b c", "df"]]
    assert reader.cells([row], "td", True) == [[None, " a  bc", "def"]]
    assert own_text(row[1]) == "a b c"
    assert text_of_node(row[2]) == "def"


def test_blanks_count_in_what_lies_in_pre() -> None:
    row = etree.fromstring("<pre><tr><td> a  b </td></tr></pre>")[0]
    reader = row_reader_of(built_bridge())
    assert reader.cells([row], "td", False) == PLAIN.cells([row], "td", False) == [[None, "a  b"]]


def test_the_compiled_reader_refuses_what_are_no_elements() -> None:
    reader = row_reader_of(built_bridge())
    with pytest.raises(TypeError, match="elements"):
        reader.cells([etree.Comment("x")], "td", False)
    with pytest.raises(TypeError, match="elements"):
        reader.positions(["td"], False)  # type: ignore[list-item]
    with pytest.raises(TypeError, match="elements"):
        reader.part(["td"], "td", False, 1, 2)  # type: ignore[list-item]


def test_positions_in_nested_tables_are_counted_once_a_parent() -> None:
    page = b"<table>" + b"<tr><td><table><tr><td>1<tr><td>2</table>" * 300 + b"</table>"
    lines = list(copy_html(page, 99).getroot().iter("tr"))
    reader = row_reader_of(built_bridge())
    assert reader.positions(lines, False) == positions(lines, False)


def test_reading_many_rows_leaves_no_memory_behind() -> None:
    page = (
        b"<table>" + b"<tr><td>1<td>a text that is longer<td><pre>x</pre>" * 50 + b"</table><pre><i>x</pre>"
    )
    elements = list(copy_html(page, 99).getroot().iter("*"))
    reader = row_reader_of(built_bridge())

    def read_often(times: int) -> int:
        for _ in range(times):
            reader.positions(elements, False)
            reader.cells(elements, "td", True)
            for full in (True, False):
                reader.part([*elements, None], "*", full, 1, 4)
            with pytest.raises(TypeError):
                reader.part([*elements, "x"], "td", True, 1, 4)  # type: ignore[list-item]
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4

    before_kb = read_often(30)
    assert read_often(600) - before_kb < 2048


@pytest.mark.parametrize("reader", [PLAIN, row_reader_of(built_bridge())], ids=["plain", "compiled"])
def test_what_several_children_of_a_tag_hold_is_joined(reader: RowReader) -> None:
    page = b"<ul><li><a href=x> one </a><li><a>two</a> <b>b</b><a href=y>three</a><li><b>c</b></ul>"
    elements = list(copy_html(page, 9).getroot().iter("li"))
    assert reader.tails(elements, "a", "") == ["one", "two three", None]
    assert reader.tails(elements, "a", "href") == ["x", "y", None]
