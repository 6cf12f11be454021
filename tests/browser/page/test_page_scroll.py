"""Scrolling to the end of a page, or of a box in it, in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.browser.browser import Browser
from scoopi.browser.pool_messages import Rendered, Visit
from scoopi.model.scrape.browser_def import ActionDef, BrowserDef, Until
from tests.browser.kinds import each_browser
from tests.server.server import Server

ENDLESS = """<!doctype html><body><div id=items></div><script>
let number = 0, left = PAGES;
function add() { for (let i = 0; i < 10; i++)
  items.insertAdjacentHTML('beforeend', `<p class=item style="height: 200px">${++number}</p>`); }
add();
addEventListener('scroll', () => {
  const atEnd = scrollY + innerHeight > document.documentElement.scrollHeight - 50;
  if (atEnd && left-- > 0) setTimeout(add, 100);
});
</script></body>"""
IN_A_BOX = """<!doctype html><style>html { scroll-behavior: smooth } BODY
#box { height: 300px; overflow-y: auto; scroll-behavior: smooth }
#menu { height: 900px; overflow-y: auto }</style><body>MENU
<div id=box><ul id=items></ul></div><script>
let number = 0, left = 3;
function add() { for (let i = 0; i < 10; i++)
  items.insertAdjacentHTML('beforeend', `<li class=item style="height: 100px">${++number}</li>`); }
add();
box.addEventListener('scroll', () => {
  if (box.scrollTop + box.clientHeight > box.scrollHeight - 20 && left-- > 0) setTimeout(add, 100);
});
</script></body>"""
REUSED = """<!doctype html><body style="margin: 0"><div id=spacer style="position: relative"></div><script>
let known = 20;
const rows = [...Array(10)].map(() => spacer.appendChild(document.createElement('p')));
function show() {
  const first = Math.min(known - 10, Math.max(0, Math.floor(scrollY / 100)));
  spacer.style.height = `${known * 100}px`;
  rows.forEach((row, at) => {
    row.className = 'item';
    row.style = `position: absolute; margin: 0; height: 100px; top: ${(first + at) * 100}px`;
    row.textContent = `record ${first + at}`;
  });
}
let isLoading = false;
addEventListener('scroll', () => {
  show();
  if (scrollY + innerHeight < known * 100 - 50 || known >= 80 || isLoading) return;
  isLoading = true;
  setTimeout(() => { known += 20; isLoading = false; show(); }, 100);
});
show();
</script></body>"""
"""A list of at most 80 records that shows ten of them, always in the same elements."""
REPLACED = REUSED.replace(
    "rows.forEach",
    "rows.forEach((row, at) => { rows[at] = row.cloneNode(); row.replaceWith(rows[at]) }); rows.forEach",
)
"""The same, in elements that are made for each record."""
CLOCK = """<!doctype html><body><p class=item>0</p><div id=tall style="height: 2000px"></div><script>
let seconds = 0;
setInterval(() => { document.querySelector('.item').textContent = ++seconds; }, 50);
</script></body>"""
MENU = "<div id=menu><p style='height: 5000px'>menu</p></div>"
FIXED = "html, body { height: 100%; margin: 0; overflow: hidden }"


def items(browser: Browser, url: str, text: str = "li.item", most: int = 50) -> int:
    """Scroll to the end, and count the items of the page."""
    return scrolled(browser, url, text, most).body.count(b'class="item"')


def scrolled(browser: Browser, url: str, text: str, most: int = 50) -> Rendered:
    """The page after scrolling to its end."""
    scroll = ActionDef("scroll", "actions[0]", text="end", selector=text, most=most, timeout_ms=3000)
    wait = ActionDef("wait", "actions[1]", until=Until(time_ms=600))
    page = browser.load(Visit(url, {}, 60.0, BrowserDef(timeout_ms=30_000, actions=(scroll, wait))))
    assert isinstance(page, Rendered), page
    return page


def test_scrolling_ends_when_nothing_new_comes(browser: Browser, server: Server, pages: Path) -> None:
    (pages / "endless.html").write_text(ENDLESS.replace("PAGES", "3"))
    assert items(browser, server.url("/endless.html"), "p.item") == 40


def test_scrolling_ends_at_its_most(browser: Browser, server: Server, pages: Path) -> None:
    (pages / "endless.html").write_text(ENDLESS.replace("PAGES", "1e9"))
    assert items(browser, server.url("/endless.html"), "p.item", 4) == 50


@each_browser
@pytest.mark.parametrize("style", ["", FIXED], ids=["in a long page", "in a page of its window's size"])
def test_the_box_that_the_items_are_in_is_scrolled(
    browser: Browser, server: Server, pages: Path, style: str
) -> None:
    (pages / "box.html").write_text(IN_A_BOX.replace("BODY", style).replace("MENU", MENU))
    assert items(browser, server.url("/box.html")) == 40, "not the menu, which is larger"


@each_browser
def test_without_a_selector_the_largest_box_of_a_fixed_page_is_scrolled(
    browser: Browser, server: Server, pages: Path
) -> None:
    (pages / "box.html").write_text(IN_A_BOX.replace("BODY", FIXED).replace("MENU", ""))
    assert items(browser, server.url("/box.html"), "", 1) == 20


def test_without_a_selector_a_long_page_is_scrolled_itself(
    browser: Browser, server: Server, pages: Path
) -> None:
    (pages / "endless.html").write_text(ENDLESS.replace("PAGES", "1"))
    assert items(browser, server.url("/endless.html"), "", 1) == 20


@each_browser
@pytest.mark.parametrize("page", [REUSED, REPLACED], ids=["the same elements", "new elements"])
def test_a_list_that_shows_only_a_part_is_scrolled_to_its_end_and_what_it_removes_is_counted(
    browser: Browser, server: Server, pages: Path, page: str
) -> None:
    (pages / "part.html").write_text(page)
    shown = scrolled(browser, server.url("/part.html"), "p.item")
    assert b"record 79<" in shown.body
    assert b"record 10<" not in shown.body
    assert shown.removed is not None
    assert shown.removed.selector == "p.item"
    assert shown.removed.number >= 30


@pytest.mark.parametrize("page", [ENDLESS.replace("PAGES", "3"), CLOCK], ids=["growing", "with a clock"])
def test_a_list_that_keeps_its_elements_has_removed_none(
    browser: Browser, server: Server, pages: Path, page: str
) -> None:
    (pages / "endless.html").write_text(page)
    assert scrolled(browser, server.url("/endless.html"), "p.item").removed is None
