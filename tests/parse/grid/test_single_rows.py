"""Rows of several templates with one row each are those that the plain evaluator reads one by one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoopi.errors import ParseError
from scoopi.model.data import Item
from scoopi.model.data_def import DataDef, ItemDef
from scoopi.model.failure import Failure
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.element import Element
from scoopi.parse.grid.grid_axis import GridSettings
from scoopi.parse.grid.grid_reader import GridReader
from scoopi.parse.grid.grid_reading import GridReading
from scoopi.parse.grid.plain_reader import PlainReader
from scoopi.parse.grid.single_rows import SingleRows
from scoopi.parse.query_ports import QueryEngine
from scoopi.parse.tree.page import parse_html
from scoopi.parse.xpath.xpath_engine import XPathEngine

SETTINGS = GridSettings(not_found="-")
FACTS = {
    "css": ("dt:contains(%{item.match}) + dd", "dt:matchesOwn(^%{item.match}) ~ dd", "dd", ".%{item.match}"),
    "xpath": ("dl/dt[.='%{item.match}']/following-sibling::dd[1]", ".//dd", "count(.//%{item.match})"),
}
DIMS = {"css": ("h1", "dd", "td attribute: class"), "xpath": ("h1", ".//dd", "string(h1)")}
BLOCKS = {
    "css": ("body", "dl", "#%{item.match}", "p"),
    "xpath": ("//body", "//dl", "//*[@id='%{item.match}']"),
}
ENGINES: dict[str, Callable[[], QueryEngine]] = {"css": CssEngine, "xpath": XPathEngine}

pairs = st.builds(
    "<dt id='{0}'>{0}<dd class='{0}'>{1}".format,
    st.sampled_from(("a", "b", "bc", "d")),
    st.sampled_from(("", "1", "null", "n/a", " 2 <b>x</b>")),
)
pages = st.builds(
    lambda head, lists: parse_html(
        (head + "".join(f"<dl>{''.join(each)}</dl>" for each in lists)).encode()
    ).getroot(),
    st.sampled_from(("", "<h1>One</h1>", "<h1></h1>")),
    st.lists(st.lists(pairs, max_size=4), max_size=2),
)


@st.composite
def definitions(draw: st.DrawFn, language: str) -> DataDef:
    prefixes = st.sampled_from(((), (), ("p-", "q")))
    items = [
        draw(
            st.one_of(
                st.builds(ItemDef, st.just(name), match=st.sampled_from(("a", "b", "d")), prefix=prefixes),
                st.builds(ItemDef, st.just(name), value=st.sampled_from(("a", "x")), prefix=prefixes),
                st.builds(ItemDef, st.just(name), selector=st.sampled_from(DIMS[language]), prefix=prefixes),
                st.builds(ItemDef, st.just(name), match=st.just("a"), first=st.just(1), last=st.just(2)),
            )
        )
        for name in "ijkl"[: draw(st.integers(1, 4))]
    ]
    dims = [
        ItemDef("d", selector=draw(st.sampled_from(DIMS[language])), prefix=draw(prefixes)),
        ItemDef("e", value=draw(st.sampled_from(("", "v")))),
    ][: draw(st.integers(0, 2))]
    block, fact = draw(st.sampled_from(BLOCKS[language])), draw(st.sampled_from(FACTS[language]))
    facts = (ItemDef("fact", prefix=draw(prefixes)),)
    return DataDef("x", block, fact, tuple(items), tuple(dims), facts)


@pytest.mark.parametrize("language", ["css", "xpath"])
@given(data=st.data(), page=pages, raw_items=st.booleans())
def test_rows_are_those_of_the_plain_evaluator(
    language: str, data: st.DataObject, page: Element, raw_items: bool
) -> None:
    data_def = data.draw(definitions(language))
    try:
        reader = GridReader(data_def, ENGINES[language](), SETTINGS, raw_items=raw_items)
    except ParseError:  # a placeholder without a value stays as written, which is reported before a run
        return
    plain = PlainReader(data_def, ENGINES[language](), SETTINGS, raw_items=raw_items)
    wanted = plain.read(page, None, print)
    for _ in range(2):  # a plan serves many pages
        assert reader.read(page, None, print) == wanted


def labels(*entries: ItemDef, block: str = "//body", fact: str = "dl/dt[.='%{item.match}']") -> DataDef:
    return DataDef("x", block, fact, entries, (), (ItemDef("fact"),))


def test_the_fault_of_a_cell_is_reported_as_by_the_plain_evaluator() -> None:
    page = parse_html(b"<dl><dt>a").getroot()
    data_def = labels(ItemDef("i", match="a"), ItemDef("j", match="b"), block="string(//dl)")
    causes = []
    for reader in (GridReader, PlainReader):
        with pytest.raises(ParseError) as raised:
            reader(data_def, XPathEngine(), SETTINGS).read(page, None, print)
        causes.append(str(raised.value))
    assert causes[0] == causes[1]


def test_labels_are_read_together_and_a_range_between_them_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two, three = ItemDef("i", match="a"), ItemDef("j", match="b"), ItemDef("k", match="d")
    many = ItemDef("r", match="a", first=1, last=2)
    reader = GridReader(labels(one, two, many, three, one), XPathEngine(), SETTINGS)
    together: list[int] = []
    read = SingleRows.read

    def counted(rows: SingleRows, reading: GridReading, found: list[Item]) -> list[Failure]:
        before = len(found)
        warnings = read(rows, reading, found)
        together.append(len(found) - before)
        return warnings

    monkeypatch.setattr(SingleRows, "read", counted)
    assert len(reader.read(parse_html(b"<dl><dt>a").getroot(), None, print).items) == 6
    assert together == [2, 2]
