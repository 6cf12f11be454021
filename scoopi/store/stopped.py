"""StoppedError: who waited in the store for others was told to stop."""

from __future__ import annotations


class StoppedError(Exception):
    """What was waited for has not come, and nothing has failed; whoever waits says what that means."""
