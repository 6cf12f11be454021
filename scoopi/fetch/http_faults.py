"""HTTP faults: the errors of pages that cannot be fetched, each with a hint for the user."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType

import pycurl

from scoopi.errors import FetchError, LoadFault, SilentHostError
from scoopi.model.limits.retry_policy import UNKNOWN_NAME
from scoopi.model.sites import Site
from scoopi.model.text.shown import shown, without_logins

_LATER = "try again later"
WEIRD_SERVER_REPLY, HTTP2_STREAM, TOO_LARGE = 8, 92, 100
"""CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2_STREAM and CURLE_TOO_LARGE, for which pycurl has no names."""
CONNECTION_ENDED = frozenset(
    (
        pycurl.E_SEND_ERROR,
        pycurl.E_RECV_ERROR,
        pycurl.E_GOT_NOTHING,
        pycurl.E_HTTP2,
        HTTP2_STREAM,
        WEIRD_SERVER_REPLY,
    )
)
"""curl's errors for a request whose connection or HTTP/2 stream ends, or, on a reused connection, begins with
the rest of an earlier response that was longer than announced."""
_NOT_LOST = (("chunk", WEIRD_SERVER_REPLY), ("Too large response headers", TOO_LARGE))
"""Prefix of curl's message -> better error, for what curl reports as receive errors on an open connection."""
_HTTP_0_9 = "HTTP/0.9"
_MEASURED = re.compile(
    r" after \d+ ms| with \d+ bytes (?:missing|remaining to read)|: \d+ > \d+|(?<=HTTP/2 stream) \d+"
)
"""Parts of curl's messages that differ between failures with the same cause."""
_HOST = re.compile(r"\w+://(?:[^/?#@]*@)?([^/?#:]+)")
_FAULTS: dict[int, tuple[str, str]] = {
    pycurl.E_URL_MALFORMAT: ("the address is malformed", "correct the url"),
    pycurl.E_UNSUPPORTED_PROTOCOL: ("the address is not a web address", "correct the url"),
    pycurl.E_COULDNT_RESOLVE_PROXY: ("the proxy's name is unknown", "look at the proxy's settings"),
    pycurl.E_COULDNT_RESOLVE_HOST: ("the host's name is unknown", "correct the host or try again later"),
    pycurl.E_COULDNT_CONNECT: ("the host refuses the connection or cannot be reached", _LATER),
    pycurl.E_PARTIAL_FILE: ("the page was cut off", _LATER),
    pycurl.E_GOT_NOTHING: ("the host closed the connection without a response", _LATER),
    pycurl.E_SEND_ERROR: ("the connection was lost while the request was sent", _LATER),
    pycurl.E_RECV_ERROR: ("the connection was lost while the page was received", _LATER),
    pycurl.E_HTTP2: ("the connection was lost while the page was received", _LATER),
    HTTP2_STREAM: ("the host ended the HTTP/2 stream of the page", _LATER),
    WEIRD_SERVER_REPLY: ("the response is not valid HTTP", f"{_LATER}, or correct the url or its port"),
    TOO_LARGE: ("the headers of the response are too large", _LATER),
    pycurl.E_SSL_CONNECT_ERROR: ("no TLS connection could be made", "does this port speak https?"),
    pycurl.E_PEER_FAILED_VERIFICATION: (
        "the host's certificate is not trusted",
        "name its authority as `ca` of the site, or add it to the file that SSL_CERT_FILE names",
    ),
    pycurl.E_SSL_CACERT_BADFILE: (
        "the file of trusted certificates cannot be read",
        "install ca-certificates or set SSL_CERT_FILE",
    ),
    pycurl.E_OUT_OF_MEMORY: ("not enough memory", ""),
}


TOO_MANY_REDIRECTS = "more than "
"""Prefix of the message of `redirects_fault`."""
_TRANSIENT = {
    pycurl.E_COULDNT_RESOLVE_PROXY: UNKNOWN_NAME,
    pycurl.E_COULDNT_RESOLVE_HOST: UNKNOWN_NAME,
    pycurl.E_COULDNT_CONNECT: "connect",
    pycurl.E_OPERATION_TIMEDOUT: "timeout",
    pycurl.E_PARTIAL_FILE: "truncated",
    pycurl.E_GOT_NOTHING: "reset",
    pycurl.E_SEND_ERROR: "reset",
    pycurl.E_RECV_ERROR: "reset",
    pycurl.E_HTTP2: "reset",
    HTTP2_STREAM: "reset",
}
"""Transient failure -> its reason. Unknown names are included, as curl does not report whether DNS failed."""
_TLS_ENDED = re.compile(r"reset by peer|unexpected eof|SSL_ERROR_SYSCALL", re.IGNORECASE)
"""Matches curl's messages for a TLS connection that ended during the handshake."""
TRANSIENT_STATUSES = frozenset((408, 425, 429, *range(500, 600)))
LONGEST_RETRY_AFTER_S = 86_400.0
NOT_TRIED = frozenset(
    (
        pycurl.E_URL_MALFORMAT,
        pycurl.E_UNSUPPORTED_PROTOCOL,
        pycurl.E_COULDNT_RESOLVE_PROXY,
        pycurl.E_COULDNT_RESOLVE_HOST,
        pycurl.E_OUT_OF_MEMORY,
    )
)
"""Failures before the host was contacted."""


def fault(
    number: int,
    message: str,
    url: str,
    *,
    connected: bool,
    timeouts: Site,
    answered: bool = False,
) -> FetchError:
    """The error for a failed transfer; a SilentHostError if the host did not respond at all.

    Args:
        number: curl's error number, pycurl.E_….
        message: curl's error message, appended for its details.
        connected: whether the request was sent; selects one of the two timeouts.
        answered: whether a response had started.
    """
    kind = FetchError if answered else SilentHostError
    words = without_logins(_MEASURED.sub("", message))
    if number == pycurl.E_RECV_ERROR:
        number = next((better for begin, better in _NOT_LOST if words.startswith(begin)), number)
    if number == pycurl.E_UNSUPPORTED_PROTOCOL and _HTTP_0_9 in words:
        number = WEIRD_SERVER_REPLY  # what curl reports for the same response on a reused connection
    known = _load_fault(number, words, was_sent=connected)
    if number == pycurl.E_OPERATION_TIMEDOUT:
        if connected:
            what, limit = f"the page was not received within {timeouts.timeout_ms} ms", "timeout"
        else:
            limit_ms = min(timeouts.connect_timeout_ms, timeouts.timeout_ms)
            what, limit = f"no connection within {limit_ms} ms", "connectTimeout"
        return kind(what, at=shown(url), hint=f"{_LATER}, or raise scoopi.webClient.{limit}", fault=known)
    what, hint = _FAULTS.get(number, ("the page could not be loaded", ""))
    detailed = f"{what} ({words})" if words else what
    host = _HOST.match(url)
    names_host = host is not None and host[1] in words
    return kind(detailed, at=shown(url), hint=hint, cause=what if names_host else detailed, fault=known)


def _load_fault(number: int, words: str, was_sent: bool) -> LoadFault:
    reason = _TRANSIENT.get(number, "")
    if number == pycurl.E_SSL_CONNECT_ERROR and _TLS_ENDED.search(words):
        reason = "reset"
    return LoadFault(reason, is_transient=bool(reason), was_sent=was_sent)


def truncated_fault(what: str, url: str, hint: str = _LATER) -> FetchError:
    """The transient error for a response that ended before it was complete; `what` is its message."""
    return FetchError(what, at=shown(url), hint=hint, fault=LoadFault("truncated", is_transient=True))


def retry_after_s(value: str, now: datetime) -> float | None:
    """The seconds that a Retry-After header asks for, at most a day; None if it is invalid.

    >>> noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    >>> retry_after_s("120", noon), retry_after_s("Fri, 01 May 2026 12:00:07 GMT", noon)
    (120.0, 7.0)
    """
    text = value.strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:12]), LONGEST_RETRY_AFTER_S)
    from email.utils import parsedate_to_datetime  # late: few responses have a date

    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return None
    until = until if until.tzinfo is not None else until.replace(tzinfo=UTC)
    return min(max(0.0, (until - now).total_seconds()), LONGEST_RETRY_AFTER_S)


def status_fault(
    status: int,
    url: str,
    headers: Mapping[str, str] = MappingProxyType({}),
    site: Site | None = None,
    led_by: str = "",
) -> FetchError:
    """The error for a response whose status is not 200.

    Args:
        headers: headers of the response, names in lower case.
        site: the site's settings for the request.
        led_by: what led from the page's own address to `url`, such as "a redirect"; empty if these are equal.
    """
    if status in (401, 403) and site is not None and site.auth is not None:
        hint = "the site rejects the credentials in its `auth`"
    elif status in (401, 403):
        hint = "the site requires a login or rejects robots"
    elif status == 407:
        hint = "the proxy of the environment (http_proxy, https_proxy) requires other credentials"
    elif status in (404, 410):
        hint = f"{led_by} leads there; correct that, or the url of the page" if led_by else "correct the url"
    elif status == 429:
        hint = "send fewer requests: raise scoopi.loader.fetch.delay"
    else:
        hint = _LATER if status >= 500 else ""
    is_transient = status in TRANSIENT_STATUSES
    asked = retry_after_s(headers.get("retry-after", ""), datetime.now(UTC)) if is_transient else None
    known = LoadFault(f"status {status}", is_transient, status, asked)
    return FetchError(f"the site answered with status {status}", at=shown(url), hint=hint, fault=known)


def proxies_fault(url: str) -> FetchError:
    """The error for a page when all proxies fail; it names none of them, as their URLs may be secret."""
    known = LoadFault("connect", is_transient=True, was_sent=False)
    what = "none of the proxies of the site works"
    return FetchError(what, at=shown(url), hint="check `proxy` of the site", fault=known)


def redirects_fault(most: int, url: str) -> FetchError:
    """The error for a chain of more than `most` redirects."""
    what = f"{TOO_MANY_REDIRECTS}{most} redirects in a row"
    return FetchError(what, at=shown(url), hint="does the site redirect robots in a cycle?")


def private_host_fault(address: str, url: str) -> FetchError:
    """The error for a URL on the private address `address` that a public page leads to."""
    return FetchError(
        f"a public page leads to the private address {address}",
        at=shown(url),
        hint="to allow it, make the page a locator, or set scoopi.loader.privateHosts",
        cause="a public page leads to a private address",
    )
