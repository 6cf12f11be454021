"""build_browser: reads the key `browser` of a task group."""

from __future__ import annotations

import re

from scoopi.defs.browser.browser_language import VERBS
from scoopi.defs.yaml.node import Table, read_bool, read_integer
from scoopi.model.scrape.browser_def import ActionDef, BrowserDef, Until

ACTIONS = "actions"
END = "end"
NO_NEW = re.compile(r"""no-new\s+(?:"([^"]+)"|'([^']+)'|([^"'].*))""")
"""The value of `until` of a scroll: the selector of the elements that scrolling must add."""
OF_ELEMENT = frozenset({"click", "hover", "scroll", "frame"})
"""The actions whose value is the selector of an element."""
_MOST_SCROLLS = 100


def build_browser(node: Table | None, key: str) -> BrowserDef:
    """Build the definition of the key `browser`; invalid entries, which BrowserChecker reports, are left out.

    Args:
        node: the value of the key `browser`; None if the group has no such key.
        key: the path of names to the node, as `taskGroups.shop.browser`.
    """
    if node is None:
        return BrowserDef()
    actions = tuple(
        _action(verbs[0], entry, f"{key}.{ACTIONS}[{number}]")
        for number, entry in enumerate(node.tables(ACTIONS))
        if (verbs := verbs_of(entry))
    )
    timeout_ms = number_of(node, "timeout")
    return BrowserDef(
        until=_until(node.table("until")),
        timeout_ms=BrowserDef().timeout_ms if timeout_ms is None else timeout_ms,
        actions=actions,
        block=node.texts("block"),
        frames=read_bool(node.text("frames") or "") is True,
        shadow=read_bool(node.text("shadow") or "") is True,
        paced=read_bool(node.text("paced") or "") is True,
    )


def _action(verb: str, entry: Table, key: str) -> ActionDef:
    text = entry.text(verb) or ""
    until = NO_NEW.fullmatch(entry.text("until") or "") if verb == "scroll" else None
    selector = text if verb in OF_ELEMENT else entry.text("in") or ""
    if verb == "scroll" and text == END:
        selector = next((part for part in until.groups() if part), "").strip() if until else ""
    if verb == "frame" and text == "top":
        selector = ""
    return ActionDef(
        verb=verb,
        key=key,
        place=entry.keys[verb],
        timeout_ms=number_of(entry, "timeout"),
        optional=read_bool(entry.text("optional") or "") is True,
        selector=selector,
        text=text,
        most=number_of(entry, "max") or (_MOST_SCROLLS if until else 1),
        until=_until(entry.table("wait")),
    )


def _until(node: Table | None) -> Until:
    if node is None:
        return Until()
    return Until(
        selector=node.text("selector") or "",
        gone=node.text("gone") or "",
        text=node.text("text") or "",
        idle_ms=number_of(node, "idle") or 0,
        time_ms=number_of(node, "time") or 0,
        place=node.place,
    )


def verbs_of(entry: Table) -> list[str]:
    """Return the verbs among the keys of an action; a valid action has exactly one."""
    return [verb for verb in VERBS if verb in entry.entries]


def number_of(node: Table, name: str) -> int | None:
    """Return the whole number that a key has as its value; None if it is absent or invalid."""
    return read_integer(node.text(name) or "")
