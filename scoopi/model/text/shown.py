"""Texts for messages: addresses without credentials, names that are not UTF-8, and the nearest known name."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scoopi.model.text.secrets import MASK

LONGEST_SHOWN_ADDRESS = 500

_AUTHORITY = re.compile(r"(\s*(?:[A-Za-z][A-Za-z0-9+.-]*:[/\\]+|https?:))([^/\\?#]*)(.*)", re.DOTALL | re.I)
_PLAIN_LOGIN = re.compile(r"(https?://)[^/\\?#]*@", re.IGNORECASE)
_KEY_NAMES = (
    r"api[_-]?key|access[_-]?(?:key|token)|auth[_-]?token|client[_-]?secret|token|secret|passw(?:or)?d|passphrase|pwd"
    r"|jwt|sig|signature|x-amz-(?:signature|credential|security-token)|session[_-]?id|phpsessid|jsessionid"
)
"""Parameters of an address that hold a credential. `is_secret_name`, for headers and fields, matches more,
but `author=`, `key=` and `pin=` are ordinary in addresses, and an address whose values are hidden without
need no longer identifies the page."""
_PLAIN_KEY = re.compile(rf"[?&;](?:{_KEY_NAMES})=((?:(?![%$]\{{)[^&;])+)(?=[&;]|$)", re.IGNORECASE)
_SHOWN_KEY = re.compile(rf"([?&;#](?:{_KEY_NAMES})=)(?![%$]\{{)[^&;#]+", re.IGNORECASE)
_KEY_IN_TEXT = re.compile(rf"([?&;#](?:{_KEY_NAMES})=)(?![%$]\{{)[^&;#\s'\"<>]+", re.IGNORECASE)
_ROOT = re.compile(r"https?://[^/\\?#]*", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z0-9._~-]{0,32}")
_PORT = re.compile(r"(?:\[[^\]]*\]|[^:]*)(?::\d*)?")
_LOGIN_IN_TEXT = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)[^\s'\"<>]*@")
_QUOTED_LOGIN = re.compile(r"'[^\n]*@[^\n]*'")
_LEAST_RATIO = 0.6


def as_utf8(text: str) -> str:
    """Return the text with escapes in place of bytes that are not UTF-8, which names of files may have."""
    return text.encode(errors="backslashreplace").decode()


def shown(url: str) -> str:
    """Return the address as logs, messages and reports show it: without credentials, at most 500 characters.

    Every address that a run shows or reports passes through here; the whole address is fetched.
    """
    return cut(without_credentials(url), LONGEST_SHOWN_ADDRESS)


def without_credentials(url: str) -> str:
    """Return the address with its login and its keys masked.

    If the part before the path is not a host and a port, everything up to the last `@` may be a login.

    >>> without_credentials("http://user:p@ss@host/a@b"), without_credentials("http://token@host/")
    ('http://user:***@host/a@b', 'http://***@host/')
    >>> without_credentials("/list?q=a&api_key=s3cret#top"), without_credentials("/?token=%{input.token}")
    ('/list?q=a&api_key=***#top', '/?token=%{input.token}')
    """
    parts = _AUTHORITY.fullmatch(url) if "@" in url else None
    safe = url
    if parts is not None:
        scheme, authority, rest = parts.groups()
        rest_is_login = "@" not in authority and not _PORT.fullmatch(authority)
        if rest_is_login:
            authority, rest = authority + rest, ""
        login, at, host = authority.rpartition("@")
        user, _, password = login.partition(":")
        is_name = _NAME.fullmatch(user) and password and not rest_is_login
        hidden = f"{user}:{MASK}" if is_name else MASK
        safe = f"{scheme}{hidden}@{host}{rest}" if at else url
    return _SHOWN_KEY.sub(rf"\1{MASK}", safe) if "=" in safe else safe


def without_login(url: str) -> str:
    """Return a web address without its user and password; any other text is unchanged."""
    return _PLAIN_LOGIN.sub(r"\1", url) if "@" in url else url


def login_of(url: str) -> str:
    """Return the user and password of a web address, as written; empty if it has none.

    >>> login_of("http://me:word@host/a@b"), login_of("http://host/a@b")
    ('me:word', '')
    """
    login = _PLAIN_LOGIN.match(url) if "@" in url else None
    return login[0][len(login[1]) : -1] if login is not None else ""


def secrets_of(url: str) -> list[tuple[str, str, str]]:
    """Return the plain-text credentials in a web address: each as written, what it is, and where it belongs.

    >>> [secret for secret, _, _ in secrets_of("http://me:pw@h/?q=a&api_key=s3cret&token=%{input.token}")]
    ['me:pw', 's3cret']
    """
    if "@" not in url and "=" not in url:
        return []  # most addresses
    login = login_of(url)
    found = [(login, "a login", "`auth` of its site")] if login else []
    keys = _PLAIN_KEY.findall(url.partition("#")[0]) if "=" in url else []
    return found + [(key, "a key", "it in `params` of the locator") for key in keys]


def with_login_of(url: str, given: str) -> str:
    """Return a web address with the user and password of `given`, if that has any and is of the same host."""
    login = _PLAIN_LOGIN.match(given) if "@" in given else None
    if login is None or _root(url) != _root(without_login(given)):
        return url
    return login[0] + url[len(login[1]) :]


def _root(url: str) -> str:
    found = _ROOT.match(url)
    return found[0].lower() if found else ""


def cut(text: str, longest: int) -> str:
    """Return the text, or its beginning and an ellipsis."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def without_logins(text: str) -> str:
    """Return a message of a library, with the logins and keys of the addresses in it masked."""
    safe = _QUOTED_LOGIN.sub(f"'{MASK}'", _LOGIN_IN_TEXT.sub(rf"\1{MASK}@", text))
    return _KEY_IN_TEXT.sub(rf"\1{MASK}", safe)


def nearest(name: str, known: Iterable[str], least: float = _LEAST_RATIO) -> str:
    """Return the known name most similar to `name`, ignoring case; empty if none is similar enough.

    >>> nearest("Selektor", ["selector", "script"])
    'selector'
    >>> nearest("colour", ["selector", "script"])
    ''

    Args:
        least: the least ratio of similarity, from 0 (nothing in common) to 1, as in `difflib`.
    """
    import difflib  # late: only wrong input needs it

    by_plain = {candidate.lower(): candidate for candidate in known}
    found = difflib.get_close_matches(name.lower(), by_plain, n=1, cutoff=least)
    return by_plain[found[0]] if found else ""


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "", form: str = "{}") -> str:
    """Return the hint for an unknown name: the most similar known one.

    >>> did_you_mean("Selektor", ["selector"], "see the list")
    'did you mean selector?'
    >>> did_you_mean("colour", ["selector"], "see the list")
    'see the list'

    Args:
        otherwise: the hint if none is similar enough.
        form: how a name is written in the hint, with `{}` for the name.
    """
    near = nearest(name, known)
    return f"did you mean {form.format(near)}?" if near else otherwise
