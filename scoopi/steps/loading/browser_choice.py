"""BrowserChoice: decides which pages of groups with `loader: auto` are loaded in a browser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from scoopi.errors import StepError
from scoopi.model.locator import Locator
from scoopi.parse.tree.page import Page
from scoopi.steps.loading.load_state import LoadState

BY_HTTP, BY_BROWSER = "http", "browser"
ENOUGH = 3
"""Once this many pages in a row needed a browser, all further ones are loaded in one right away."""

HasFound = Callable[[Page], bool]
"""Whether a page has what the definitions of its group select; may raise StepError."""


class BrowserChoice:
    """Decides which pages of groups with `loader: auto` are loaded in a browser.

    A page is loaded by plain HTTP first, and in a browser if it lacks what its definitions select. Used by
    the thread that loads pages.

    Args:
        finds: group with `loader: auto` -> whether a page has what its definitions select.
        note: called with a group and BY_HTTP or BY_BROWSER, to count what has loaded the group's pages.
    """

    def __init__(self, finds: Mapping[str, HasFound], note: Callable[[str, str], None]) -> None:
        self._finds = finds
        self._note = note
        self._in_a_row: Counter[str] = Counter()

    def is_browser(self, locator: Locator, load: LoadState) -> bool:
        """Whether the loader plugin of the page's group makes the next request.

        Always, except for `loader: auto`: there the plugin is a browser, which can only make GETs.
        """
        if locator.group not in self._finds:
            return True
        is_chosen = self._in_a_row[locator.group] >= ENOUGH
        return _is_get(locator) and (load.in_browser or bool(load.call) or is_chosen)

    def wants_browser(self, locator: Locator, load: LoadState, page: Page) -> bool:
        """Whether a loaded page must be loaded again, in a browser; if not, note what has loaded it."""
        group = locator.group
        if group not in self._finds:
            return False
        found = self._has_found(group, page)
        if load.in_browser:
            if found:  # else it lacks that in a browser, too, which shows nothing about other pages
                self._in_a_row[group] += 1
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
            return True  # the tasks run into the same error, and report it


def _is_get(locator: Locator) -> bool:
    return locator.request is None or locator.request.method == "GET"
