"""browser_choice: a page has what its group looks for, by the block or `each` of its data definitions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scoopi.bootstrap.defs_composer import DefsComposer
from scoopi.model.locator import Document, Locator
from scoopi.model.scrape.definitions import Definitions
from scoopi.parse.tree.page import Page, TreeLimits
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.run_request import RunRequest
from scoopi.steps.loading.browser_choice import BrowserChoice
from scoopi.steps.loading.load_state import LoadState
from scoopi.steps.readers.block_finds import browser_choice, with_optional_waits

DEFS = """
locatorGroups: {{ shop: "http://h/a" }}
taskGroups:
  shop:
    loader: {loader}
    offers: {{ dataDef: offers{more} }}
    next: {{ follow: {{ select: "a.next @href", group: shop }} }}
dataDefs:
  offers: {{ {definition} }}
"""
GRID = 'query: { block: "BLOCK", selector: td }, items: [ item: { name: a, index: 1, selector: th } ]'
Compose = Callable[..., BrowserChoice | None]


def composed_defs(folder: Path, definition: str, more: str = "", loader: str = "auto") -> Definitions:
    path = folder / "defs.yml"
    path.write_text(DEFS.format(definition=definition, more=more, loader=loader))
    request = RunRequest(path, environ={})
    return DefsComposer.of(request, ConfigsComposer(request).compose()).compose(path)


@pytest.fixture
def compose(tmp_path: Path) -> Compose:
    def composed(definition: str, more: str = "", loader: str = "auto") -> BrowserChoice | None:
        definitions = composed_defs(tmp_path, definition, more, loader)
        return browser_choice(definitions, definitions.task_groups.values(), 1000, lambda group, loader: None)

    return composed


def lacks(choice: BrowserChoice | None, body: bytes) -> bool:
    assert choice is not None
    locator = Locator("a", "shop", "http://h/a")
    document = Document(locator, locator.url, datetime(2026, 1, 1, tzinfo=UTC), None, body)
    return choice.wants_browser(locator, LoadState(), Page(document, TreeLimits()))


@pytest.mark.parametrize(
    ("definition", "more"),
    [
        ("each: li.offer, fields: { title: b }", ""),
        ("fields: { title: li.offer, price: i }", ""),
        (GRID.replace("BLOCK", "li.offer"), ""),
        (
            GRID.replace("BLOCK", "//li[@class='offer']").replace(": td", ": //td").replace("th", "//th"),
            ", steps: xpath",
        ),
    ],
    ids=["each", "fields", "css", "xpath"],
)
def test_a_page_is_lacking_without_what_its_definitions_look_for(
    compose: Compose, definition: str, more: str
) -> None:
    choice = compose(definition, more)
    assert lacks(choice, b"<ul id=app></ul><script src=app.js></script>")
    assert not lacks(choice, b"<ul><li class=offer><b>Rye</b></ul>")


def test_data_in_a_script_may_come_late_too(compose: Compose) -> None:
    choice = compose('source: { script: "script#data" }, each: offers, fields: { title: name }')
    assert lacks(choice, b"<p>nothing yet")
    assert not lacks(choice, b'<script id=data>{"offers": [{"name": "Rye"}]}</script>')


def test_a_block_that_is_known_only_for_a_row_is_not_looked_for(compose: Compose) -> None:
    assert not lacks(compose(GRID.replace("BLOCK", "tr:nth-child(%{item.index})")), b"<p>")


def test_there_is_nothing_to_choose_for_other_loaders(compose: Compose) -> None:
    assert compose("each: li, fields: { title: b }", loader="http") is None
    assert compose("each: li, fields: { title: b }", loader="browser") is None


@pytest.mark.parametrize(
    ("definition", "more", "optional"),
    [
        ("each: li.offer, fields: { title: b }", "", ("li.offer",)),
        ("each: //li, fields: { title: b }", "", ()),
        ('fields: { title: li.offer, price: "i @title", url: //a }', "", ("li.offer, i",)),
        (GRID.replace("BLOCK", "li.offer"), "", ("li.offer",)),
        (GRID.replace("BLOCK", "li:nth-child(%{item.index})"), "", ()),
        (GRID.replace("BLOCK", "//li").replace(": td", ": //td").replace("th", "//th"), ", steps: xpath", ()),
    ],
)
def test_a_browser_waits_for_what_its_group_looks_for_if_it_is_css(
    tmp_path: Path, definition: str, more: str, optional: tuple[str, ...]
) -> None:
    (group,) = with_optional_waits(composed_defs(tmp_path, definition, more))
    assert group.browser is not None
    assert group.browser.until.optional == optional


def test_a_group_that_is_not_auto_or_has_until_waits_for_nothing_else(tmp_path: Path) -> None:
    definition = "each: li.offer, fields: { title: b }"
    loader = "auto\n    browser: { until: { idle: 100 } }"
    for given in ("browser", loader):
        definitions = composed_defs(tmp_path, definition, loader=given)
        assert list(with_optional_waits(definitions)) == list(definitions.task_groups.values())
