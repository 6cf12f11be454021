"""PageScroll: scrolls a page in the browser, and the boxes in it, to their ends."""

from __future__ import annotations

from typing import Any

from selenium.webdriver.remote.webdriver import WebDriver

from scoopi.browser.page.page_wait import comes_true, with_dialogs_dismissed

_BOXES = """
const [selector] = arguments;
function scrolls(box) {
  const isLonger = box.scrollHeight > box.clientHeight + 1;
  return isLonger && /auto|scroll|overlay/.test(getComputedStyle(box).overflowY);
}
function above(node) { return node.assignedSlot || node.parentElement || node.getRootNode().host; }
const page = document.scrollingElement || document.documentElement;
const items = selector ? [...document.querySelectorAll(selector)] : [];
const boxes = [];
for (let each = items[items.length - 1]; each; each = above(each))
  if (each !== page && scrolls(each)) boxes.push(each);
"""
"""Argument: a selector; may be empty. Finds its elements, and the boxes around the last one."""
_SEEN = """
const state = window[Symbol.for('scoopi.seen')] ??= {shown: new Map(), reach: 0, last: '', reused: 0};
function content(item) { return `${item.textContent.trim()} ${item.querySelector('a')?.href ?? ''}`.trim(); }
"""
_NEW = f"""{_BOXES}{_SEEN}
let found = 0;
for (const each of items) if (!state.shown.has(each)) found++;
const reach = [page, ...boxes].reduce((sum, each) => sum + each.scrollHeight, 0);
const last = items.length ? content(items[items.length - 1]) : '';
const isReused = !found && state.reach && reach > state.reach + 1 && last !== state.last;
if (found || isReused) {{
  for (const each of items) state.shown.set(each, content(each));
  state.reach = Math.max(reach, state.reach);
  state.last = last;
  if (isReused) state.reused += found = items.length;
}}
return found;
"""
"""Elements that are new. A list that shows only a part of its records may show others in the same elements:
then its last one has other content, and what is scrolled has become longer. Either alone happens without
new records, as with a clock or a late image."""
_REMOVED = f"""{_BOXES}{_SEEN}
const present = new Set(items.map(content));
const gone = [...state.shown].filter(([each, was]) => !each.isConnected && was && !present.has(was));
return gone.length + state.reused;
"""
_TO_END = f"""{_BOXES}
function area(box) {{ return box.clientWidth * box.clientHeight; }}
if (!boxes.length && page.scrollHeight <= window.innerHeight + 1) {{
  const all = [...document.querySelectorAll('body, body *')].filter(scrolls);
  boxes.push(...all.sort((a, b) => area(b) - area(a)).slice(0, 1));
}}
for (const each of [...boxes, page]) each.scrollTo({{top: each.scrollHeight, behavior: 'instant'}});
"""
"""Argument: a selector; may be empty. Scrolls the boxes around its last element, and the page, to their ends;
of a page that is not longer than its window, the largest box if no other is known."""


class PageScroll:
    """Scrolls a page in the browser, and the boxes in it, to their ends.

    If a page is only as large as its window, its list is in a box of its own (`overflow: auto`), which is
    found from the elements of the list.
    """

    def __init__(self, driver: WebDriver) -> None:
        self._driver = driver

    def to_end(self, selector: str) -> None:
        """Scroll to the end once.

        Args:
            selector: selector of the list's elements, whose box is scrolled, too; empty for the page, or its
                largest box.
        Raises:
            WebDriverException: the selector is invalid, or the browser does not answer.
        """
        self._run(_TO_END, selector)

    def new(self, selector: str) -> int:
        """Return the number of elements that this method has not counted before on the page.

        Elements that show other records than before, in a list that has become longer, count again.

        Raises:
            WebDriverException: see `to_end`.
        """
        return int(self._run(_NEW, selector))

    def brings_new(self, selector: str, ends: float) -> bool:
        """Wait until the page has an element that the method `new` counts; return whether one came in time.

        Args:
            ends: until when to wait, as `time.monotonic()`.

        Raises:
            WebDriverException: see `to_end`.
        """
        return comes_true(lambda: self.new(selector) > 0, ends)

    def removed(self, selector: str) -> int:
        """Return the number of elements that `new` has counted and that the page no longer shows.

        Elements that were replaced by others with the same content do not count.

        Raises:
            WebDriverException: see `to_end`.
        """
        return int(self._run(_REMOVED, selector))

    def _run(self, script: str, selector: str) -> Any:
        return with_dialogs_dismissed(self._driver, lambda: self._driver.execute_script(script, selector))
