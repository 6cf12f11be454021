"""Session: the cookies that a site has set, and the state of the login to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

MOST_COOKIES = 300
LONGEST_COOKIE = 8192
_HTTP_ONLY = "#HttpOnly_"
"""Precedes the domain of a cookie that scripts may not read."""


class Session(msgspec.Struct, frozen=True, omit_defaults=True):
    """The cookies that a site has set, and the state of the login to it, as known to a worker.

    Attributes:
        name: the pattern of its site.
        version: the number of logins.
        cookies: lines in curl's format, by domain, path and name.
        failed: why no login can succeed; empty if none has failed.
    """

    name: str
    version: int = 0
    cookies: dict[str, str] = {}
    failed: str = ""

    def with_changes(self, change: SessionChange) -> Session:
        """Return the session with the cookies of `change` added and removed; the 300 newest are kept."""
        cookies = {key: line for key, line in self.cookies.items() if key not in change.removed}
        cookies.update(change.added)
        kept = dict(list(cookies.items())[-MOST_COOKIES:])
        return msgspec.structs.replace(self, cookies=kept)


class SessionChange(msgspec.Struct, frozen=True, array_like=True):
    """The effect of a page or a login on a session.

    Attributes:
        name: the name of the session.
        job: the id of the page's job.
        added: cookies that were set or changed, as in `Session.cookies`.
        removed: keys of the cookies that were removed.
        login: `done` after a login, `failed` after a login that cannot succeed, `again` if another job may
            try it; empty for a page.
        message: why the login failed.
    """

    name: str
    job: str
    added: dict[str, str] = {}
    removed: tuple[str, ...] = ()
    login: str = ""
    message: str = ""

    def then(self, later: SessionChange) -> SessionChange:
        """Return this change and a later one as a single change."""
        added = {key: line for key, line in self.added.items() if key not in later.removed} | later.added
        removed = tuple(key for key in {*self.removed, *later.removed} if key not in added)
        return msgspec.structs.replace(later, added=added, removed=removed)


def cookies_of(lines: Iterable[str]) -> dict[str, str]:
    """Return cookie lines by domain, path and name of the cookie; lines that are too long are left out.

    >>> list(cookies_of(["a.example\\tFALSE\\t/\\tFALSE\\t0\\tsid\\t1"]))
    ['a.example / sid']
    """
    found: dict[str, str] = {}
    for line in lines:
        parts = line.split("\t")
        if len(parts) == 7 and len(line) <= LONGEST_COOKIE:
            domain = parts[0].removeprefix(_HTTP_ONLY).lower()
            found[f"{domain} {parts[2]} {parts[5]}"] = line
    return found


def changed(
    name: str, job: str, sent: Mapping[str, str], received: Mapping[str, str]
) -> SessionChange | None:
    """Return the change from a request's cookies to those after its response; None if they are the same.

    Args:
        name: the name of the session.
        job: the id of the page's job.
        sent, received: the cookies before and after, as in `Session.cookies`.
    """
    added = {key: line for key, line in received.items() if sent.get(key) != line}
    removed = tuple(key for key in sent if key not in received)
    return SessionChange(name, job, added, removed) if added or removed else None
