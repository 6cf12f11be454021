"""MissingFiles: remembers URLs of files that do not exist, by the response of their site."""

from __future__ import annotations

from pathlib import Path

import msgspec

from scoopi.errors import FetchError, LoadFault
from scoopi.model.decoders import json_decoder

MISSING_STATUSES = (404, 410)
"""Other statuses may depend on the time or on a login."""


class _Note(msgspec.Struct, frozen=True):
    """Why the request for a file failed: the attributes of FetchError, and the process that sent it."""

    process: str
    what: str
    at: str
    hint: str
    cause: str
    reason: str
    status: int


class MissingFiles:
    """Remembers URLs whose site has answered that there is no such file (status 404 or 410).

    All workers of a node share the notes, so a process requests such a URL only once, however many pages link
    to it. A later process of the run requests it again, as `scoopi retry` is expected to.

    Args:
        process: the incarnation of the node.
    """

    def __init__(self, process: str) -> None:
        self._process = process
        self._decoder = json_decoder(_Note)

    def find(self, note: Path) -> FetchError | None:
        """The error of this process's earlier request; None if it has not sent one.

        Args:
            note: path of the URL's note.
        """
        try:
            found = self._decoder.decode(note.read_bytes())
        except (OSError, msgspec.MsgspecError):
            return None
        if found.process != self._process:
            return None
        fault = LoadFault(found.reason, status=found.status)
        return FetchError(found.what, at=found.at, hint=found.hint, cause=found.cause, fault=fault)

    def noted(self, error: FetchError) -> bytes | None:
        """The content of a note on a failed request; None if another request may succeed."""
        fault = error.fault
        if fault.is_transient or fault.status not in MISSING_STATUSES:
            return None
        note = _Note(self._process, error.what, error.at, error.hint, error.cause, fault.reason, fault.status)
        return msgspec.json.encode(note)
