"""Sessions of browsers in a grid: their addresses, and how to end them."""

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
"""The driver ends a session only after what it is doing, such as loading a page. A grid whose client leaves
before that gives the end up, and keeps the browser."""
SOON_S = 2.0
"""Within this time a browser that is not hung has ended."""


def session_address(url: str, session: str) -> str:
    """Return the address of a session of a grid.

    >>> session_address("http://grid.example:4444/wd/hub/", "1f")
    'http://grid.example:4444/wd/hub/session/1f'
    """
    return f"{url.rstrip('/')}/session/{session}"


def end_session(address: str) -> None:
    """End a session and its browser; do nothing if it has ended or the grid does not answer."""
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
    """End a session, and wait 2 s for it; whether it has ended.

    If not, it ends as soon as its driver answers.
    """
    end = Thread(target=end_session, args=(address,), daemon=True)
    end.start()
    end.join(SOON_S)
    return not end.is_alive()


def end_sessions(profiles: Path) -> None:
    """End the sessions of all browsers that have their profiles in a folder, all at once."""
    ends = []
    for each in profiles.glob(f"*/{SESSION}"):
        with suppress(OSError):  # its browser has ended just now, and its profile was removed
            ends.append(Thread(target=end_session, args=(each.read_text(),)))
    for end in ends:
        end.start()
    for end in ends:
        end.join()
