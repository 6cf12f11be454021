"""What a page gives is data: no value of a page acts as code in a selector or a script."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree

from scoopi.configs.groups import ScriptLimits
from scoopi.configs.registry import SETTINGS
from scoopi.configs.setting import Scope
from scoopi.model.data_def import DataDef, ItemDef
from scoopi.model.locator import Document, Locator
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.grid.grid_axis import GridSettings
from scoopi.parse.grid.grid_reader import GridReader
from scoopi.parse.grid.plain_reader import PlainReader
from scoopi.parse.xpath.xpath_engine import XPathEngine
from scoopi.script.page_scripts import ConfigsView, PageScripts
from scoopi.script.sandbox import Sandbox
from tests.engine.workspace import Workspace

CSS = (
    "td[k='%{item.value}'] > b",
    'td[k="%{item.value}"] > b',
    "td[k=%{item.value}] > b",
    "b:contains(%{item.value})",
    "b:containsOwn(%{item.value})",
    "b:matchesOwn(^%{item.value}$)",
    r"b:matchesOwn(^\Q%{item.value}\E$)",
    "td:has(b:contains(%{item.value})) > b",
    "tr td:not(td[k!='%{item.value}']) > b",
    "td:has(b:matches(^(?:%{item.value})$)):contains(%{item.value}) > b",
)
XPATH = (
    ".//b[.='%{item.value}']",
    './/b[.="%{item.value}"]',
    ".//b[.=%{item.value}]",
    ".//b[contains(., '%{item.value}')]",
    ".//td[@k=concat('', '%{item.value}')]/b",
    ".//b[concat('<', ., '>') = '<%{item.value}>']",
)
SCRIPTS = (
    "'%{item.value}'",
    '"%{item.value}"',
    "`%{item.value}`",
    "'' + %{item.value}",
    "%{item.value}.toString()",
    "`${'%{item.value}'}`",
    "/^%{item.value}$/.test(item.value) && item.value",
    "4 / 2 && /[/]%{item.value}$/.test('/' + item.value) && item.value",
    "'it\\'s' && '%{item.value}' // '%{item.value}",
    "/* %{item.value} */ item.value",
    "item.value",
    "item.i.value",
)
ATTACKS = (
    "De'Longhi",
    "5\" x 3'",
    "'+configs.getConfig('scoopi.cluster.password')+'",
    "'; while (true) {} '",
    "${configs}",
    "`+configs+`",
    "*/ configs /*",
    "/, configs, /",
    "' or count(//*[count(//*[count(//*) > 0]) > 0]) or '",
    "'] , //*[.='",
    "a'] attribute: k",
    ") , *:not(x",
    "a\\) b\\",
    "((a+)+)+$",
    "\\E.*\\Q",
    "%{item.value}%{dim.d.index}",
    "x]y[z",
    "</script>",
    "\u2028\u2029é😀",
)

values = st.text(st.sampled_from("'\"`\\()[]{}$%*+/.,;|^:#=<>!?&~-aBé\u2028Q E0123"), min_size=1, max_size=12)


def read(
    kind: type[GridReader | PlainReader], language: str, value: str, dims: tuple[ItemDef, ...]
) -> Sequence[object]:
    """The dims of the one row of a page that holds the value, beside a cell that holds none."""
    css = language == "css"
    root = etree.Element("html")
    body = etree.SubElement(root, "body")
    etree.SubElement(body, "p").text = value
    row = etree.SubElement(body, "tr")
    for text in (value, "other"):
        etree.SubElement(etree.SubElement(row, "td", k=text), "b").text = text
    item = ItemDef("i", selector="p" if css else "//p")
    data_def = DataDef("x", "body" if css else "//body", None, (item,), dims, (ItemDef("fact", value="f"),))
    engine = CssEngine() if css else XPathEngine()
    locator = Locator("n", "g", "u")
    configs = ConfigsView({}, datetime(2020, 1, 1, tzinfo=UTC), str)
    limits = ScriptLimits(timeout_ms=10_000)
    scripts = PageScripts(
        lambda hosts: Sandbox(limits, hosts),
        Document(locator, "u", datetime(2020, 1, 1, tzinfo=UTC), None, b""),
        configs,
    )
    (only,) = kind(data_def, engine, GridSettings()).read(root, scripts, print).items
    return only.values[1:-1]


def dims_of(texts: tuple[str, ...], key: str) -> tuple[ItemDef, ...]:
    given: list[dict[str, Any]] = [{key: text} for text in texts]
    return tuple(ItemDef(f"d{at}", **each) for at, each in enumerate(given))


def with_attacks(test: Callable[..., None]) -> Callable[..., None]:
    for attack in ATTACKS:
        test = example(value=attack)(test)
    return test


@pytest.mark.parametrize("kind", [GridReader, PlainReader])
@pytest.mark.parametrize(("language", "selectors"), [("css", CSS), ("xpath", XPATH)])
@settings(max_examples=60, deadline=None)
@with_attacks
@given(value=values.map(lambda text: " ".join(text.split())).filter(bool))
def test_a_selector_finds_the_cell_that_holds_any_value(
    kind: type[GridReader | PlainReader], language: str, selectors: tuple[str, ...], value: str
) -> None:
    assert set(read(kind, language, value, dims_of(selectors, "selector"))) == {value}


@pytest.mark.parametrize("kind", [GridReader, PlainReader])
@settings(max_examples=60, deadline=None)
@with_attacks
@given(
    value=values.filter(lambda text: not text[0].isdigit() and text[0] not in "-" and text.strip() == text)
)
def test_a_script_gets_any_value_as_it_is(kind: type[GridReader | PlainReader], value: str) -> None:
    assert set(read(kind, "xpath", value, dims_of(SCRIPTS, "script"))) == {value}


def test_a_number_of_a_page_is_a_number_in_code_and_a_position_in_a_predicate() -> None:
    scripts = dims_of(("%{item.value} * 2 + 1", "9 -%{item.value}", "'%{item.value}'.length"), "script")
    assert read(GridReader, "xpath", "-2.5", scripts) == ("-4", "11.5", "4")
    selectors = dims_of(
        (".//td[%{item.value}]/b", "//t%{item.value}", ".//td[%{item.value}+1]/b"), "selector"
    )
    assert read(GridReader, "xpath", "1", selectors[::2]) == ("1", "other")
    assert read(GridReader, "xpath", "d", selectors[1:2]) == ("other",)


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_hostile_page_gives_its_text_as_rows(
    attack: str, workspace: Workspace, refused: Callable[[str], None]
) -> None:
    page = etree.Element("html")
    body = etree.SubElement(page, "body")
    etree.SubElement(body, "h1").text = attack
    etree.SubElement(etree.SubElement(body, "p", title=attack), "i").text = "fact"
    (workspace.folder / "page.html").write_bytes(etree.tostring(page, method="html", encoding="utf-8"))
    (workspace.folder / "defs").mkdir()
    (workspace.folder / "defs/job.yml").write_text("""
locatorGroups: { page: { locators: [ { name: n, url: /page.html } ] } }
taskGroups: { page: { css: { dataDef: css }, xpath: { dataDef: xpath, steps: xpath } } }
dataDefs:
  css:
    query: { block: body, selector: "p[title='%{item.value}'] > i" }
    items: [ item: { name: i, selector: h1 } ]
    dims: [ item: { name: d, script: "'<%{item.value}>'" } ]
  xpath:
    query: { block: //body, selector: "p[@title='%{item.value}']/i" }
    items: [ item: { name: i, selector: h1 } ]
    dims: [ item: { name: d, script: "'<%{item.value}>'" } ]
""")
    workspace.settings |= {"scoopi.cluster.password": "hunter2"}
    ended = workspace.scoopi("run", "defs", "--workers", 0)
    assert ended.code == 0, ended.err
    rows = (workspace.run_folder() / "data.txt").read_text(encoding="utf-8")
    assert rows == f"n|page|{attack}|<{attack}>|fact\n" * 2
    refused(f"a page with {attack}")


def test_scripts_see_only_settings_that_may_change_rows_and_no_secret(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, refused: Callable[[str], None]
) -> None:
    monkeypatch.setenv("TOKEN", "t0p")
    secret = "scoopi.webClient.userAgent"
    workspace.settings |= {secret: "${env:TOKEN}", "scoopi.cluster.password": "hunter2"}
    keys = [setting.key for setting in SETTINGS]
    (workspace.folder / "page.html").write_text("<p>x")
    (workspace.folder / "job.yml").write_text(f"""
locatorGroups: {{ page: {{ locators: [ {{ name: n, url: /page.html }} ] }} }}
taskGroups: {{ page: {{ css: {{ dataDef: css }} }} }}
dataDefs:
  css:
    query: {{ block: body, selector: p }}
    items:
      - item: {{ name: i, script: "{keys}.filter(key => configs.getConfig(key, null) !== null).join()" }}
""")
    ended = workspace.process("run", "job.yml", "--workers", 1)
    assert ended.code == 0, ended.err
    (row,) = workspace.rows()
    seen = set(row.split("|")[2].split(","))
    allowed = {setting.key for setting in SETTINGS if setting.scope is Scope.RUN} - {secret}
    assert "scoopi.dateTimePattern" in seen
    assert seen <= allowed
    assert not seen & {"scoopi.cluster.password", "scoopi.loader.fetch.delay", secret}
    for key in sorted(set(keys) - seen):
        refused(f"a script that reads {key}")
