"""build_browser reads the key `browser` of a task group; BrowserChecker reports what is wrong in it."""

from __future__ import annotations

import re

from scoopi.defs.browser.browser_language import ACTION, VERBS
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Listing, Table, Text, read_bool, read_integer
from scoopi.model.definitions import ActionDef, BrowserDef, Until
from scoopi.model.text.text_template import placeholder_names

ACTIONS = "actions"
KEYS = (
    *("Enter", "Tab", "Escape", "Backspace", "Delete", "Space", "Home", "End", "PageUp", "PageDown"),
    *("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"),
)
"""The names of keys that can be pressed; a single character is one, too."""
END = "end"
PLACEHOLDERS = ("locator.name", "locator.url")
"""What actions, and conditions, may have in `%{…}` besides inputs."""
_MOST_SCROLLS = 100
_NO_NEW = re.compile(r"""no-new\s+(?:"([^"]+)"|'([^']+)'|([^"'].*))""")
_IN = frozenset({"type", "press", "select"})
_NEEDS_IN = frozenset({"type", "select"})
_OF_ELEMENT = frozenset({"click", "hover", "scroll", "frame"})
_HOST = re.compile(r"[A-Za-z0-9*._-]*[A-Za-z0-9][A-Za-z0-9*._-]*")
_SCREENSHOT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def build_browser(node: Table | None, key: str) -> BrowserDef:
    """Read how pages are loaded in a browser; invalid entries are left out, as BrowserChecker reports them.

    Args:
        node: the value of the key `browser`; None if the group has no such key.
        key: the path of names to the node, as `taskGroups.shop.browser`.
    """
    if node is None:
        return BrowserDef()
    actions = tuple(
        _action(verbs[0], entry, f"{key}.{ACTIONS}[{number}]")
        for number, entry in enumerate(node.tables(ACTIONS))
        if (verbs := _verbs(entry))
    )
    timeout_ms = _number(node, "timeout")
    return BrowserDef(
        until=_until(node.table("until")),
        timeout_ms=BrowserDef().timeout_ms if timeout_ms is None else timeout_ms,
        actions=actions,
        block=node.texts("block"),
        frames=read_bool(node.text("frames") or "") is True,
        shadow=read_bool(node.text("shadow") or "") is True,
        paced=read_bool(node.text("paced") or "") is True,
    )


class BrowserChecker:
    """Reports invalid entries of the key `browser`."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings

    def check(self, node: Table, key: str) -> None:
        """Check the value of the key `browser`; `key` is the path of names to it."""
        self._check_numbers(node, ("timeout",), key)
        self._check_until(node.table("until"), f"{key}.until")
        self._check_hosts(node, key)
        self._check_placeholders(node, key)
        in_frame = False
        for number, entry in enumerate(node.tables(ACTIONS)):
            at = f"{key}.{ACTIONS}[{number}]"
            verbs = _verbs(entry)
            if not verbs and not entry.entries.keys() <= ACTION.names:
                continue  # the misspelt name is a finding elsewhere
            if len(verbs) != 1:
                has = f"has {' and '.join(verbs)}" if verbs else "says nothing to do"
                what, hint = f"an action {has}", f"give each entry one of {', '.join(VERBS)}"
                self._findings.error(entry.place, at, what, hint)
                continue
            self._check_action(verbs[0], entry, at)
            if verbs[0] == "frame":
                if entry.text("frame") == "top" and not in_frame:
                    self._findings.error(entry.at("frame"), at, "no frame was entered before", "take it out")
                in_frame = entry.text("frame") != "top"

    def _check_action(self, verb: str, entry: Table, key: str) -> None:
        self._check_numbers(entry, ("timeout", "max"), key)
        if verb in _NEEDS_IN and "in" not in entry.entries:
            hint = f'add `in: "SELECTOR"` with the field that {verb} is for'
            self._findings.error(entry.keys[verb], f"{key}.{verb}", "in is missing", hint)
        allowed = {
            "in": verb in _IN,
            "until": verb == "scroll",
            "max": verb == "click" or "until" in entry.entries,
            "optional": verb in _OF_ELEMENT or "in" in entry.entries or verb == "dialog",
        }
        for name, is_allowed in allowed.items():
            if name in entry.entries and not is_allowed:
                what, hint = f"{name} does nothing beside {verb}", "take it out"
                self._findings.error(entry.keys[name], f"{key}.{name}", what, hint)
        self._check_value(verb, entry, key)
        if verb == "wait":
            self._check_until(entry.table("wait"), f"{key}.wait")

    def _check_value(self, verb: str, entry: Table, key: str) -> None:
        """Check the text of a verb, and of `until` of a scroll."""
        text, place = entry.text(verb) or "", entry.at(verb)
        if verb == "press" and len(text) != 1:
            if text not in KEYS:
                self._findings.unknown(place, f"{key}.press", f"there is no key {text}", text, KEYS)
        elif verb == "screenshot" and not _SCREENSHOT.fullmatch(text):
            what = f'screenshot is "{text}", a plain name is needed'
            hint = "use letters, digits, `.`, `_` and `-`, as in `screenshot: offers`"
            self._findings.error(place, f"{key}.screenshot", what, hint)
        until = entry.text("until")
        if verb == "scroll" and until is not None:
            if not _NO_NEW.fullmatch(until):
                what = f'until is "{until}"'
                hint = "write `until: 'no-new \"li.item\"'` with the selector of what scrolling brings"
                self._findings.error(entry.at("until"), f"{key}.until", what, hint)
            if text != END:
                what = "until needs a scroll to the end of the page"
                self._findings.error(place, f"{key}.scroll", what, "write `scroll: end`")

    def _check_placeholders(self, node: Table, key: str) -> None:
        """Check those of actions and `until`; inputs that are not given are findings elsewhere."""
        for name, each in node.entries.items():
            if isinstance(each, Text):
                for written in placeholder_names(each.text):
                    if written not in PLACEHOLDERS and not written.startswith("input."):
                        what = f"there is no value {written} here"
                        self._findings.unknown(each.place, f"{key}.{name}", what, written, PLACEHOLDERS)
        inner = [*node.tables(ACTIONS), *(found for name in ("until", "wait") if (found := node.table(name)))]
        for table in inner:
            self._check_placeholders(table, key)

    def _check_hosts(self, node: Table, key: str) -> None:
        written = node.entries.get("block")
        for number, entry in enumerate(written.entries if isinstance(written, Listing) else ()):
            if isinstance(entry, Text) and entry.text.strip() and not _HOST.fullmatch(entry.text):
                what = f'"{entry.text}" is not a pattern of a host'
                hint = "write a host's name without scheme and path, as in `*.ads.example`"
                self._findings.error(entry.place, f"{key}.block[{number}]", what, hint)

    def _check_until(self, until: Table | None, key: str) -> None:
        if until is None:
            return
        if not until.entries:
            hint = "give selector, gone, text, idle or time"
            self._findings.error(until.place, key, "there is nothing to wait for", hint)
        self._check_numbers(until, ("idle", "time"), key)

    def _check_numbers(self, node: Table, names: tuple[str, ...], key: str) -> None:
        for name in names:
            number = _number(node, name)
            if number is not None and number < 1:
                what = f"{name} is {number}, 1 is the least"
                self._findings.error(node.at(name), f"{key}.{name}", what, "give a larger number")


def _action(verb: str, entry: Table, key: str) -> ActionDef:
    text = entry.text(verb) or ""
    until = _NO_NEW.fullmatch(entry.text("until") or "") if verb == "scroll" else None
    selector = text if verb in _OF_ELEMENT else entry.text("in") or ""
    if verb == "scroll" and text == END:
        selector = next((part for part in until.groups() if part), "").strip() if until else ""
    if verb == "frame" and text == "top":
        selector = ""
    return ActionDef(
        verb=verb,
        key=key,
        place=entry.keys[verb],
        timeout_ms=_number(entry, "timeout"),
        optional=read_bool(entry.text("optional") or "") is True,
        selector=selector,
        text=text,
        most=_number(entry, "max") or (_MOST_SCROLLS if until else 1),
        until=_until(entry.table("wait")),
    )


def _until(node: Table | None) -> Until:
    if node is None:
        return Until()
    return Until(
        selector=node.text("selector") or "",
        gone=node.text("gone") or "",
        text=node.text("text") or "",
        idle_ms=_number(node, "idle") or 0,
        time_ms=_number(node, "time") or 0,
        place=node.place,
    )


def _verbs(entry: Table) -> list[str]:
    return [verb for verb in VERBS if verb in entry.entries]


def _number(node: Table, name: str) -> int | None:
    return read_integer(node.text(name) or "")
