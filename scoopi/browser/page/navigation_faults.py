"""fault_of: derives why a navigation failed from the driver's message."""

from __future__ import annotations

from msgspec.structs import replace

from scoopi.browser.pool_messages import VisitFailed

TIMED_OUT = VisitFailed(
    "the page was not received within its timeout", "the page was not received in time", "timeout"
)
NO_ANSWER = VisitFailed(
    "the page stopped answering before its time was over; perhaps one of its scripts does not end",
    "the page stopped answering",
    "timeout",
)
NO_PAGE = VisitFailed(
    "the address is a file to be saved, not a page",
    "the address is a file to be saved, not a page",
    hint="leave out `loader: browser`",
)
CLOSED = VisitFailed(
    "the window of the page has closed",
    "the window of the page has closed",
    hint="look for what closes it; `window: main` goes back to the page's own window",
)
_ABORTED = "ERR_ABORTED"
"""What Chromium says of a download that is refused."""
_NETWORK = (
    ("ERR_NAME_NOT_RESOLVED", "dns", "the host's name cannot be resolved"),
    ("ERR_CONNECTION_RESET", "reset", "the host has reset the connection"),
    ("ERR_EMPTY_RESPONSE", "reset", "the host has closed the connection without a response"),
    ("ERR_CONNECTION", "connect", "the host refuses the connection or cannot be reached"),
    ("ERR_ADDRESS_UNREACHABLE", "connect", "the host refuses the connection or cannot be reached"),
    ("ERR_TIMED_OUT", "timeout", "the page was not received within its timeout"),
    ("dnsNotFound", "dns", "the host's name cannot be resolved"),
    ("netReset", "reset", "the host has reset the connection"),
    ("netInterrupt", "reset", "the host has closed the connection without a response"),
    ("connectionFailure", "connect", "the host refuses the connection or cannot be reached"),
    ("deniedPortAccess", "connect", "the host refuses the connection or cannot be reached"),
    ("netTimeout", "timeout", "the page was not received within its timeout"),
)
"""What Chromium says, and Firefox: reason and cause."""
_FIREFOX = "about:neterror?e="


def fault_of(message: str) -> VisitFailed | None:
    """Return the failure that a driver's message about a navigation means; None for any other message.

    >>> fault_of("unknown error: net::ERR_NAME_NOT_RESOLVED\\n  (Session info: chrome=156)").reason
    'dns'
    """
    _, is_known, rest = message.partition("net::" if "net::" in message else _FIREFOX)
    if not is_known:
        return None
    found = rest.split()[0].partition("&")[0].rstrip(")")
    if found.startswith(_ABORTED):
        return NO_PAGE
    for begin, reason, cause in _NETWORK:
        if found.startswith(begin):
            return VisitFailed(f"{cause} ({found})", cause, reason)
    return VisitFailed(f"the browser cannot load the page ({found})", "the browser cannot load the page")


def lost(url: str, code: str) -> VisitFailed:
    """Return the failure of a page that an action or a script has left for an address that gives no page.

    Args:
        url: that address.
        code: the browser's name of the fault, such as `ERR_CONNECTION_REFUSED`.

    >>> lost("http://gone.example/", "ERR_NAME_NOT_RESOLVED").what
    "the page went to http://gone.example/: the host's name cannot be resolved (ERR_NAME_NOT_RESOLVED)"
    """
    found = fault_of(f"net::{code}") or TIMED_OUT
    return replace(found, what=f"the page went to {url}: {found.what}")
