"""ClusterClient: this node's one connection to its Hazelcast cluster."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import ClusterError, StoppedError, StoreError
from scoopi.store.call_timeout import CallTimeout
from scoopi.store.cluster.client_faults import fix_waking, no_member_error, reason_of
from scoopi.store.cluster.member_majority import MemberView, refused_by_members
from scoopi.store.retries import RETRIED

if TYPE_CHECKING:
    from hazelcast.client import HazelcastClient
    from hazelcast.proxy.map import Map

    from scoopi.store.cluster.grid_values import GridKeys

log = logging.getLogger(__name__)

_LONGER_S = 2.0
"""How much longer an answer is waited for than the client itself repeats the call."""
_TRY_S = 1.0
"""How long the client tries to connect between two checks of `is_stopped`."""
_PING_S = 2.0
_SILENCE_S = 10.0
"""A member that answers no ping for this long counts as gone, and its calls go to other members."""


class Awaited(Protocol):
    """A future, of the client or of Python."""

    def done(self) -> bool:
        """Whether the answer has come."""

    def add_done_callback(self, fn: Callable[[Any], Any]) -> None:
        """Call `fn` with the future once the answer has come."""


class ClusterClient:
    """This node's one connection to its Hazelcast cluster.

    The constructor connects; the client discovers further members, and reconnects, by itself. Thread-safe.

    A call without an answer is repeated for `call_timeout_ms`, and then raises StoreError. If no member has
    been reachable for `reconnect_timeout_ms`, calls raise ClusterError, and this node's run cannot continue.

    Args:
        is_stopped: polled while this node connects, or waits for an answer.
    Attributes:
        timeout: how long calls wait for an answer; less once this node shuts down.
    Raises:
        ClusterError: this node cannot connect to any member; the message says what was tried.
        StoppedError: `is_stopped` returned true.
    """

    def __init__(self, settings: ClusterSettings, is_stopped: Callable[[], bool] = lambda: False) -> None:
        self.settings = settings
        self._is_stopped = is_stopped
        self.timeout = CallTimeout(settings.call_timeout_ms / 1000 + _LONGER_S, is_stopped)
        self._lock = threading.Lock()
        self._lost_at: float | None = None
        self._failing_since: float | None = None
        self._warned: set[str] = set()
        self._ensure: Callable[[], None] = lambda: None
        self._client = self._connected()
        self._keys = self._grid_keys()

    def guard(self, ensure: Callable[[], None]) -> None:
        """Make `ensure_majority` call `ensure`, which raises while no majority is seen."""
        self._ensure = ensure

    def ensure_majority(self) -> None:
        """Call what `guard` was given; does nothing without a connection, as calls then fail by themselves.

        Raises:
            StoreError, ClusterError: see `MemberMajority.ensure`.
        """
        if self._lost_at is None:
            self._ensure()

    def seen(self) -> int:
        """The number of members of the cluster; waits, within the current timeout, until it is known.

        Raises:
            StoreError, ClusterError: see `refuse`; this node has no connection to any member.
        """
        view = MemberView(self._client)
        if not self.timeout.wait(view.is_known):
            self.refuse("the members are not known: no answer in time")
        return view.number()

    def has_come(self, answer: Awaited) -> bool:
        """Wait for an answer, within the current timeout; return whether it came."""
        if answer.done():
            return True
        done = threading.Event()
        answer.add_done_callback(lambda _: done.set())
        return self.timeout.wait(done.wait)

    def map(self, name: str) -> Map[Any, Any]:
        """Open a map of the grid.

        Raises:
            StoreError, ClusterError: see `refuse`.
        """
        what = f"the map {name} cannot be opened"
        opened: Map[Any, Any] = self._apart(what, lambda: self._client.get_map(name))
        return opened

    def remove(self, name: str) -> None:
        """Remove a map of the grid, for every node.

        Raises:
            StoreError, ClusterError: see `refuse`.
        """
        self._apart(f"the map {name} cannot be removed", lambda: self._client.get_map(name).destroy())

    def keys(self) -> GridKeys:
        """The cache of serialized keys of this connection."""
        return self._keys

    def spread_keys(self, name: str, most: int | None = None) -> list[str]:
        """Keys `<name>/<number>`, one in each partition, or in `most` of them; the same on every node."""
        partitions = self._client.partition_service
        wanted = min(partitions.get_partition_count(), most or sys.maxsize)
        keys: dict[int, str] = {}
        number = 0
        while len(keys) < wanted:
            key = f"{name}/{number}"
            keys.setdefault(partitions.get_partition_id(key), key)
            number += 1
        return list(keys.values())

    def members(self) -> list[str]:
        """`HOST:PORT` of the cluster's members that this node currently knows."""
        known = self._client.cluster_service.get_members()
        return sorted(f"{member.address.host}:{member.address.port}" for member in known)

    def ask_members(self, question: Callable[[Any], Any]) -> list[Any]:
        """Ask the members that this node is connected to; return the answers of those that know the question.

        Args:
            question: makes the client's invocation for a connection.
        Raises:
            StoreError, ClusterError: see `refuse`; no answer came in time.
        """
        connections = list(self._client._connection_manager.active_connections.values())
        service: Any = self._client._invocation_service
        asked = [question(connection) for connection in connections]
        for invocation in asked:
            service.invoke(invocation)
        answers = []
        for invocation in asked:
            if not self.has_come(invocation.future):
                self.refuse("the members were asked: no answer in time")
            with contextlib.suppress(Exception):  # a member refuses an unknown question in many ways
                answers.append(invocation.future.result())
        return answers

    def unreachable_ms(self) -> int:
        """How long no member has been connected, or all calls have failed; 0 if the cluster answers."""
        with self._lock:
            since = min(filter(None, (self._lost_at, self._failing_since)), default=None)
        return 0 if since is None else int((time.monotonic() - since) * 1000)

    def answered(self) -> None:
        """Record that a call got its answer, so that calls no longer count as failing."""
        self._failing_since = None
        self.timeout.answered()

    def refuse(self, what: str, fault: BaseException | None = None) -> NoReturn:
        """Raise the error for a failed call.

        Args:
            what: what has failed.
            fault: the client's error; None if no answer came in time.
        Raises:
            ClusterError: no member has been reachable for too long, or the client was closed.
            StoreError: the outcome is not known yet; the call may be retried.
        """
        reason = f"{what}: {reason_of(fault)}" if fault else what
        self._failing_since = self._failing_since or time.monotonic()
        lost_ms, name = self.unreachable_ms(), self.settings.name
        if split := refused_by_members(fault, MemberView(self._client), lost_ms, self.settings):
            raise split from fault
        if lost_ms >= self.settings.reconnect_timeout_ms or not self._client.lifecycle_service.is_running():
            raise ClusterError(
                f"no member of the cluster {name} has been reachable for {lost_ms / 1000:.0f} s: "
                f"this node gave up ({reason})",
                at=", ".join(self.settings.addresses),
                hint="start its members again, then this node",
            ) from fault
        raise StoreError(reason, at=f"cluster {name}", hint=RETRIED) from fault

    def warn_once(self, name: str, text: str, *more: object) -> None:
        """Log a warning once for each `name`, instead of at each call.

        Args:
            text: the message, with a `%s` for the name and one for each value in `more`.
        """
        if name not in self._warned:
            self._warned.add(name)
            log.warning(text, name, *more)

    def close(self) -> None:
        """Disconnect; idempotent."""
        self._client.shutdown()

    def _apart(self, what: str, call: Callable[[], Any]) -> Any:
        """Make a call that may block inside the client, in a thread of its own; return its result."""
        answer: Future[Any] = Future()

        def wait() -> None:
            try:
                answer.set_result(call())
            except Exception as fault:
                answer.set_exception(fault)

        threading.Thread(target=wait, name="grid", daemon=True).start()
        if not self.has_come(answer):
            self.refuse(f"{what}: no answer in time")
        if (fault := answer.exception()) is not None:
            self.refuse(what, fault)
        return answer.result()

    def _connected(self) -> HazelcastClient:
        kind = client_class()
        from scoopi.store.cluster.client_faults import first_answer_within
        from scoopi.store.cluster.client_options import client_options
        from scoopi.store.cluster.grid_values import read_own_types_only

        options = client_options(self.settings, self._heard, _PING_S, _SILENCE_S)
        kind = first_answer_within(options["connection_timeout"], kind)
        end = time.monotonic() + options["cluster_connect_timeout"]
        while True:
            left_s = end - time.monotonic()
            try:
                client = kind(**{**options, "cluster_connect_timeout": max(0.0, min(left_s, _TRY_S))})
                break
            except Exception as fault:
                if self._is_stopped():
                    raise StoppedError from None
                if time.monotonic() >= end:
                    raise no_member_error(self.settings, fault) from None
        try:
            read_own_types_only(client)
        except ClusterError:
            client.shutdown()
            raise
        fix_waking(client)
        # The client has one timeout for connecting and reconnecting; ours differ.
        strategy = client._connection_manager._wait_strategy
        strategy._cluster_connect_timeout = self.settings.reconnect_timeout_ms / 1000
        return client

    def _grid_keys(self) -> GridKeys:
        from scoopi.store.cluster.grid_values import GridKeys

        return GridKeys(self._client._serialization_service.to_data)

    def _heard(self, state: str) -> None:
        """Record the client's state; called by the client's own thread."""
        with self._lock:
            if state == "CONNECTED":
                self._lost_at = None
            elif state == "DISCONNECTED" and self._lost_at is None:
                self._lost_at = time.monotonic()


def client_class() -> type[HazelcastClient]:
    """Import the client's class, late, as a run on one machine does not need it.

    Raises:
        ClusterError: the package is not installed.
    """
    with warnings.catch_warnings():
        # It imports a module that is deprecated in Python 3.11; for later versions it has its own copy.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            from hazelcast.client import HazelcastClient
        except ImportError as fault:
            raise ClusterError(
                f"the Hazelcast client is not installed: {fault}", hint='pip install "scoopi[cluster]"'
            ) from None
    return HazelcastClient
