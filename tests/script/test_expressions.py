"""Expressions are evaluated once for what they read, over all pages, and give what any evaluation gives."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoopi.configs.groups import ScriptLimits
from scoopi.errors import ParseError, ScriptError
from scoopi.model.data import Axis, ScriptRow
from scoopi.model.data_def import DataDef, ItemDef
from scoopi.model.locator import Document, Locator
from scoopi.model.text.page_text import marked
from scoopi.model.text.pure_expression import reads_of
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.element import Element
from scoopi.parse.grid.grid_axis import GridSettings
from scoopi.parse.grid.grid_reader import GridReader
from scoopi.parse.grid.plain_reader import PlainReader
from scoopi.parse.tree.page import parse_html
from scoopi.script.expressions import Expressions, NoExpressionError
from scoopi.script.page_scripts import HOSTS, ConfigsView, PageScripts
from scoopi.script.sandbox import Sandbox

AXES = (Axis("item", "city", 1, "C"), Axis("dim", "day", 1), Axis("dim", "hour", 2), Axis("fact", "fact", 1))
NOW = datetime(2026, 1, 1, tzinfo=UTC)
LIMITS = ScriptLimits(timeout_ms=300)


class Calls(Sandbox):
    """A sandbox that notes its calls."""

    def __init__(self) -> None:
        super().__init__(LIMITS, HOSTS)
        self.made: list[str] = []

    def call(self, operation: str, *texts: str, **options: Any) -> str | datetime | None:
        self.made.append(operation)
        return super().call(operation, *texts, **options)


def row(value: str | None, *, index: int = 1, own: int = 1) -> ScriptRow:
    return ScriptRow(AXES, own, (index, 1, 2, 1), (value, *(None,) * 3))


def page_scripts(expressions: Expressions | None) -> PageScripts:
    document = Document(Locator("n", "g", "/u.html"), "/u.html", NOW, None, b"")
    configs = ConfigsView({}, NOW, str)
    return PageScripts(lambda hosts: Sandbox(LIMITS, hosts), document, configs, expressions)


def test_a_result_is_kept_for_what_it_depends_on() -> None:
    sandbox = Calls()
    expressions = Expressions(lambda: sandbox)
    values = [expressions.of_row("item.value + '!'", row(value, index=at)) for at, value in enumerate("aba")]
    assert values == ["a!", "b!", "a!"]
    assert len(sandbox.made) == 2
    assert [expressions.of_row("item.index", row("a", index=at)) for at in (3, 4, 3)] == ["3", "4", "3"]
    assert len(sandbox.made) == 4


def test_pages_share_results_and_no_sandbox_of_their_own_is_made() -> None:
    sandbox = Calls()
    expressions = Expressions(lambda: sandbox)
    for _ in range(3):
        assert page_scripts(expressions)("item.value.length", row("four")) == "4"
    assert sandbox.made == ["evaluateExpression"]


def test_what_is_more_than_an_expression_runs_in_the_sandbox_of_the_page() -> None:
    expressions = Expressions(Calls)
    with pytest.raises(NoExpressionError):
        expressions.of_row("var n = 1; n", row("a"))
    run = page_scripts(expressions)
    assert [run(text, row("a")) for text in ("item.value", "item = { value: 7 }, 1", "item.value + 0")] == [
        *("a", "1", "7"),
    ]
    assert page_scripts(expressions)("item.value + 0", row("a")) == "a0"


def test_an_error_names_its_line_as_ever() -> None:
    expressions = Expressions(Calls)
    for text in ("item\n.value.trim()", "item.value.trim(,)"):
        with pytest.raises(ScriptError) as quick:
            page_scripts(expressions)(text, row(None))
        with pytest.raises(ScriptError) as ordinary:
            page_scripts(None)(text, row(None))
        assert str(quick.value) == str(ordinary.value)


def test_a_limit_ends_it_and_the_next_one_gets_a_new_sandbox() -> None:
    made: list[Calls] = []

    def new() -> Calls:
        made.append(Calls())
        return made[-1]

    expressions = Expressions(new)
    with pytest.raises(ScriptError, match="longer than 300 ms"):
        expressions.of_row("/^(a+)+$/.test(item.value)", row("a" * 40 + "b"))
    assert expressions.of_row("item.value", row("x")) == "x"
    assert len(made) == 2


def test_many_texts_do_not_pile_up() -> None:
    made: list[Calls] = []

    def new() -> Calls:
        made.append(Calls())
        return made[-1]

    expressions = Expressions(new)
    for number in range(1100):
        assert expressions.of_row(f"item.value + {number}", row("x")) == f"x{number}"
    assert len(made) == 3


OPERANDS = (
    *(
        "item.value",
        "item.index",
        "dim.value",
        "dim.hour.index",
        "axis.index",
        "axis.itemName",
        "item.city.value",
    ),
    *("fact.order", "'a'", "2", "null", "item", "item.match", f"'{marked('p')}'", marked("5")),
)
expressions_of_rows = st.recursive(
    st.sampled_from(OPERANDS),
    lambda inner: st.one_of(
        st.builds("({} + {})".format, inner, inner),
        st.builds("({} ? {} : {})".format, inner, inner, inner),
        st.builds("`${{{}}}/${{{}}}`".format, inner, inner),
        st.builds("String({}).toUpperCase()".format, inner),
        st.builds("Number({})".format, inner),
        st.builds("[{}, {}].join('-')".format, inner, inner),
        st.builds("({}).trim()".format, inner),
    ),
    max_leaves=4,
)
values_of_rows = st.sampled_from((None, "a", "B ", "12", "'", "é", ""))
rows_of_pages = st.lists(
    st.builds(
        lambda indexes, values, own: ScriptRow(AXES, own, indexes, values),
        st.tuples(*[st.integers(1, 2)] * 4),
        st.tuples(*[values_of_rows] * 4),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=6,
)
QUICK = Expressions(lambda: Sandbox(LIMITS, HOSTS))


@settings(max_examples=60, deadline=None)
@given(text=expressions_of_rows, rows=rows_of_pages)
def test_any_expression_gives_what_the_sandbox_of_a_page_gives(text: str, rows: list[ScriptRow]) -> None:
    quick, ordinary = page_scripts(QUICK), page_scripts(None)
    for each in rows:
        assert outcome(quick, text, each) == outcome(ordinary, text, each)


def outcome(scripts: PageScripts, text: str, each: ScriptRow) -> str | None:
    try:
        return scripts(text, each)
    except ScriptError as error:
        return f"failed: {error}"


TABLE = "<table><tr><td>x<td>y<td>z<tr><td>a<td>1<td>2<tr><td>b<td>3<td><tr><td>a<td>4<td>stop"
SCRIPTS = (
    *("item.value + '!'", "item.index", "item.value ? dim.value : null", "axis.index * 2", "null"),
    *("dim.year.value + item.value", "typeof fact.value", "this.n = (this.n ?? 0) + 1; item.value + n"),
)


@settings(max_examples=80, deadline=None)
@given(
    scripts=st.lists(st.sampled_from((None, *SCRIPTS)), min_size=3, max_size=3),
    prefix=st.sampled_from(((), ("p",))),
    last=st.sampled_from((3, 3, None)),
    stops=st.sampled_from(((), (), ("b", "b!"))),
    raw_items=st.booleans(),
)
def test_a_compiled_definition_with_scripts_reads_what_the_plain_evaluator_reads(
    scripts: list[str | None],
    prefix: tuple[str, ...],
    last: int | None,
    stops: tuple[str, ...],
    raw_items: bool,
) -> None:
    of_item, of_kind, of_year = scripts
    line = "tr:nth-child(%{index}) > td:nth-child(1)"
    items = (
        ItemDef("line", selector=line, script=of_item, first=2, last=last, prefix=prefix, break_after=stops),
    )
    dims = (
        ItemDef("kind", selector="td:contains(%{item.value})", script=of_kind, first=1, last=2),
        ItemDef("year", selector="tr:nth-child(1) > td:nth-child(%{index})", script=of_year, first=2, last=3),
    )
    fact = "tr:nth-child(%{item.index}) > td:nth-child(%{dim.year.index})"
    data_def = DataDef("x", "table", fact, items, dims, (ItemDef("fact"),))
    limits, page = GridSettings(max_rows=40), parse_html(TABLE.encode()).getroot()
    compiled = GridReader(data_def, CssEngine(), limits, raw_items=raw_items)
    plain = PlainReader(data_def, CssEngine(), limits, raw_items=raw_items)
    assert read(compiled, page, QUICK) == read(plain, page, None)


def read(
    reader: GridReader | PlainReader, page: Element, expressions: Expressions | None
) -> tuple[object, list[str]]:
    """Data, or what went wrong, and warnings."""
    warnings: list[str] = []
    try:
        data = reader.read(page, page_scripts(expressions), lambda each: warnings.append(each.cause))
    except (ScriptError, ParseError) as error:
        return type(error), []
    return data, warnings


def test_the_scripts_here_are_expressions_but_one() -> None:
    assert [reads_of(script) is not None for script in SCRIPTS] == [True] * 7 + [False]
