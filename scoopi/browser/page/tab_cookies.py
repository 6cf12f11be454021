"""TabCookies: exchanges the cookies of a site's session with a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from urllib.parse import urlsplit

from scoopi.browser.protocol.protocol_link import RejectedError

CookieDicts = Sequence[dict[str, Any]]
_HTTP_ONLY = "#HttpOnly_"
"""Precedes the domain of a cookie that scripts may not read."""
_YES, _NO = "TRUE", "FALSE"


class TabCookies:
    """The cookies of the tab that a browser shows.

    Outside of the browser, cookies are lines in curl's format: domain, whether subdomains are included, path,
    whether the cookie is for encrypted requests only, expiry in seconds since the epoch (0: none), name and
    value, separated by tabs.

    Args:
        add: adds cookies to the tab, all or none; raises RejectedError if it adds none.
        found: returns the cookies of the tab. Both use the dicts of Chromium's DevTools protocol.
    """

    def __init__(self, add: Callable[[CookieDicts], None], found: Callable[[], CookieDicts]) -> None:
        self._add = add
        self._found = found
        self._rejected: list[dict[str, Any]] = []

    @property
    def rejected(self) -> tuple[str, ...]:
        """Names of the cookies that the browser rejected in the last `put`."""
        return tuple(each["name"] for each in self._rejected)

    def put(self, url: str, lines: Iterable[str], header: str = "") -> None:
        """Add cookies to the tab; those that the browser rejects are left out, and named by `rejected`.

        Args:
            url: the address that the cookies in `header` are for.
            lines: cookies as lines.
            header: value of a request's header `Cookie`, such as `a=1; b=2`.
        """
        self._rejected.clear()
        wanted = [*map(_parameters, filter(is_whole, lines)), *_of_header(url, header)]
        if not wanted:
            return
        try:
            self._add(wanted)
        except RejectedError:  # it takes all or none
            for each in wanted:
                try:
                    self._add([each])
                except RejectedError:
                    self._rejected.append(each)

    def take(self, urls: Iterable[str], sent: Iterable[str], header: str = "") -> tuple[str, ...]:
        """Return the tab's cookies for the hosts of some addresses, as lines.

        Cookies of other hosts, from which a page may load parts, are left out unless they were sent. Cookies
        that the browser rejected still belong to the session, and are returned, too.

        Args:
            urls: the addresses.
            sent: the lines that were given to `put`.
            header: the header that was given to `put`; its unchanged cookies are left out.
        """
        known = {_key(line): line for line in sent if is_whole(line)}
        fixed = {(each["name"], each["value"]) for url in urls for each in _of_header(url, header)}
        hosts = {urlsplit(url).hostname or "" for url in urls}
        found = []
        for cookie in self._found():
            line = line_of(cookie)
            if not is_whole(line) or (cookie["name"], cookie["value"]) in fixed:
                continue
            before = known.get(_key(line))
            if before is not None:
                found.append(_unless_changed(before, line))
            elif any(_is_for(cookie["domain"], host) for host in hosts):
                found.append(line)
        found += [line for line in known.values() if _parameters(line) in self._rejected]
        return tuple(found)


def is_whole(line: str) -> bool:
    """Whether a line has the seven fields of a cookie, and a name.

    >>> is_whole("a.example\\tFALSE\\t/\\tFALSE\\t0\\tsid\\t1"), is_whole("# a comment")
    (True, False)
    """
    parts = line.split("\t")
    return len(parts) == 7 and bool(parts[5]) and "\n" not in line


def line_of(cookie: dict[str, Any]) -> str:
    """Return the line, see TabCookies, of a cookie that is a dict of Chromium's DevTools protocol."""
    domain, end = str(cookie["domain"]), 0 if cookie.get("session") else int(cookie["expires"])
    parts = (
        (_HTTP_ONLY if cookie["httpOnly"] else "") + domain,
        _YES if domain.startswith(".") else _NO,
        cookie["path"],
        _YES if cookie["secure"] else _NO,
        str(max(0, end)),
        cookie["name"],
        cookie["value"],
    )
    return "\t".join(parts)


def _parameters(line: str) -> dict[str, Any]:
    """What the browser's protocol wants for a line; a cookie of one host has an address, not a domain."""
    written, subdomains, path, secure, end, name, value = line.split("\t")
    domain = written.removeprefix(_HTTP_ONLY)
    host = domain.removeprefix(".")
    scheme = "https" if secure == _YES else "http"
    found = {
        "name": name,
        "value": value,
        "url": f"{scheme}://{host}{path}",
        "path": path,
        "secure": secure == _YES,
        "httpOnly": written != domain,
    }
    if subdomains == _YES:
        found["domain"] = f".{host}"
    if end.isdecimal() and int(end):
        found["expires"] = int(end)
    return found


def _of_header(url: str, header: str) -> list[dict[str, Any]]:
    parts = urlsplit(url)
    pairs = [each.strip().partition("=") for each in header.split(";") if each.strip()]
    origin = f"{parts.scheme}://{parts.netloc}/"
    return [{"name": name, "value": value, "url": origin, "path": "/"} for name, _, value in pairs]


def _key(line: str) -> tuple[str, str, str]:
    parts = line.split("\t")
    return parts[0].removeprefix(_HTTP_ONLY).lower(), parts[2], parts[5]


def _unless_changed(before: str, now: str) -> str:
    """The line of before if nothing but its end has changed; a browser brings ends forward."""
    old, new = before.split("\t"), now.split("\t")
    is_earlier = int(new[4]) != 0 and int(new[4]) <= int(old[4] if old[4].isdecimal() else 0)
    return before if is_earlier and old[:4] + old[5:] == new[:4] + new[5:] else now


def _is_for(domain: str, host: str) -> bool:
    """Whether a host gets the cookies of a domain.

    >>> _is_for(".shop.example", "www.shop.example"), _is_for("shop.example", "www.shop.example")
    (True, False)
    """
    own = domain.lower()
    return host == own.removeprefix(".") or (own.startswith(".") and host.endswith(own))
