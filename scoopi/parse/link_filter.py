"""LinkFilter: decides which links of a page are followed, by the rules of its definition."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from scoopi.errors import ParseError
from scoopi.java.regex.java_regex import JavaPattern, compile_java
from scoopi.model.records.record_def import LinkRules, Selector
from scoopi.model.report.counter_names import (
    ALLOW_KEY,
    DENY_KEY,
    FOLLOWED,
    LEFT_OUT,
    NO_PAGE,
    REFUSALS,
    SAME_KEY,
    SEPARATOR,
    AxisKey,
    count_name,
)

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

_WEB = ("http", "https")
_PORTS = {"http": 80, "https": 443}
_FILE = re.compile(
    r"(?i)\.(7z|avi|bmp|bz2|css|csv|docx?|eot|epub|exe|gif|gz|ico|iso|jpe?g|js|m4[av]|mov|mp[34]|mpe?g|msi|ods|odt"
    r"|ogg|otf|pdf|png|pptx?|rar|rpm|svg|tar|tgz|tiff?|ttf|wav|web[mp]|wm[av]|woff2?|xlsx?|xz|zip)\Z"
)
"""Paths that end in the suffix of a file that is not a page."""
_ADDRESS = re.compile(r"[0-9.]+|.*:.*")
"""IP addresses, which have no registered domain."""


class LinkFilter:
    """Decides which of the links in a field are followed, by the rules of its definition.

    An address that cannot be a page is never followed: `mailto:`, or, without `allow`, a file such as an
    image.

    Attributes:
        bounds: how far followed links may lead.
    """

    def __init__(self, rules: LinkRules, regex_timeout_ms: int) -> None:
        """Compile the patterns.

        Args:
            regex_timeout_ms: limit of one pattern on one address.
        Raises:
            ParseError: a pattern is wrong.
        """
        self._allow = _compiled(rules.allow, regex_timeout_ms)
        self._deny = _compiled(rules.deny, regex_timeout_ms)
        self._same = rules.same
        self.bounds = rules.bounds

    def refusal(self, address: str, page_url: str) -> str:
        """The rule that excludes a link, one of REFUSALS; empty if the link is followed.

        Args:
            address: the absolute address that the link leads to.
            page_url: the address that was requested; not the one it redirected to, or a redirect could lead
                the crawl to another site.
        Raises:
            ParseError: a pattern takes too long.
        """
        parts, page = _split(address), _split(page_url)
        if parts is None or page is None or not _is_page(parts, page):
            return NO_PAGE
        if not self._allow and _FILE.search(parts.path):
            return NO_PAGE
        if not _shares(self._same, parts, page):
            return SAME_KEY
        if any(pattern.search(address) for pattern in self._deny):
            return DENY_KEY
        return "" if not self._allow or any(pattern.search(address) for pattern in self._allow) else ALLOW_KEY


class LinkCounts:
    """Counts the links of one field: those followed and, until the first of these, those that rules exclude.

    Records one example address for each rule, so that a run that follows nothing can report why. Not
    thread-safe.
    """

    def __init__(self, data_def: str, field: AxisKey) -> None:
        self._followed = count_name(FOLLOWED, data_def, field)
        self._left_out = {each: count_name(f"{LEFT_OUT} {each}", data_def, field) for each in REFUSALS}
        self._is_followed = False
        self._shown: set[str] = set()

    def note(self, refusal: str, address: str, finds: Counter[str]) -> None:
        """Count a link of a page.

        Args:
            refusal: as returned by `LinkFilter.refusal`.
            address: the absolute address that the link leads to.
            finds: counters of the page; updated in place.
        """
        if not refusal:
            self._is_followed = True
            finds[self._followed] += 1
        elif not self._is_followed:
            name = self._left_out[refusal]
            finds[name] += 1
            if refusal not in self._shown:
                self._shown.add(refusal)
                finds[f"{name}{SEPARATOR}{address}"] = 1


def _compiled(patterns: Sequence[Selector], regex_timeout_ms: int) -> list[JavaPattern]:
    compiled = []
    for pattern in patterns:
        try:
            compiled.append(compile_java(pattern.text, timeout_ms=regex_timeout_ms))
        except ParseError as error:
            raise ParseError(error.what, at=str(pattern.place), hint=error.hint) from None
    return compiled


def _split(address: str) -> SplitResult | None:
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - raises if it is invalid
    except ValueError:
        return None
    return parts


def _is_page(parts: SplitResult, page: SplitResult) -> bool:
    """Whether a link may lead to a page: always to http(s), from a local page also to a local file."""
    return parts.scheme in _WEB or (page.scheme not in _WEB and parts.scheme in ("", "file"))


def _shares(same: str, parts: SplitResult, page: SplitResult) -> bool:
    if same == "any":
        return True
    one, other = _host(parts), _host(page)
    if same == "domain":
        return _domain(one) == _domain(other)
    return one == other and _port(parts) == _port(page)


def _host(parts: SplitResult) -> str:
    """The host without `www.`: most sites redirect one form to the other."""
    return (parts.hostname or "").removesuffix(".").removeprefix("www.")


def _port(parts: SplitResult) -> int:
    """The port; 0 for the default of the scheme, as a site may link to itself by http and https."""
    return 0 if parts.port in (None, _PORTS.get(parts.scheme)) else parts.port or 0


def _domain(host: str) -> str:
    """The registered domain of a host, by the Public Suffix List.

    >>> _domain("blog.shop.example"), _domain("blog.shop.co.uk"), _domain("www.anna.github.io")
    ('shop.example', 'shop.co.uk', 'anna.github.io')
    """
    return host if _ADDRESS.fullmatch(host) else _suffixes().privatesuffix(host) or host


@cache
def _suffixes() -> PublicSuffixList:
    from publicsuffixlist import PublicSuffixList  # late: reading the list takes 0.1 s, and few runs need it

    return PublicSuffixList()
