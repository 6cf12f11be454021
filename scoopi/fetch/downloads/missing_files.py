"""MissingFiles: addresses of files for which their sites have answered that nothing is there."""

from __future__ import annotations

from pathlib import Path

import msgspec

from scoopi.errors import FetchError, LoadFault
from scoopi.model.decoders import json_decoder

MISSING_STATUSES = (404, 410)
"""Others may depend on the moment or on a login."""


class _Note(msgspec.Struct, frozen=True):
    """How the request for a file has failed; attributes as of FetchError, and the process that asked."""

    process: str
    what: str
    at: str
    hint: str
    cause: str
    reason: str
    status: int


class MissingFiles:
    """Addresses of files for which their sites have answered that nothing is there.

    All workers of a node share them, so that each such address is asked for once by a process, however many
    pages name it. A later process of the run asks again, as `scoopi retry` is expected to.

    Args:
        process: incarnation of the node.
    """

    def __init__(self, process: str) -> None:
        self._process = process
        self._decoder = json_decoder(_Note)

    def find(self, note: Path) -> FetchError | None:
        """What the request of this process has failed with; None if it has not asked.

        Args:
            note: the file of the address's note.
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
        """The note of a failure; None if another request may bring the file."""
        fault = error.fault
        if fault.is_transient or fault.status not in MISSING_STATUSES:
            return None
        note = _Note(self._process, error.what, error.at, error.hint, error.cause, fault.reason, fault.status)
        return msgspec.json.encode(note)
