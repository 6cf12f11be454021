"""PageFacts: facts about a page besides its content, and the placeholders that refer to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from scoopi.errors import ParseError
from scoopi.model.locator import Locator
from scoopi.model.records.record_def import LOCATOR_NAME, PARENT
from scoopi.model.text.shown import did_you_mean
from scoopi.model.text.text_template import PLACEHOLDER, placeholders

LOCATOR_GROUP = "locator.group"
_NAMES = (LOCATOR_NAME, LOCATOR_GROUP, "page.url", "page.fetchedAt", "record.index")


@dataclass(frozen=True, slots=True)
class PageFacts:
    """Facts about a page besides its content.

    Attributes:
        url: its final URL, after redirects.
        fetched_at: when it was loaded, zone-aware.
        locator: the locator or link that led to it.
        parent: field -> value, of the record whose link led to it; empty if no record did.
        absolute: resolves a link of the page to an absolute URL.
    """

    locator: Locator
    url: str
    fetched_at: datetime
    parent: Mapping[str, Any] = field(default_factory=dict)
    absolute: Callable[[str], str] = str

    def meta(self, name: str) -> str:
        """The value of a meta column: `locator`, `group`, `page` or `fetchedAt`."""
        if name == "locator":
            return self.locator.name
        if name == "group":
            return self.locator.group
        return self.url if name == "page" else self.fetched_at.isoformat()


def compile_constant(text: str) -> Callable[[PageFacts, int], str | None]:
    """Compile a `value:` to a function of the page and of the record's number, from 1.

    The function returns None if a placeholder has no value.

    Raises:
        ParseError: a placeholder is unknown.
    """
    for name in placeholders(text):
        if name not in _NAMES and not (name.startswith(PARENT) and len(name) > len(PARENT)):
            known = f"known are {', '.join(_NAMES)} and parent.FIELD"
            hint = did_you_mean(name, _NAMES, known, "%{{{}}}")
            raise ParseError(f"placeholder %{{{name}}} names nothing", hint=hint)
    if not PLACEHOLDER.search(text):
        return lambda _facts, _index: text

    def value(facts: PageFacts, index: int) -> str | None:
        missing = False

        def fill(found: re.Match[str]) -> str:
            nonlocal missing
            if found[1]:
                return found[0][1:]
            known = _named(found[2], facts, index)
            missing = missing or known is None
            return "" if known is None else known

        filled = PLACEHOLDER.sub(fill, text)
        return None if missing else filled

    return value


def _named(name: str, facts: PageFacts, index: int) -> str | None:
    if name.startswith(PARENT):
        known = facts.parent.get(name.removeprefix(PARENT))
        return None if known is None else str(known)
    if name == "record.index":
        return str(index)
    meta = {
        LOCATOR_NAME: "locator",
        LOCATOR_GROUP: "group",
        "page.url": "page",
        "page.fetchedAt": "fetchedAt",
    }
    return facts.meta(meta[name])


def no_page() -> PageFacts:
    """Facts without a page, with which defaults are converted when definitions are checked."""
    return PageFacts(Locator("", "", ""), "", datetime.fromtimestamp(0, UTC))
