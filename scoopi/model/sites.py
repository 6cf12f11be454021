"""Sites: what each host is asked with, from the blocks of host patterns that fit it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from scoopi.model.decoders import converted
from scoopi.model.text.secrets import is_open

NAMED = frozenset({"headers", "cookies", "retry", "budget"})
"""Fields that are merged name by name; any other value replaces the one below it."""

DIRECT = "direct"
"""Stands among proxies for none."""
_PORT = re.compile(r":\d+\Z")
_HOST = re.compile(r"https?://(?:[^/?#]*@)?([^/?#]*)", re.IGNORECASE)
_DEFAULT_PORTS = {"http": "80", "https": "443"}


class HostLimits(Protocol):
    """The request rate of all nodes together at one host; see `Site`."""

    @property
    def parallelism(self) -> int: ...
    @property
    def delay_ms(self) -> int: ...


class LimitsByHost(Protocol):
    """Knows the limits of each host."""

    def for_host(self, host: str) -> HostLimits:
        """The limits of `host:port`."""


class Auth(msgspec.Struct, frozen=True, omit_defaults=True):
    """A user with a password, or a bearer token."""

    user: str = ""
    password: str = ""
    bearer: str = ""


class PageSign(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a page is recognized by; each that is given must be so.

    Attributes:
        selector: CSS, of an element that the page has.
        url: a part of its final address, in which `*` stands for any characters.
    """

    selector: str = ""
    url: str = ""


class Login(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a site is logged in to, once for all workers and nodes.

    Attributes:
        url: of the page with the form, or where the fields are sent.
        form: CSS selector of the form; empty: the fields are sent at once.
        fields: by name.
        success: what the page after the login is recognized by.
        expired: what a page that asks for another login is recognized by; empty: by its form.
    """

    url: str
    fields: dict[str, str]
    success: PageSign
    form: str = ""
    expired: PageSign = PageSign()


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """What one host is asked with; the defaults are those of the settings.

    Attributes:
        delay_ms: the least time between the starts of two requests.
        parallelism: the most requests in flight, of all nodes together.
        user_agent: sent as it stands.
        timeout_ms: for one hop as a whole.
        connect_timeout_ms: for name look-up, TCP and TLS together.
        headers: further headers of each request, and values for Scoopi's own, by name.
        cookies: sent with each request, by name.
        auth: sent with each request; None without.
        proxy: used in turn; `direct` for none. Empty: as the environment says.
        session: name of the session whose cookies are kept; empty: cookies last for one page.
        login: comes before the first page of the session; None without.
        robots: whether its robots.txt is read and followed.
        http2: whether HTTP/2 is spoken over TLS where the host does.
        ca: a file of authorities that are trusted instead of the usual ones; empty for those.
        retry: how often, and after which waits, a page that fails to load is tried again: numbers by the
            keys of definitions, see `RetryPolicy.of`.
        budget: how much a run may take from it: numbers by the keys of definitions, see `Budget.of`.
    """

    delay_ms: int = 1000
    parallelism: int = 1
    user_agent: str = "Scoopi"
    timeout_ms: int = 120_000
    connect_timeout_ms: int = 10_000
    headers: dict[str, str] = {}
    cookies: dict[str, str] = {}
    auth: Auth | None = None
    proxy: tuple[str, ...] = ()
    session: str = ""
    login: Login | None = None
    robots: bool = True
    http2: bool = False
    ca: str = ""
    retry: dict[str, int] = {}
    budget: dict[str, int] = {}

    def without_credentials(self) -> Site:
        """The site for a request that is not encrypted and follows one that was."""
        headers = {name: text for name, text in self.headers.items() if is_open(name, text)}
        return replace(self, headers=headers, cookies={}, auth=None)


class SiteBlock(msgspec.Struct, frozen=True):
    """One entry of `sites`.

    Attributes:
        pattern: `host` or `host:port`, in which `*` stands for any characters.
        values: field of Site -> value, for the keys that the block has.
        origins: field, or `field.name` for a header -> where it was written, as `file:line`.
        place: of the pattern.
    """

    pattern: str
    values: dict[str, Any]
    origins: dict[str, str] = {}
    place: str = ""

    def matches(self, host: str) -> bool:
        """Whether the block applies to `host:port`."""
        return _regex(self.pattern).fullmatch(host) is not None

    @property
    def rank(self) -> tuple[bool, int, bool]:
        """The larger, the more specific: a whole name, then the number of letters, then a port."""
        name = _PORT.sub("", self.pattern)
        return "*" not in name, len(name.replace("*", "")), name != self.pattern


class SiteValue(msgspec.Struct, frozen=True):
    """One value of a site.

    Attributes:
        key: as definitions have it, as `delay` or `headers.Accept-Language`.
        value: its text; a secret is shown as its reference, `${env:NAME}`.
        origin: `file:line`, the origin of the setting that is its default, or `default`.
    """

    key: str
    value: str
    origin: str


class SiteView(msgspec.Struct, frozen=True):
    """What one host is asked with.

    Attributes:
        host: `host:port`.
        blocks: pattern and place of the entries of `sites` that apply, the most specific one first.
    """

    url: str
    host: str
    blocks: tuple[tuple[str, str], ...]
    values: tuple[SiteValue, ...]


class Sites:
    """Merges, for each host, the blocks that match it: the most specific one wins, key by key.

    Of equally specific blocks the later one wins.

    Args:
        defaults: for what no block gives.
    """

    def __init__(self, defaults: Site, blocks: Sequence[SiteBlock] = ()) -> None:
        self.defaults = defaults
        self._blocks = sorted(blocks, key=lambda block: block.rank)
        self._known: dict[str, Site] = {}

    def for_host(self, host: str) -> Site:
        """The effective values for `host:port`; the same object for each call."""
        if not self._blocks:
            return self.defaults
        site = self._known.get(host)
        if site is None:
            site = self._known[host] = self._merged(host)
        return site

    def for_url(self, url: str) -> Site:
        """The effective values for the host of a web address, as `Address.url` has it."""
        return self.for_host(_host_of(url))

    def blocks_for(self, host: str) -> list[SiteBlock]:
        """The blocks that apply to `host:port`, the most specific one last."""
        return [block for block in self._blocks if block.matches(host)]

    def origins(self, host: str) -> dict[str, str]:
        """Field, or `field.name` -> where its value was written; defaults are left out."""
        found: dict[str, str] = {}
        for block in self.blocks_for(host):
            found.update(block.origins)
        return found

    @property
    def longest_delay_ms(self) -> int:
        """The longest delay of any host; 0 if none has one."""
        delays = (int(block.values.get("delay_ms", 0)) for block in self._blocks)
        return max(self.defaults.delay_ms, *delays, 0)

    @property
    def differ_in_robots(self) -> bool:
        """Whether an entry says if robots.txt is followed."""
        return any("robots" in block.values for block in self._blocks)

    @property
    def sessions(self) -> list[str]:
        """The names of all sessions."""
        return [name for block in self._blocks if (name := block.values.get("session"))]

    def _merged(self, host: str) -> Site:
        values: dict[str, Any] = {}
        for block in self.blocks_for(host):
            for field, value in block.values.items():
                below = values.get(field, getattr(self.defaults, field)) if field in NAMED else None
                values[field] = value if below is None else _with_names(below, value)
        if not values:
            return self.defaults
        return converted({**msgspec.to_builtins(self.defaults), **values}, Site)


def _with_names(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Both, with the values of `above` where both have a name; case does not distinguish names."""
    replaced = {name.lower() for name in above}
    return {**{name: text for name, text in below.items() if name.lower() not in replaced}, **above}


def _regex(pattern: str) -> re.Pattern[str]:
    port = "" if _PORT.search(pattern) else r":\d+"
    return re.compile(".*".join(map(re.escape, pattern.lower().split("*"))) + port)


def _host_of(url: str) -> str:
    found = _HOST.match(url)
    host = found[1].lower() if found else ""
    if found := _PORT.search(host):
        return f"{host[: found.start()].removesuffix('.')}{found[0]}"
    host = host.removesuffix(".")
    return f"{host}:{_DEFAULT_PORTS[url.partition(':')[0].lower()]}" if host else ""
