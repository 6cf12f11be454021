"""shown, without_logins: addresses and messages as reports show them: without logins, and not endless."""

from __future__ import annotations

import re

LONGEST_SHOWN_ADDRESS = 500
HIDDEN = "***"

_AUTHORITY = re.compile(r"(\s*(?:[A-Za-z][A-Za-z0-9+.-]*:[/\\]+|https?:))([^/\\?#]*)(.*)", re.DOTALL | re.I)
_PORT = re.compile(r"(?:\[[^\]]*\]|[^:]*)(?::\d*)?")
_LOGIN_IN_TEXT = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)[^\s'\"<>]*@")
_QUOTED_LOGIN = re.compile(r"'[^\n]*@[^\n]*'")


def shown(url: str) -> str:
    """The address as messages and reports show it: without password or token, cut where it is very long.

    `http://user:p@ss@host/a@b` becomes `http://user:***@host/a@b`, and `http://token@host/` `http://***@host/`.
    Where the part before the path is not a host and a port, all up to the last `@` may be a login.
    """
    parts = _AUTHORITY.fullmatch(url) if "@" in url else None
    safe = url
    if parts is not None:
        scheme, authority, rest = parts.groups()
        rest_is_login = "@" not in authority and not _PORT.fullmatch(authority)
        if rest_is_login:
            authority, rest = authority + rest, ""
        login, at, host = authority.rpartition("@")
        user, colon, _ = login.partition(":")
        hidden = f"{user}:{HIDDEN}" if colon and "@" not in user and not rest_is_login else HIDDEN
        safe = f"{scheme}{hidden}@{host}{rest}" if at else url
    return cut(safe, LONGEST_SHOWN_ADDRESS)


def cut(text: str, longest: int) -> str:
    """The text, or its beginning and an ellipsis."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def without_logins(text: str) -> str:
    """A message of a library, with the logins of the addresses that it quotes hidden."""
    return _QUOTED_LOGIN.sub(f"'{HIDDEN}'", _LOGIN_IN_TEXT.sub(rf"\1{HIDDEN}@", text))
