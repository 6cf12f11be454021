"""BrowserChoice: decides which pages of groups with `loader: auto` are loaded in a browser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from scoopi.errors import StepError
from scoopi.model.locator import Locator
from scoopi.parse.tree.page import Page
from scoopi.steps.step import LoadOrder

BY_HTTP, BY_BROWSER = "http", "browser"
ENOUGH = 3
"""After so many pages in a row that only a browser could show, all further ones are loaded in it at once."""

HasFound = Callable[[Page], bool]
"""Whether a page has what the definitions of its group look for; may raise StepError."""


class BrowserChoice:
    """Decides which pages of groups with `loader: auto` are loaded in a browser.

    A page is loaded by plain HTTP first, and in a browser if it lacks what its definitions look for. Belongs
    to the thread that loads pages.

    Args:
        finds: whether a page has that, by group; only groups with `loader: auto`.
        note: counts a page by its group and by what has loaded it, BY_HTTP or BY_BROWSER.
    """

    def __init__(self, finds: Mapping[str, HasFound], note: Callable[[str, str], None]) -> None:
        self._finds = finds
        self._note = note
        self._in_a_row: Counter[str] = Counter()

    def is_browser(self, locator: Locator, order: LoadOrder) -> bool:
        """Whether the plugin of the page's group makes its next request; a browser cannot post."""
        if locator.group not in self._finds:
            return True
        is_chosen = self._in_a_row[locator.group] >= ENOUGH
        return _is_get(locator) and (order.in_browser or bool(order.call) or is_chosen)

    def wants_browser(self, locator: Locator, order: LoadOrder, page: Page) -> bool:
        """Whether a page that has come is to be loaded again, in a browser; counts it if not."""
        group = locator.group
        if group not in self._finds:
            return False
        found = self._has_found(group, page)
        if order.in_browser:
            self._in_a_row[group] += found  # one that lacks it here too says nothing of the others
            self._note(group, BY_BROWSER)
            return False
        if not found and _is_get(locator):
            return True
        self._in_a_row[group] = 0
        self._note(group, BY_HTTP)
        return False

    def _has_found(self, group: str, page: Page) -> bool:
        try:
            return self._finds[group](page)
        except StepError:
            return True  # the tasks meet the same error, and report it


def _is_get(locator: Locator) -> bool:
    return locator.request is None or locator.request.method == "GET"
