"""Sites: the request settings of each host, merged from the entries of `sites` whose pattern matches it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from scoopi.model.decoders import converted
from scoopi.model.text.secrets import is_open

NAMED = frozenset({"headers", "cookies", "retry", "budget"})
"""Fields that are merged name by name; any other value replaces that of a less specific entry."""

DIRECT = "direct"
"""Stands for no proxy in a list of proxies."""
_PORT = re.compile(r":\d+\Z")
_HOST = re.compile(r"https?://(?:[^/?#]*@)?([^/?#]*)", re.IGNORECASE)
_DEFAULT_PORTS = {"http": "80", "https": "443"}


class Auth(msgspec.Struct, frozen=True, omit_defaults=True):
    """A user with a password, or a bearer token."""

    user: str = ""
    password: str = ""
    bearer: str = ""


class PageSign(msgspec.Struct, frozen=True, omit_defaults=True):
    """The signs by which a page is recognized; each one that is given must be there.

    Attributes:
        selector: a CSS selector that an element of the page matches.
        url: a part of the final address, in which `*` stands for any characters.
    """

    selector: str = ""
    url: str = ""


class Login(msgspec.Struct, frozen=True, omit_defaults=True):
    """How to log in to a site; it is done once for all workers and nodes.

    Attributes:
        url: the address of the page with the form, or to which the fields are sent.
        fields: the values of the form's fields by name.
        success: how the page after a successful login is recognized.
        form: the CSS selector of the form; empty if the fields are sent at once.
        expired: how a page that asks for another login is recognized; if empty, by its form.
    """

    url: str
    fields: dict[str, str]
    success: PageSign
    form: str = ""
    expired: PageSign = PageSign()


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """The request settings of one host; the defaults are those of Scoopi's settings.

    Attributes:
        delay_ms: the least time between the starts of two requests.
        parallelism: the most requests in flight, of all nodes together.
        user_agent: the User-Agent header.
        timeout_ms: the timeout of one hop as a whole.
        connect_timeout_ms: the timeout of name resolution, TCP and TLS together.
        headers: further headers of each request, or replacements of Scoopi's own, by name.
        cookies: the cookies of each request, by name.
        auth: the credentials of each request; None for none.
        proxy: the proxies, used in turn; `direct` for none. If empty, those of the environment.
        session: the name of the session whose cookies are kept; if empty, cookies last for one page.
        login: the login before the first page of the session; None for none.
        robots: whether robots.txt is read and obeyed.
        http2: whether HTTP/2 is offered over TLS.
        ca: a file with the certificate authorities to trust; empty for the usual ones.
        retry: the numbers of the retry policy, by their keys in definitions; see `RetryPolicy.of`.
        budget: the limits of a run for this host, by their keys in definitions; see `Budget.of`.
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
        """Return the site without credentials, for an unencrypted request after an encrypted one."""
        headers = {name: text for name, text in self.headers.items() if is_open(name, text)}
        return replace(self, headers=headers, cookies={}, auth=None)


class SiteBlock(msgspec.Struct, frozen=True):
    """One entry of `sites`.

    Attributes:
        pattern: `host` or `host:port`, in which `*` stands for any characters.
        values: field of Site -> value, for the keys of the block.
        origins: field, or `field.name` for a header -> where it is defined, as `file:line`.
        place: where the pattern is defined.
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
        """How specific the pattern is: whether it is a whole name, its length, and whether it has a port."""
        name = _PORT.sub("", self.pattern)
        return "*" not in name, len(name.replace("*", "")), name != self.pattern


class SiteValue(msgspec.Struct, frozen=True):
    """One value of a site.

    Attributes:
        key: the key in definitions, such as `delay` or `headers.Accept-Language`.
        value: the value as text; a secret as its reference, `${env:NAME}`.
        origin: `file:line`, or the origin of the setting that gives the default, or `default`.
    """

    key: str
    value: str
    origin: str


class SiteView(msgspec.Struct, frozen=True):
    """The request settings of one host, with their origins.

    Attributes:
        host: `host:port`.
        blocks: the pattern and place of each entry of `sites` that applies, the most specific first.
    """

    url: str
    host: str
    blocks: tuple[tuple[str, str], ...]
    values: tuple[SiteValue, ...]


class Sites:
    """Merges the blocks that match a host: for each key, the most specific block wins.

    Of equally specific blocks, the later one wins.

    Args:
        defaults: the values of the keys that no block gives.
    """

    def __init__(self, defaults: Site, blocks: Sequence[SiteBlock] = ()) -> None:
        self.defaults = defaults
        self._blocks = sorted(blocks, key=lambda block: block.rank)
        self._known: dict[str, Site] = {}

    def for_host(self, host: str) -> Site:
        """Return the effective settings of `host:port`; the same object for each call."""
        if not self._blocks:
            return self.defaults
        site = self._known.get(host)
        if site is None:
            site = self._known[host] = self._merged(host)
        return site

    def for_url(self, url: str) -> Site:
        """Return the effective settings of the host of a web address, which must be normalized."""
        return self.for_host(_host_of(url))

    def blocks_for(self, host: str) -> list[SiteBlock]:
        """Return the blocks that apply to `host:port`, the most specific last."""
        return [block for block in self._blocks if block.matches(host)]

    def origins(self, host: str) -> dict[str, str]:
        """Return field, or `field.name` for a header -> `file:line` of its value; defaults are left out."""
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
        """Whether an entry sets `robots`."""
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
    """Both mappings merged; where both have a name, ignoring case, `above` wins."""
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
