"""BrowserChecker: reports invalid entries of the key `browser` of a task group."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from scoopi.defs.browser.browser_builder import ACTIONS, END, NO_NEW, OF_ELEMENT, number_of, verbs_of
from scoopi.defs.browser.browser_language import ACTION, VERBS
from scoopi.defs.scrape.checkers import Fault, no_fault
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.node import Listing, Table, Text
from scoopi.model.place import Place
from scoopi.model.scrape.browser_def import BrowserDef
from scoopi.model.text.secrets import has_reference, variable_of
from scoopi.model.text.text_template import placeholder_names

KEYS = (
    *("Enter", "Tab", "Escape", "Backspace", "Delete", "Space", "Home", "End", "PageUp", "PageDown"),
    *("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"),
)
"""The names of keys that can be pressed; a single character is a key, too."""
PLACEHOLDERS = ("locator.name", "locator.url")
"""The placeholders of actions and conditions, besides inputs."""
_IN = frozenset({"type", "press", "select"})
_NEEDS_IN = frozenset({"type", "select"})
_MAY_NOT_COME = frozenset({"dialog", "window"})
_BACK = {"frame": "top", "window": "main"}
"""The value by which an action leads back out of a frame or a window."""
_KEYWORDS = {"frame": "top", "scroll": END}
"""The keyword that an action accepts in place of a selector."""
_FRAMES = frozenset({"iframe", "frame"})
_WORD = re.compile(r"[A-Za-z][A-Za-z-]*")
_PLACES = frozenset(
    (
        *("bottom", "document", "down", "end", "full", "of", "page"),
        *("screen", "start", "the", "to", "top", "up", "window"),
    )
)
"""Words that stand for a place in the page; no element is named by these alone."""
_PASSWORD = re.compile(r"(?i)passw|passphrase|pwd|\bpass\b")
_HOST = re.compile(r"[A-Za-z0-9*._-]*[A-Za-z0-9][A-Za-z0-9*._-]*")
_SCREENSHOT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PLACEHOLDER = re.compile(r"%\{[^}]*\}")
_QUOTED = re.compile(r"""\"[^\"]*\"|'[^']*'""")
_ESCAPED = re.compile(r"\\.")
_ENDS = {"[": "]", "(": ")"}
_NO_CSS = re.compile(r"\(?\.*/|\d|.*:(contains\w*|matches\w*|eq|gt|lt)\(", re.DOTALL)
"""XPath, a number, or an extension of jQuery's or Scoopi's selectors that browsers do not have."""


class BrowserChecker:
    """Reports invalid entries of the key `browser`.

    Args:
        script: checks the syntax of a script; its engine may know less of the language than a browser.
    """

    def __init__(self, findings: Findings, script: Callable[[str], Fault | None] = no_fault) -> None:
        self._findings = findings
        self._script = script
        self._timeout_ms = BrowserDef().timeout_ms

    def check(self, node: Table, key: str) -> None:
        """Check the value of the key `browser`; `key` is the path of names to it."""
        self._check_numbers(node, ("timeout",), key)
        self._timeout_ms = number_of(node, "timeout") or BrowserDef().timeout_ms
        self._check_until(node.table("until"), f"{key}.until", self._timeout_ms)
        self._check_hosts(node, key)
        self._check_placeholders(node, key)
        entered: set[str] = set()
        for number, entry in _actions(node):
            at = f"{key}.{ACTIONS}[{number}]"
            verbs = verbs_of(entry)
            if not verbs and not entry.entries.keys() <= ACTION.names:
                continue  # the shape checker reports the misspelt name
            if len(verbs) != 1:
                has = f"has {' and '.join(verbs)}" if verbs else "says nothing to do"
                what, hint = f"an action {has}", f"give each entry one of {', '.join(VERBS)}"
                self._findings.error(entry.place, at, what, hint)
                continue
            self._check_action(verbs[0], entry, at)
            self._check_way(verbs[0], entry, at, entered)

    def _check_way(self, verb: str, entry: Table, key: str, entered: set[str]) -> None:
        """Report a return from a frame or window that was not entered; `entered` is updated."""
        if verb not in _BACK:
            return
        if entry.text(verb) != _BACK[verb]:
            entered.add(verb)
        elif verb in entered:
            entered.remove(verb)
        else:
            self._findings.error(entry.at(verb), key, f"no {verb} was entered before", "remove it")
        if verb == "window":
            entered.discard("frame")

    def _check_action(self, verb: str, entry: Table, key: str) -> None:
        self._check_numbers(entry, ("timeout", "max"), key)
        is_known = entry.entries.keys() <= ACTION.names  # otherwise a misspelt name is reported elsewhere
        if verb in _NEEDS_IN and "in" not in entry.entries and is_known:
            hint = f'add `in: "SELECTOR"` with the field that {verb} is for'
            self._findings.error(entry.keys[verb], f"{key}.{verb}", "in is missing", hint)
        allowed = {
            "in": verb in _IN,
            "until": verb == "scroll",
            "max": verb == "click" or "until" in entry.entries,
            "optional": verb in OF_ELEMENT | _MAY_NOT_COME or "in" in entry.entries,
        }
        for name, is_allowed in allowed.items():
            if name in entry.entries and not is_allowed:
                what, hint = f"{name} does nothing beside {verb}", "remove it"
                if name == "max" and verb == "scroll":
                    what, hint = "max does nothing without until", "add `until: 'no-new \"li.item\"'`"
                self._findings.error(entry.keys[name], f"{key}.{name}", what, hint)
        self._check_value(verb, entry, key)
        timeout_ms = number_of(entry, "timeout") or self._timeout_ms
        self._check_until(entry.table("wait"), f"{key}.wait", timeout_ms)

    def _check_value(self, verb: str, entry: Table, key: str) -> None:
        """Check the text of a verb, and of `until` of a scroll."""
        text, place = entry.text(verb) or "", entry.at(verb)
        for name in ("in", *(OF_ELEMENT & {verb})):
            self._check_selector(entry, name, key)
        if verb == "press" and len(text) != 1:
            if text not in KEYS:
                self._findings.unknown(place, f"{key}.press", f"there is no key {text}", text, KEYS)
        elif verb in ("scroll", "frame"):
            self._check_keyword(verb, text, place, key)
        elif verb == "type":
            self._check_password(entry, text, key)
        elif verb == "screenshot" and not _SCREENSHOT.fullmatch(text):
            what = f'screenshot is "{text}", which is not a plain name'
            hint = "use letters, digits, `.`, `_` and `-`, as in `screenshot: offers`"
            self._findings.error(place, f"{key}.screenshot", what, hint)
        elif verb == "script" and (fault := self._script(_as_function(text))):
            what = f"this script may be wrong: {fault.what.partition(' (line ')[0]}"
            self._findings.warning(place, f"{key}.script", what, "try it in the browser's console")
        until = entry.text("until")
        if verb == "scroll" and until is not None:
            if NO_NEW.fullmatch(until):
                self._check_selector(entry, "until", key)
            else:
                what = f'until is "{until}"'
                hint = "write `until: 'no-new \"li.item\"'` with the selector of what scrolling brings"
                self._findings.error(entry.at("until"), f"{key}.until", what, hint)
            if text != END:
                what = "until needs a scroll to the end of the page"
                self._findings.error(place, f"{key}.scroll", what, "write `scroll: end`")

    def _check_keyword(self, verb: str, text: str, place: Place, key: str) -> None:
        """Report a word that stands where a selector does and looks like a misspelt keyword."""
        if not _WORD.fullmatch(text) or text == _KEYWORDS[verb]:
            return
        if verb == "frame" and text.lower() not in _FRAMES:
            hint = 'write `frame: top` to return to the page, or a selector, as in `frame: "iframe#prices"`'
            self._findings.error(place, f"{key}.frame", f"frame is `{text}`, which is not an `iframe`", hint)
        elif verb == "scroll" and set(text.lower().split("-")) <= _PLACES:
            what = f"scroll is `{text}`, which is read as the name of an element"
            hint = "write `scroll: end` for the end of the page"
            self._findings.warning(place, f"{key}.scroll", what, hint)

    def _check_password(self, entry: Table, text: str, key: str) -> None:
        """Warn of a password that stands in the definitions."""
        is_open = text and "%{" not in text and not has_reference(text)
        if is_open and _PASSWORD.search(entry.text("in") or ""):
            self._findings.hide(text)
            what = "this types a password that stands in the definitions"
            hint = 'set it in the environment, and write `type: "${env:PASSWORD}"`'
            self._findings.warning(entry.at("type"), f"{key}.type", what, hint)

    def _check_placeholders(self, node: Table, key: str) -> None:
        """Check the placeholders of actions and `until`; missing inputs are reported elsewhere."""
        for name, each in node.entries.items():
            if isinstance(each, Text):
                for written in placeholder_names(each.text):
                    if written not in PLACEHOLDERS and not written.startswith("input."):
                        what = f"there is no value {written} here"
                        self._findings.unknown(each.place, f"{key}.{name}", what, written, PLACEHOLDERS)
                if has_reference(each.text) and (name != "type" or variable_of(each.text) is None):
                    what, hint = f"{name} cannot have a secret", "a secret is the whole text of `type`"
                    self._findings.error(each.place, f"{key}.{name}", what, hint)
        for number, action in _actions(node):
            self._check_placeholders(action, f"{key}.{ACTIONS}[{number}]")
        for name in ("until", "wait"):
            if (found := node.table(name)) is not None:
                self._check_placeholders(found, f"{key}.{name}")

    def _check_hosts(self, node: Table, key: str) -> None:
        written = node.entries.get("block")
        for number, entry in enumerate(written.entries if isinstance(written, Listing) else ()):
            if isinstance(entry, Text) and entry.text.strip() and not _HOST.fullmatch(entry.text):
                what = f'"{entry.text}" is not a host pattern'
                hint = "write a host's name without scheme and path, as in `*.ads.example`"
                self._findings.error(entry.place, f"{key}.block[{number}]", what, hint)

    def _check_selector(self, node: Table, name: str, key: str) -> None:
        """Report a selector that browsers do not support."""
        text = node.text(name) or ""
        no_new = NO_NEW.fullmatch(text)
        selector = text if no_new is None else str(no_new[no_new.lastindex or 0])
        bare = _QUOTED.sub("", selector)
        if _NO_CSS.match(bare):
            what = f"{name} is `{text}`, which browsers cannot read"
            hint = "write a CSS selector, as for document.querySelector"
            self._findings.error(node.at(name), f"{key}.{name}", what, hint)
        elif missing := _missing_end(bare):
            what, hint = f"{name} is `{text}`, which lacks a `{missing}`", f"add `{missing}`"
            self._findings.warning(node.at(name), f"{key}.{name}", what, hint)

    def _check_until(self, until: Table | None, key: str, timeout_ms: int) -> None:
        if until is None:
            return
        if not until.entries:
            hint = "give selector, gone, text, idle or time"
            self._findings.error(until.place, key, "there is nothing to wait for", hint)
        self._check_numbers(until, ("idle", "time"), key)
        for name in ("idle", "time"):
            number = number_of(until, name)
            if number is not None and number > timeout_ms:
                what = f"{name} is {number} ms, more than the timeout of {timeout_ms} ms"
                self._findings.error(until.at(name), f"{key}.{name}", what, "raise `timeout`, in ms")
        for name in ("selector", "gone"):
            self._check_selector(until, name, key)

    def _check_numbers(self, node: Table, names: tuple[str, ...], key: str) -> None:
        for name in names:
            number = number_of(node, name)
            if number is not None and number < 1:
                what = f"{name} is {number}, but must be at least 1"
                self._findings.error(node.at(name), f"{key}.{name}", what, "give a larger number")


def _actions(node: Table) -> Iterator[tuple[int, Table]]:
    """The actions that are mappings, each with its number in the list; others are reported elsewhere."""
    written = node.entries.get(ACTIONS)
    for number, entry in enumerate(written.entries if isinstance(written, Listing) else ()):
        if isinstance(entry, Table):
            yield number, entry


def _missing_end(selector: str) -> str:
    r"""The bracket or quote that the end of a selector without its quoted texts lacks; empty if none does.

    >>> _missing_end("li[data-x"), _missing_end("li:not(.a"), _missing_end(r"li.a\(b")
    (']', ')', '')
    """
    open_ends: list[str] = []
    for each in _ESCAPED.sub("", selector):
        if each in _ENDS:
            open_ends.append(_ENDS[each])
        elif each in "\"'":
            return each
        elif open_ends and each == open_ends[-1]:
            open_ends.pop()
    return open_ends[-1] if open_ends else ""


def _as_function(script: str) -> str:
    """A script wrapped in a function, as it may contain `return`, with 1 for each placeholder."""
    return f"(function () {{ {_PLACEHOLDER.sub('1', script)}\n}})"
