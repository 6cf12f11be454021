"""Parses robots.txt: the lines that apply to one user agent (RFC 9309)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scoopi.errors import FetchError
from scoopi.fetch.http_faults import TOO_MANY_REDIRECTS
from scoopi.model.handover import Handover, ToTask
from scoopi.model.robots import RobotsAnswer, RobotsKind, RobotsLine

DEFAULT_TOKEN = "scoopi"  # noqa: S105  # a product token
LONGEST_LINE = 8192
"""In characters. Longer lines are ignored: no server accepts such a path."""

_TOKEN = re.compile(r"[A-Za-z_-]+")
_COMMENTED = re.compile(r"\(\s*compatible;\s*([A-Za-z_-]+)", re.IGNORECASE)
_LINE = re.compile(r"\s*([A-Za-z-]+)\s*:\s*([^#]*)")
_RULES = frozenset(("allow", "disallow", "crawl-delay"))


def product_token(user_agent: str) -> str:
    """The name that robots.txt uses for a user agent, in lower case.

    >>> product_token("Scoopi/1.0"), product_token("Mozilla/5.0 (compatible; Breadbot/2.1; +https://b.example)")
    ('scoopi', 'breadbot')
    """
    found = _COMMENTED.search(user_agent)
    token = found[1] if found else (match[0] if (match := _TOKEN.match(user_agent.strip())) else "")
    return token.lower() or DEFAULT_TOKEN


def lines_for(text: str, token: str) -> tuple[RobotsLine, ...]:
    """The rules of the groups for the agent, else of the groups for `*`.

    >>> lines_for("User-agent: *\\nDisallow: /\\n\\nUser-agent: Scoopi\\nDisallow: /x # not this", "scoopi")
    (RobotsLine(number=5, text='Disallow: /x'),)

    Args:
        text: the text of the file; lines that are not rules are ignored.
        token: as returned by `product_token`.
    """
    own: list[RobotsLine] = []
    others: list[RobotsLine] = []
    agents: set[str] = set()
    is_named = is_rule = False
    for number, field, value in _directives(text):
        if field == "user-agent":
            agents = {*(() if is_rule else agents), _agent(value)}
            is_rule = False
            is_named = is_named or token in agents
        elif field in _RULES:
            is_rule = True
            line = RobotsLine(number, f"{field.capitalize()}: {value}")
            if token in agents:
                own.append(line)
            if "*" in agents:
                others.append(line)
    return tuple(own if is_named else others)


def _directives(text: str) -> Iterator[tuple[int, str, str]]:
    # Not `splitlines`, which also splits at form feeds and Unicode line separators.
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff")), 1):
        if len(line) <= LONGEST_LINE and (found := _LINE.match(line)):
            yield number, found[1].lower(), found[2].strip()


def _agent(value: str) -> str:
    if value == "*":
        return value
    token = _TOKEN.match(value)
    return token[0].lower() if token else ""


def answer_of_body(body: bytes, token: str) -> RobotsAnswer:
    """The rules for an agent in the body of a robots.txt; `token` as for `lines_for`."""
    return RobotsAnswer(RobotsKind.KNOWN, lines_for(body.decode("utf-8", "replace"), token), "200")


def answer_of(outcome: Handover | Exception) -> RobotsAnswer:
    """What the outcome of loading robots.txt means: the handover of its task, or why the task failed."""
    if isinstance(outcome, Exception):
        return answer_of_error(outcome)
    assert isinstance(outcome, ToTask)
    assert isinstance(outcome.payload.input, RobotsAnswer)
    return outcome.payload.input


def answer_of_error(error: Exception) -> RobotsAnswer:
    """What a failure to load robots.txt means.

    Everything is allowed with a 4xx status that is not transient, and after too many redirects.
    """
    if not isinstance(error, FetchError):
        what = f"robots.txt cannot be read: {error!r}"
        return RobotsAnswer(RobotsKind.NEVER, cause=what, what=what)
    fault = error.fault
    if 0 < fault.status < 500 and not fault.is_transient:
        return RobotsAnswer(RobotsKind.KNOWN, note=fault.reason)
    if error.cause.startswith(TOO_MANY_REDIRECTS):
        return RobotsAnswer(RobotsKind.KNOWN, note=error.cause)
    kind = RobotsKind.LATER if fault.is_transient else RobotsKind.NEVER
    # A host that does not respond at all would not respond for its pages either.
    whose = "robots.txt: " if fault.status else ""
    return RobotsAnswer(kind, (), error.cause, whose + error.cause, whose + error.what, error.hint)
