"""StateFlipper: the node's own state, from ready to terminated."""

from __future__ import annotations

import threading
from enum import StrEnum


class NodeState(StrEnum):
    """READY: takes jobs. IDLE: has none for now. SHUTDOWN: takes none any more. TERMINATED: all ended."""

    READY = "READY"
    IDLE = "IDLE"
    SHUTDOWN = "SHUTDOWN"
    TERMINATED = "TERMINATED"


class StateFlipper:
    """Owns the node's state, from ready to terminated; nothing else changes it.

    Each transition names its old and new state.
    """

    def __init__(self) -> None:
        self._state = NodeState.READY
        self._changed = threading.Condition()
        self._cancelled = False

    @property
    def state(self) -> NodeState:
        """The state now."""
        with self._changed:
            return self._state

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        with self._changed:
            return self._cancelled

    def mark_idle(self, idle: bool) -> None:
        """READY -> IDLE while the node is idle, IDLE -> READY while it is not."""
        with self._changed:
            if self._state in (NodeState.READY, NodeState.IDLE):
                self._state = NodeState.IDLE if idle else NodeState.READY

    def cancel(self) -> None:
        """READY or IDLE -> SHUTDOWN, whatever is left."""
        with self._changed:
            self._cancelled = True
            self._shut_down()

    def finish(self) -> None:
        """READY or IDLE -> SHUTDOWN, as the run is over or its page limit is reached."""
        with self._changed:
            self._shut_down()

    def terminate(self) -> None:
        """SHUTDOWN -> TERMINATED: all threads of the node have ended."""
        with self._changed:
            if self._state is NodeState.SHUTDOWN:
                self._state = NodeState.TERMINATED

    def wait_for_shutdown(self, timeout_s: float) -> bool:
        """Wait up to `timeout_s` seconds for SHUTDOWN or TERMINATED, and return whether one was reached."""
        with self._changed:
            ended = (NodeState.SHUTDOWN, NodeState.TERMINATED)
            return self._changed.wait_for(lambda: self._state in ended, timeout=timeout_s)

    def _shut_down(self) -> None:
        if self._state in (NodeState.READY, NodeState.IDLE):
            self._state = NodeState.SHUTDOWN
            self._changed.notify_all()
