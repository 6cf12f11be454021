"""RobotsRules: what a host's robots.txt forbids this agent, and the delay that it asks for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from scoopi.model.robots import RobotsLine

if TYPE_CHECKING:
    from protego import Protego

AGENT = "any"
_ANY = f"User-agent: {AGENT}"
MOST_SEARCHED = 1000
"""The most rules among which the one that forbids a page is searched; for longer files it is not named."""


class RobotsRules:
    """What a host's robots.txt forbids this agent, and the delay that it asks for.

    Made from the lines of one file that apply to this agent; protego interprets them.

    >>> rules = RobotsRules([RobotsLine(2, "Disallow: /private"), RobotsLine(3, "Allow: /private/news")])
    >>> rules.refusal("http://a.example/private/news"), rules.refusal("http://a.example/private")
    ('', 'line 2 of robots.txt: Disallow: /private')
    """

    def __init__(self, lines: Sequence[RobotsLine] = ()) -> None:
        self._lines = lines

    @property
    def allows_all(self) -> bool:
        """Whether there is no rule."""
        return not self._lines

    @property
    def summary(self) -> str:
        """How many rules there are, in words."""
        return f"{len(self._lines)} rules" if self._lines else "no rules"

    def refusal(self, url: str) -> str:
        """The rule that forbids an absolute URL, in words; empty if it is allowed.

        Just `robots.txt` if no single rule forbids it, or if there are too many to search.
        """
        if not self._lines or self._whole.can_fetch(url, AGENT):
            return ""
        line = self._line_against(url)
        return f"line {line.number} of robots.txt: {line.text}" if line is not None else "robots.txt"

    @cached_property
    def crawl_delay_s(self) -> float:
        """The Crawl-delay for this agent, in seconds; 0 without one."""
        return (self._whole.crawl_delay(AGENT) or 0.0) if self._lines else 0.0

    @cached_property
    def _whole(self) -> Protego:
        return _parsed(self._lines)

    @cached_property
    def _each(self) -> list[tuple[RobotsLine, Protego]]:
        """A parser for each rule that forbids something; the longest first, as it decides."""
        against = [line for line in self._lines if line.text.startswith("Disallow")]
        if len(against) > MOST_SEARCHED:
            return []
        return [(line, _parsed([line])) for line in sorted(against, key=lambda line: -len(line.text))]

    def _line_against(self, url: str) -> RobotsLine | None:
        return next((line for line, rule in self._each if not rule.can_fetch(url, AGENT)), None)


def _parsed(lines: Sequence[RobotsLine]) -> Protego:
    from protego import Protego  # late: most hosts have no rules

    return Protego.parse("\n".join((_ANY, *(line.text for line in lines))))
