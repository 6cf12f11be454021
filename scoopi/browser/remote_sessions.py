"""session_address, end_session: addresses of sessions of browsers in a grid, and how these are ended."""

from __future__ import annotations

from base64 import b64encode
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

SESSION = "session"
"""The file in a browser's profile with the address of its session."""
_END_S = 60.0
"""Seconds. The driver ends a session only after the command that it executes, such as loading a page. If the
client closes its connection before, the grid does not end the session, and keeps the browser."""
SOON_S = 2.0
"""Seconds within which a browser ends unless it hangs."""


def session_address(url: str, session: str) -> str:
    """Return the address of a session of a grid; `url` is that of the grid, `session` the session's id.

    >>> session_address("http://grid.example:4444/wd/hub/", "1f")
    'http://grid.example:4444/wd/hub/session/1f'
    """
    return f"{url.rstrip('/')}/session/{session}"


def end_session(address: str) -> None:
    """End a session and its browser; if the grid does not answer within 60 s, that is ignored.

    Args:
        address: as from `session_address`; may have a user name and a password.
    """
    parts = urlsplit(address)
    connect = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    headers = {"Authorization": "Basic " + b64encode(login.encode()).decode()} if parts.username else {}
    connection = connect(parts.hostname or "", parts.port, timeout=_END_S)
    with suppress(OSError, HTTPException):
        connection.request("DELETE", parts.path, headers=headers)
        connection.getresponse().read()
    connection.close()


def has_ended_soon(address: str) -> bool:
    """End a session, wait for that for 2 s at most, and return whether it has ended.

    If not, it ends later, as soon as its driver answers.
    """
    end = Thread(target=end_session, args=(address,), name="session-end", daemon=True)
    end.start()
    end.join(SOON_S)
    return not end.is_alive()


def end_sessions(profiles: Path) -> None:
    """End the sessions of all browsers with a profile in this folder, all at once, as `end_session` does."""
    ends = []
    for each in profiles.glob(f"*/{SESSION}"):
        with suppress(OSError):  # its browser has ended just now, and its profile was removed
            ends.append(Thread(target=end_session, args=(each.read_text(),), name="session-end"))
    for end in ends:
        end.start()
    for end in ends:
        end.join()
