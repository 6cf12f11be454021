"""The compiled plan gives the rows, warnings and failures of the plain evaluator, on any page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoopi.errors import ParseError
from scoopi.model.data import Data, ScriptRow
from scoopi.model.data_def import DataDef, FilterDef, ItemDef
from scoopi.model.handover import Payload
from scoopi.model.locator import Locator
from scoopi.model.text.page_text import shown
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.element import Element
from scoopi.parse.grid.grid_axis import GridSettings
from scoopi.parse.grid.grid_reader import GridReader
from scoopi.parse.grid.plain_reader import PlainReader
from scoopi.parse.query_ports import QueryEngine
from scoopi.parse.timing.stopwatch import Stopwatch
from scoopi.parse.timing.timed_grid import timed_reader
from scoopi.parse.tree.page import parse_html
from scoopi.parse.xpath.xpath_engine import XPathEngine
from scoopi.steps.data_filter import DataFilter

LIMIT = 60
ENGINES: dict[str, Callable[[], QueryEngine]] = {"css": CssEngine, "xpath": XPathEngine}
BLOCKS = {
    "css": (
        "#t",
        "table",
        "body > table:nth-child(1)",
        "tr",
        "body",
        "ul",
        "h6",
        "tr:nth-child(%{item.index})",
        "tbody > tr:nth-child(%{item.index})",
        "tr:nth-child(%{item.index}) > td",
        "table:nth-child(%{item.index}) tr:nth-child(2)",
        ":nth-child(%{item.index})",
        "td:nth-child(%{item.index}) tr",
    ),
    "xpath": ("//*[@id='t']", "//table", "/html/body/table[1]", "//tr", "//body", "//ul", "//h6"),
}
ITEMS = {
    "css": (
        "tr:nth-child(%{index}) > td:nth-child(1)",
        "tr:nth-child(%{index}) td",
        "tbody > tr:nth-child(%{index}) > :nth-child(1) attribute: class",
        "tr:nth-child(%{index}) > td:nth-child(%{dim.d.index})",
        "tr:nth-child(%{index}) > td:nth-child(%{index})",
        "tr:nth-child(%{index})",
        "tr:eq(%{index}) > th",
        "li:nth-child(%{index}) > b",
        "td:contains(%{match})",
        "td",
        ".k",
        "td.K attribute: class",
        "tr > td b",
        "tr:nth-child(%{index}) > td attribute: class",
        "tr:nth-child(%{index}) > * attribute: id",
    ),
    "xpath": (
        "tbody/tr[%{index}]/td[1]",
        ".//tr[%{index}]/td[1]",
        "*//tr[%{index}]//td[%{dim.d.index}]",
        "//tr[%{index}]/*[1]/@class",
        "TBODY/TR[%{index}]/TD[%{index}]/text()",
        "*/tr[%{index}+1]/td",
        "li[%{index}]/b[1]",
        "*/tr[%{index}]/td[.='1']",
        "count(.//tr[%{index}]/td)",
        "//*[%{index}]/*[2]",
        "/*[%{index}]//td[2]",
        "./*/*[%{index}]/*[1]",
        "tbody/tr[%{index}]/td[position()=2]/..",
        "normalize-space(tbody/tr[%{index}]/td[1])",
        "substring-after(concat('no. ', */tr[%{index}]/td), '. ')",
        "translate(.//tr[%{index}]/*[2]/@class, 'k', 'm')",
    ),
}
DIMS = {
    "css": (
        "tr:nth-child(1) > :nth-child(%{index})",
        "tr:nth-child(1) > td:nth-child(%{index})",
        "tr:nth-child(%{item.index}) > td:nth-child(%{index})",
        "td:nth-child(%{index})",
        "tr:contains(%{item.value}) > td",
        "b",
        ".k",
        "td.k attribute: id",
        "* > td",
    ),
    "xpath": (
        "*/tr[1]/*[%{index}]",
        "tbody/tr[1]/td[%{index}]",
        ".//tr[%{item.index}]/td[%{index}]",
        ".//td[%{index}]",
        ".//*[%{index}]",
        ".//td[contains(., '%{item.value}')]",
        "concat('y', string(*/tr[1]/*[%{index}]))",
    ),
}
FACTS = {
    "css": (
        "tr:nth-child(%{item.index}) > td:nth-child(%{dim.d.index})",
        "tr:nth-child(%{dim.d.index}) > td:nth-child(%{item.index})",
        "tr:nth-child(%{item.index}) > :nth-child(%{dim.e.index})",
        "tr:nth-child(%{dim.e.index}) td:nth-child(%{dim.d.index}) b",
        "tr:nth-child(%{item.index}) > td:nth-child(%{dim.d.index}) attribute: class",
        "tbody:nth-child(%{dim.e.index}) > tr:nth-child(%{item.index}) > td:nth-child(%{dim.d.index})",
        "td",
        "tr .K",
        "td attribute: class",
    ),
    "xpath": (
        "*/tr[%{item.index}]/td[%{dim.d.index}]",
        "tbody/tr[%{dim.d.index}]/td[%{item.index}]",
        ".//tr[%{item.index}]/*[%{dim.e.index}]",
        "//tr[%{dim.e.index}]//td[%{dim.d.index}]/b",
        "*/tr[%{item.index}]/td[%{dim.d.index}]/@class",
        "tbody[%{dim.e.index}]/tr[%{item.index}]/td[%{dim.d.index}]",
        "td",
        "normalize-space(*/tr[%{item.index}]/td[%{dim.d.index}])",
        "substring-before(.//tr[%{item.index}]//td[%{dim.d.index}], 't')",
        "lower-case(//tr[%{dim.e.index}]//td[%{dim.d.index}]/b)",
    ),
}

texts = st.sampled_from(
    ("", "1", "stop", "null", " x\n y ", "&nbsp;", "é", "a<br>b", "<!-- c -->2", "<b>3</b>4")
)
inner = st.lists(texts, max_size=3).map(lambda row: f"<table><tr><td>{'<td>'.join(row)}</table>")
cells = st.builds(
    "<{0} class={1}>{2}</{0}>".format,
    st.sampled_from(("td", "td", "td", "th")),
    st.sampled_from("kK"),
    st.one_of(texts, texts, texts, inner, st.just("<pre> 5  6 </pre>")),
)
lines = st.lists(cells, max_size=5).map(lambda row: f"<tr>{''.join(row)}</tr>")
bodies = st.lists(lines, max_size=5).map(lambda body: f"<tbody>{''.join(body)}</tbody>")
tables = st.lists(bodies, max_size=2).map(lambda body: f"<table>{''.join(body)}</table>")
lists = st.lists(texts, max_size=3).map(lambda row: f"<ul><li><b>{'</b><li><b>'.join(row)}</b></ul>")
page_texts = st.lists(st.one_of(tables, tables, lists), max_size=3).map(
    lambda body: "".join(body).replace("<table", "<table id=t", 1).encode()
)
pages = page_texts.map(lambda text: parse_html(text).getroot())


def entries(name: str, selectors: st.SearchStrategy[str], *, plain: bool) -> st.SearchStrategy[ItemDef]:
    """Definitions of an axis; most of a plain one's are of the kind that makes columns."""
    rare = st.just(None) if plain else st.sampled_from((None, None, None, "x", "1"))
    given_by: dict[str, st.SearchStrategy[Any]] = {
        "name": st.just(name),
        "selector": selectors,
        "value": rare,
        "match": st.sampled_from((None, "1")) if name == "i" and not plain else st.none(),
        "script": st.none() if plain else st.sampled_from((None, None, None, "null", "s%{index}")),
        "first": st.integers(0, 2),
        "last": st.integers(2, 4) if plain else st.one_of(st.none(), st.integers(2, 4)),
        "break_after": st.just(()) if plain else st.sampled_from(((), ("stop",), ("1", "stop"))),
        "prefix": st.sampled_from(((), (), ("p-", "q"))),
        "filters": st.sampled_from(((), (FilterDef("value", "stop"),), (FilterDef("value", "[0-9]"),))),
    }
    return st.builds(ItemDef, **given_by)


@st.composite
def definitions(draw: st.DrawFn, language: str) -> DataDef:
    plain = draw(st.booleans())
    is_open = draw(st.booleans())  # an item that is read up to its end, beside plain columns
    block = draw(st.sampled_from((*BLOCKS[language], BLOCKS[language][0])))
    items = draw(
        st.lists(
            entries("i", st.sampled_from(ITEMS[language]), plain=plain and not is_open),
            min_size=1,
            max_size=2,
        )
    )
    dims = [draw(entries(name, st.sampled_from(DIMS[language]), plain=plain)) for name in ("d", "e")]
    fact = ItemDef("fact", prefix=draw(st.sampled_from(((), ("f",)))))
    return DataDef("x", block, draw(st.sampled_from(FACTS[language])), tuple(items), tuple(dims), (fact,))


def script(text: str, row: ScriptRow) -> str | None:
    return None if text == "null" else f"{shown(text)} {row.own} {row.indexes} {row.values}"


def outcome(reader: GridReader | PlainReader, data_def: DataDef, page: Element) -> object:
    """Rows behind their filters, and warnings; or that the task fails."""
    warnings: list[str] = []
    try:
        data = reader.read(page, script, lambda warning: warnings.append(warning.cause))
    except ParseError:
        return "failed"
    payload = Payload("j", Locator("n", "g", "u"), 1, "t", data)
    filtered = DataFilter(data_def, timeout_ms=1000).run(payload)
    return data, warnings, filtered.payload.expect(Data)  # type: ignore[union-attr]


@pytest.mark.parametrize("language", ["css", "xpath"])
@given(data=st.data(), page=pages, raw_items=st.booleans())
def test_a_compiled_definition_reads_what_the_plain_evaluator_reads(
    language: str, data: st.DataObject, page: Element, raw_items: bool
) -> None:
    data_def = data.draw(definitions(language))
    limits = GridSettings(not_found="-", max_rows=LIMIT)
    engine = ENGINES[language]()
    try:
        compiled = GridReader(data_def, engine, limits, raw_items=raw_items)
    except ParseError:  # what is wrong for every page is reported before a run
        return
    plain = PlainReader(data_def, ENGINES[language](), limits, raw_items=raw_items)
    wanted = outcome(plain, data_def, page)
    timed = timed_reader(data_def, engine, limits, Stopwatch(), raw_items=raw_items)
    for reader in (compiled, compiled, timed, timed):  # a plan serves many pages
        assert outcome(reader, data_def, page) == wanted


@pytest.mark.parametrize(
    ("language", "item", "dim", "fact"),
    [
        (
            "css",
            "tr:nth-child(%{index}) > td:nth-child(1)",
            "tr:nth-child(1) > td:nth-child(%{index})",
            "tr:nth-child(%{item.index}) > td:nth-child(%{dim.d.index})",
        ),
        (
            "xpath",
            "tbody/tr[%{index}]/td[1]",
            "tbody/tr[1]/td[%{index}]",
            "*/tr[%{item.index}]/td[%{dim.index}]",
        ),
    ],
)
def test_a_table_is_recognised_in_either_language_and_no_cell_is_queried(
    language: str, item: str, dim: str, fact: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = parse_html(b"<table><tr><td><td>x<td>y<tr><td>a<td>1<td>2<tr><td>b<td>3</table>").getroot()
    items, dims = (
        (ItemDef("i", selector=item, first=2, last=3),),
        (ItemDef("d", selector=dim, first=2, last=3),),
    )
    data_def = DataDef(
        "x", {"css": "table", "xpath": "//table"}[language], fact, items, dims, (ItemDef("fact"),)
    )
    engine = ENGINES[language]()
    reader = GridReader(data_def, engine, GridSettings(not_found="-"))
    monkeypatch.setattr(engine, "compile_value", None)
    rows = reader.read(page, None, print).items
    assert [row.values for row in rows] == [
        ("a", "x", "1"),
        ("a", "y", "2"),
        ("b", "x", "3"),
        ("b", "y", "-"),
    ]


def test_of_cells_at_the_same_place_in_several_bodies_the_last_decides_in_xpath() -> None:
    page = parse_html(b"<table><tbody><tr><td id=a><tbody><tr><td id=b><tbody><tr><td>").getroot()
    query = "*/tr[%{item.index}]/td[%{index}]/@id"
    data_def = DataDef("x", "//table", query, (ItemDef("i", value="v"),), (), (ItemDef("fact"),))
    for kind in (GridReader, PlainReader):
        rows = kind(data_def, XPathEngine(), GridSettings()).read(page, None, print).items
        assert [row.values for row in rows] == [("v", "b")]
