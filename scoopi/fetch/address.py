"""Address: a URL, parsed and normalized as browsers do, with its host in ASCII."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from urllib.parse import unquote, urljoin

import msgspec

from scoopi.errors import FetchError, UsageError
from scoopi.model.text.host_name import LARGEST_PORT, ascii_host, canonical_host, host_key
from scoopi.model.text.secrets import MASK
from scoopi.model.text.shown import cut, shown

FILE_HOST = "file"
LONGEST_ADDRESS = 65_536
"""In characters. No server accepts longer ones, and a page may contain any number of them."""
DEFAULT_PORTS = {"http": 80, "https": 443}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_ABSOLUTE = re.compile(r"https?://", re.IGNORECASE)
_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_PLAIN_ORIGIN = re.compile(
    rf"(https?)://((?:{_OCTET}\.){{3}}{_OCTET}|(?:[a-z0-9][a-z0-9-]{{0,62}}\.)*[a-z][a-z0-9-]{{0,62}})"
    r"(?::([1-9]\d{0,4}))?"
)
_PLAIN_PATH = re.compile(
    r"/[A-Za-z0-9/?:@!$&()*+,;=._~-]*+(?:%[0-9A-Fa-f]{2}[A-Za-z0-9/?:@!$&()*+,;=._~-]*+)*+"
)
"""Most addresses consist of these two, and need no normalization."""
_PATH_FROM = len("http://h")
"""The first position at which a path may begin."""
_KEPT_ORIGINS = 4096
_PARTS = re.compile(r"([^/\\?#]*)([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL)
_AUTHORITY = re.compile(r"(?:(.*)@)?(\[[0-9A-Fa-f:.]+\]|[^:@\[\]]*)(?::(\d*))?", re.DOTALL)
_WRONG_PORT = re.compile(r"(?:.*@)?(?:\[[0-9A-Fa-f:.]+\]|[^:@\[\]]+):(.*)", re.DOTALL)
_BAD_IN_PATH = re.compile(r"[^!$%&'()*+,\-./0-9:;=@A-Z\[\]_a-z|~]")
_BAD_IN_QUERY = re.compile(r"[^!$%&()*+,\-./0-9:;=?@A-Z\[\]\\^_`a-z{|}~]")
_BAD_IN_FRAGMENT = re.compile(r"[^!#$%&'()*+,\-./0-9:;=?@A-Z\[\]\\^_a-z{|}~]")
_C0_AND_BLANK = "".join(map(chr, range(0x21)))
_NO_LINE_BREAKS = str.maketrans("", "", "\t\r\n")
_MAYBE_DOTS = re.compile(r"/(?:\.|%2e)", re.IGNORECASE)
_DOT = re.compile(r"\.|%2e", re.IGNORECASE)


def web_address(url: str) -> Address:
    """Parse an address that must be that of a web page.

    Raises:
        UsageError: the address is not http(s).
        FetchError: the address is malformed.
    """
    address = parse_address(url)
    if address.kind is not AddressKind.HTTP:
        raise UsageError(f"{url} is not a web address", hint="write it as https://host/path")
    return address


class AddressKind(StrEnum):
    """How an address is fetched: by HTTP, or from a file."""

    HTTP = "http"
    FILE = "file"


class Address(msgspec.Struct, frozen=True):
    """A valid address.

    Attributes:
        kind: http (also https) or file.
        host: `host:port` in lower case, always with the port; `file` for files. Politeness is per host.
        url: for http the absolute URL with its fragment, escaped as browsers do; for a file as written.
    """

    kind: AddressKind
    host: str
    url: str


def parse_address(text: str) -> Address:
    """Parse an address as written; http URLs are escaped as in the URL standard.

    >>> parse_address("HTTP://Shop.Example/a b")
    Address(kind=<AddressKind.HTTP: 'http'>, host='shop.example:80', url='http://shop.example/a%20b')
    >>> parse_address("pages/a b.html")
    Address(kind=<AddressKind.FILE: 'file'>, host='file', url='pages/a b.html')

    Raises:
        FetchError: the scheme is unknown, the host or port is wrong, or the address exceeds LONGEST_ADDRESS.
    """
    if len(text) > LONGEST_ADDRESS:
        what, cause = f"the address has {len(text):,} characters", "the address is too long"
        raise FetchError(what, at=shown(text), hint=f"{LONGEST_ADDRESS:,} are allowed", cause=cause)
    path = text.find("/", _PATH_FROM)
    is_plain = path > 0 and _PLAIN_PATH.fullmatch(text, path) and (host := _plain_host(text[:path]))
    if is_plain and not (("/." in text or "%" in text) and _MAYBE_DOTS.search(text)):
        return Address(AddressKind.HTTP, host, text)
    clean = text.strip(_C0_AND_BLANK).translate(_NO_LINE_BREAKS)
    scheme_match = _SCHEME.match(clean)
    if scheme_match is None:
        if not clean:
            raise FetchError("the address is empty", hint="give the locator a url")
        return Address(AddressKind.FILE, FILE_HOST, text)
    scheme = scheme_match[1].lower()
    if scheme in DEFAULT_PORTS:
        return _http(scheme, clean[scheme_match.end() :].lstrip("/\\"), text)
    if scheme == "file":
        return Address(AddressKind.FILE, FILE_HOST, clean)
    raise FetchError(
        f"pages cannot be loaded by {scheme}:",
        at=shown(text),
        hint="use http, https or file; write ./ before a path with a colon",
    )


def url_of(text: str) -> str:
    """The normalized URL of a valid address: `Address.url`.

    >>> url_of("http:///a.example/b/../c")
    'http://a.example/c'
    """
    return parse_address(text).url


def host_of(text: str) -> str:
    """The host that serves an address: `host:port` in lower case, or `file`.

    An invalid address counts as a file: it needs no grant, and loading it reports the error.
    """
    try:
        return parse_address(text).host
    except FetchError:
        return FILE_HOST


def redirect_address(location: str, base: str) -> Address:
    """The target of a redirect, joined to `base` (RFC 3986); without a fragment it gets that of `base`.

    Raises:
        FetchError: the target is malformed, or not http or https.
    """
    clean = location.strip(_C0_AND_BLANK).translate(_NO_LINE_BREAKS)
    head, mark, query = clean.partition("?")
    slashed = head.replace("\\", "/") + mark + query
    try:
        # urljoin treats `http://` as an empty reference; an absolute URL needs no joining.
        joined = slashed if _ABSOLUTE.match(slashed) else urljoin(base, slashed)
    except ValueError:
        what = "redirected to a malformed address"
        raise FetchError(f"{what}: {_quoted(clean)}", at=shown(base), cause=what) from None
    if "#" not in clean and "#" in base:
        joined += base[base.index("#") :]
    try:
        target = parse_address(joined)
    except FetchError as error:
        what, cause = f"redirected to {_quoted(clean)}: {error.what}", f"redirected: {error.cause}"
        raise FetchError(what, at=shown(base), cause=cause) from None
    if target.kind is not AddressKind.HTTP:
        what = f"redirected to {_quoted(clean)}, which is not a web page"
        raise FetchError(what, at=shown(base), cause="redirected to what is not a web page")
    return target


def _quoted(location: str) -> str:
    return repr(cut(shown(location), 200))


def _http(scheme: str, rest: str, text: str) -> Address:
    parts = _PARTS.fullmatch(rest)
    assert parts is not None
    authority, path, query, fragment = (part or "" for part in parts.groups())
    matched = _AUTHORITY.fullmatch(authority)
    if matched is None and (host_port := _WRONG_PORT.fullmatch(authority)):
        # If an `@` follows, this may be the start of a password with a slash: do not show it.
        port = MASK if "@" in rest and "@" not in authority else host_port[1][:20]
        what, cause = f"the port {port!r} is not a number", "the address has a wrong port"
        hint = "write http://host:port/path, as in http://host:8080/"
        raise FetchError(what, at=shown(text), hint=hint, cause=cause)
    if matched is None or not matched[2]:
        raise FetchError("the address has no valid host", at=shown(text), hint="write http://host/path")
    user, host, port = matched.groups()
    try:
        host = canonical_host(ascii_host(unquote(host)))
    except ValueError as error:
        what, cause = f"the host {host!r} is wrong: {error}", "the address has a wrong host"
        raise FetchError(what, at=shown(text), hint="write http://host/path", cause=cause) from None
    number = _port(port, scheme, text)
    port_part = "" if number == DEFAULT_PORTS[scheme] else f":{number}"
    login = f"{_escaped(user, _BAD_IN_PATH).replace('@', '%40')}@" if user else ""
    path = _without_dots(path.replace("\\", "/"))
    url = (
        f"{scheme}://{login}{host}{port_part}{_escaped(path, _BAD_IN_PATH) or '/'}"
        f"{_escaped(query, _BAD_IN_QUERY)}{_escaped(fragment, _BAD_IN_FRAGMENT)}"
    )
    return Address(AddressKind.HTTP, host_key(host, number), url)


def _without_dots(path: str) -> str:
    """The path without the segments `.` and `..`, resolved as in the URL standard and by curl.

    >>> _without_dots("/a/../b/./%2E%2e/c/..")
    '/'
    """
    if not _MAYBE_DOTS.search(path):
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        dots = _DOT.sub(".", segment)
        if dots == "..":
            del kept[-1:]
        elif dots != ".":
            kept.append(segment)
    if _DOT.sub(".", segments[-1]) in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


@lru_cache(_KEPT_ORIGINS)
def _plain_host(origin: str) -> str:
    """The host, with its port, of an address up to its path; empty if it needs normalization, or is wrong."""
    plain = _PLAIN_ORIGIN.fullmatch(origin)
    if plain is None:
        return ""
    scheme, host, port = plain.groups()
    default = DEFAULT_PORTS[scheme]
    number = int(port) if port else default
    return "" if number > LARGEST_PORT or (port and number == default) else f"{host}:{number}"


def _port(port: str | None, scheme: str, text: str) -> int:
    number = int(port.lstrip("0")[:6] or "0") if port else DEFAULT_PORTS[scheme]
    if number > LARGEST_PORT:
        what = f"port {str(port)[:20]} is above {LARGEST_PORT}"
        cause = f"the address has a port above {LARGEST_PORT}"
        raise FetchError(what, at=shown(text), hint="correct the port", cause=cause)
    return number


def _escaped(part: str, bad: re.Pattern[str]) -> str:
    return bad.sub(_escape, part)


def _escape(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace"))
