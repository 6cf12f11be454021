"""BrowserDef: how pages are loaded in a browser, with its actions and when a page is complete."""

from __future__ import annotations

import msgspec

from scoopi.model.place import NOWHERE, Place
from scoopi.model.scrape.plugin_def import PluginDef


class Until(msgspec.Struct, frozen=True):
    """When a page is complete; every condition that is given must hold.

    Attributes:
        selector: a CSS selector that an element matches; empty for none.
        gone: a CSS selector that no element matches any more.
        text: a text that the page shows; empty for none.
        idle_ms: how long the page must have had no request in flight; 0 for no such condition.
        time_ms: a fixed wait; 0 for none.
        place: where it is defined; NOWHERE if it is not.
        optional: CSS selectors that are waited for briefly; a page without them is complete nevertheless.
    """

    selector: str = ""
    gone: str = ""
    text: str = ""
    idle_ms: int = 0
    time_ms: int = 0
    optional: tuple[str, ...] = ()
    place: Place = NOWHERE

    @property
    def is_given(self) -> bool:
        """Whether the definitions say when a page is complete."""
        return self != Until(optional=self.optional, place=self.place)


class ActionDef(msgspec.Struct, frozen=True):
    """One action in the browser, such as a click.

    Attributes:
        verb: the action's key in the definitions (`click`, `type`, …).
        key: its path in the definitions, such as `taskGroups.bread.browser.actions[0]`.
        timeout_ms: the longest that it may take; None for the timeout of the group.
        optional: whether it is skipped if its element is missing.
        selector: the selector of its element or frame, or of what scrolling loads; empty for none.
        text: the text to type, the key to press, the option, the script, the name of the screenshot, or the
            answer to the dialog (`accept`, `dismiss`), or the window to switch to (`new`, `main`).
        most: the most times that it is repeated (clicks, scrolls) as long as it has an effect; 1 for once.
        until: the condition of a `wait`.
    """

    verb: str
    key: str
    place: Place = NOWHERE
    timeout_ms: int | None = None
    optional: bool = False
    selector: str = ""
    text: str = ""
    most: int = 1
    until: Until = Until()


class BrowserDef(msgspec.Struct, frozen=True):
    """How pages are loaded in a browser: the actions, and what is waited for afterwards.

    Attributes:
        timeout_ms: the longest wait for `until`, and for the element of an action.
        block: patterns of the hosts whose requests are blocked.
        frames: whether the content of frames is read with the page.
        shadow: whether the content of open shadow roots is read with the page.
        paced: whether the page's own requests also wait for the pace of their host.
        scripts: plugins that are given the driver once the page is complete; `until` is then waited for
            again.
    """

    until: Until = Until()
    timeout_ms: int = 10_000
    actions: tuple[ActionDef, ...] = ()
    block: tuple[str, ...] = ()
    frames: bool = False
    shadow: bool = False
    paced: bool = False
    scripts: tuple[PluginDef, ...] = ()
