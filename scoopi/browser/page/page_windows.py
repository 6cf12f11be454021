"""PageWindows: the windows that the page of a visit has opened, and which of them get their pages."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from scoopi.browser.page.navigation_responses import NavigationResponses
from scoopi.browser.pool_messages import VisitFailed
from scoopi.model.place import NOWHERE, Place
from scoopi.model.scrape.browser_def import ActionDef, BrowserDef

NEW_WINDOW = "new"
"""The text of an action `window` that goes to a window which the page has opened."""
_OPENS = frozenset({"click", "type", "press", "select", "script"})
"""Actions that a page answers by opening a window."""


@dataclass(frozen=True, slots=True)
class _Opened:
    """A window: the action after which it opened, whether it gets its page, and the answers to its requests.

    Attributes:
        action: the number of the action; 0 for the page itself.
        place: of the action.
    """

    action: int
    place: Place
    is_loaded: bool
    responses: NavigationResponses


class PageWindows:
    """The windows that the page of a visit has opened, and which of them get their pages.

    A window gets its page only if that can be read: if the definitions have script plugins, or if an action
    `window: new` comes before the next action that may open a window. Other windows stay empty. The browser
    reports windows in a thread of its own.

    Attributes:
        own: the handle of the window that the visit began in.
        current: the handle of the window that actions work in, and that is read after them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._opened: dict[str, _Opened] = {}
        self._used: set[str] = set()
        self._action, self._place = 0, NOWHERE
        self._has_scripts = self._are_loaded = False
        self.own = self.current = ""

    def __len__(self) -> int:
        return len(self._opened)

    def begin(self, own: str, how: BrowserDef) -> None:
        """Forget the windows of the visit before; `own` is the handle of the new visit's window."""
        with self._lock:
            self._opened.clear()
            self._used.clear()
            self._action, self._place = 0, NOWHERE
            self._has_scripts = bool(how.scripts)
            self._are_loaded = self._has_scripts or _continues_in_window(how.actions)
            self.own = self.current = own

    def act(self, action: ActionDef, following: Sequence[ActionDef]) -> None:
        """Note that an action begins, which counts as the opener of windows from now on, if it can open one.

        Args:
            following: the actions after it.
        """
        if action.verb in _OPENS:
            with self._lock:
                self._action, self._place = self._action + 1, action.place
                self._are_loaded = self._has_scripts or _continues_in_window(following)

    def add(self, handle: str) -> bool:
        """Note that a window has opened; return whether it gets its page."""
        with self._lock:
            self._opened[handle] = _Opened(self._action, self._place, self._are_loaded, NavigationResponses())
            return self._are_loaded

    def responses_of(self, handle: str) -> NavigationResponses | None:
        """Return the responses to the navigations of a window; None if it is not of the visit's page."""
        found = self._opened.get(handle)
        return None if found is None else found.responses

    def is_loaded(self, handle: str) -> bool:
        """Return whether a window gets its page; True for one that is not of the visit's page."""
        found = self._opened.get(handle)
        return found is None or found.is_loaded

    def take_new(self) -> str | None:
        """Return the first window that the last action opened and that was not returned before; else None."""
        with self._lock:
            for handle, each in self._opened.items():
                if each.action == self._action and handle not in self._used:
                    self._used.add(handle)
                    return handle
        return None

    def unused(self) -> str:
        """Return the place of the last action whose window no other action went to; empty without one."""
        with self._lock:
            left = [each.place for handle, each in self._opened.items() if handle not in self._used]
        return next((str(place) for place in reversed(left) if place != NOWHERE), "")

    def hinted(self, failure: VisitFailed) -> VisitFailed:
        """Return a failure, with a better hint if an action has opened a window that was not used."""
        place = self.unused()
        if not place:
            return failure
        window = f"the window that the action at {place} has opened"
        return replace(failure, hint=f"{failure.hint}, or go to {window}: put `window: new` right after it")


def _continues_in_window(actions: Sequence[ActionDef]) -> bool:
    """Whether the definitions continue in a window that opens before the first of some actions."""
    for each in actions:
        if each.verb == "window" and each.text == NEW_WINDOW:
            return True
        if each.verb in _OPENS:
            return False
    return False
