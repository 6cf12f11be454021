"""AttemptLines: shows when attempts start and end, but not repeatedly that an attempt is not ready."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from scoopi.serve.claims.claim import Claim

QUIET_S = 5.0
"""An attempt that was not ready and now runs for this many seconds is taken to do its work."""
NOT_READY = "not_ready"
_MOST = 10_000


class Notify(Protocol):
    """Shows a line, or its contents as fields."""

    def __call__(self, line: str, /, **fields: object) -> object:
        """Show them."""


class AttemptLines:
    """Shows when the attempts of a worker start and end.

    An attempt that was not ready is started again after each `settings.every`. These starts and ends are not
    shown while the reason stays the same. A start is shown once the attempt has run for QUIET_S seconds, or
    together with a different end.

    Args:
        notify: called with a line for each start or end, and with its contents as fields: `event` (started,
            ended), `attempt`, `node`; of an end `status`, `seconds`, `reason`.
    """

    def __init__(self, notify: Notify) -> None:
        self._notify = notify
        self._reasons: dict[str, str] = {}
        self._unshown: dict[tuple[str, int, int], Claim] = {}

    def started(self, claim: Claim) -> None:
        """Show a start; that of an attempt that was not ready waits for `poll` or `ended`."""
        if claim.is_first and claim.attempt.attempt in self._reasons:
            self._unshown[claim.key] = claim
        else:
            self._show_start(claim)

    def poll(self, now: datetime) -> None:
        """Show the starts of attempts that have run for QUIET_S seconds."""
        for claim in [*self._unshown.values()]:
            if claim.seconds(now) >= QUIET_S:
                del self._unshown[claim.key]
                self._show_start(claim)

    def ended(self, claim: Claim, status: str, reason: str, seconds: float) -> None:
        """Show an end, unless the attempt is not ready for the same reason as before."""
        name, is_unshown = claim.attempt.attempt, self._unshown.pop(claim.key, None) is not None
        known = self._reasons.pop(name, None) if claim.is_first else None
        if claim.is_first and status == NOT_READY:
            if len(self._reasons) >= _MOST:  # most are of attempts that other workers have ended
                self._reasons.clear()
            self._reasons[name] = reason
            if is_unshown and reason == known:
                return
        if is_unshown:
            self._show_start(claim)
        why = f": {reason}" if reason else ""
        ends = {"status": status, "seconds": round(seconds, 3), "reason": reason or None}
        line = f"{claim.name} {status.replace('_', ' ')} after {seconds:.1f} s{why}"
        self._notify(line, event="ended", **_fields(claim), **ends)

    def gone(self, claim: Claim) -> None:
        """Show nothing more of a claim that belongs to another worker now."""
        self._unshown.pop(claim.key, None)

    def _show_start(self, claim: Claim) -> None:
        self._notify(f"{claim.name} started", event="started", **_fields(claim))


def _fields(claim: Claim) -> dict[str, object]:
    return {"attempt": claim.attempt.attempt, "node": claim.node}
