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

_TRY_S = 1.0
"""How long the client tries to connect before `is_stopped` is asked."""
_PING_S = 2.0
_SILENCE_S = 10.0
"""A member that answers no ping for this time counts as gone, and its calls go elsewhere."""


class Awaited(Protocol):
    """A future, the client's or Python's own."""

    def done(self) -> bool:
        """Whether the answer is there."""

    def add_done_callback(self, fn: Callable[[Any], Any]) -> None:
        """Call it with this when it is there."""


class ClusterClient:
    """This node's one connection to its Hazelcast cluster.

    Connected when made; finds other members, and these again, by itself. Any thread may call.

    A call that gets no answer is sent again for `call_timeout_ms`, then it raises StoreError; when no
    member was reachable for `reconnect_timeout_ms`, ClusterError: then this node's run cannot continue.

    Args:
        is_stopped: asked now and then while no member lets this node in, or an answer is waited for.

    Raises:
        ClusterError: no member lets this node in; the message has what was tried.
        StoppedError: `is_stopped` returned true.
    """

    def __init__(self, settings: ClusterSettings, is_stopped: Callable[[], bool] = lambda: False) -> None:
        self.settings = settings
        self._is_stopped = is_stopped
        # Longer than the client itself tries.
        self._call_timeout = CallTimeout(settings.call_timeout_ms / 1000 + 2, is_stopped)
        self._lock = threading.Lock()
        self._lost_at: float | None = None
        self._failing_since: float | None = None
        self._closed = False
        self._warned: set[str] = set()
        self._ensure: Callable[[], None] = lambda: None
        self._client = self._connected()
        self._keys = self._grid_keys()

    def guard(self, ensure: Callable[[], None]) -> None:
        """Have `ensure_majority` call `ensure`, which raises while no majority is seen."""
        self._ensure = ensure

    def ensure_majority(self) -> None:
        """See `MemberMajority.ensure`. While no member is connected, calls fail by themselves."""
        if self._lost_at is None:
            self._ensure()

    def seen(self) -> int:
        """How many members the cluster has; raises as `refuse` while this node listens to none of them."""
        view = MemberView(self._client)
        if not view.is_known(0) and not self.wait(view.is_known):
            self.refuse("the members are not known: no answer in time")
        return view.number()

    def expedite(self, end: float, left_s: float) -> None:
        """This node shuts down: see `CallTimeout.expedite`."""
        self._call_timeout.expedite(end, left_s)

    def has_come(self, answer: Awaited) -> bool:
        """Wait for an answer, as long as one may take now, and return whether it came."""
        if answer.done():
            return True
        done = threading.Event()
        answer.add_done_callback(lambda _: done.set())
        return self.wait(done.wait)

    def wait(self, wait_s: Callable[[float], bool]) -> bool:
        """See `CallTimeout.wait`."""
        return self._call_timeout.wait(wait_s)

    def map(self, name: str) -> Map[Any, Any]:
        """The grid's map of that name.

        Raises:
            StoreError, ClusterError: see `refuse`.
        """
        what = f"the map {name} cannot be opened"
        opened: Map[Any, Any] = self._apart(what, lambda: self._client.get_map(name))
        return opened

    def remove(self, name: str) -> None:
        """Remove the grid's map of that name, for every node.

        Raises:
            StoreError, ClusterError: see `refuse`.
        """
        self._apart(f"the map {name} cannot be removed", lambda: self._client.get_map(name).destroy())

    def keys(self) -> GridKeys:
        """The keys of this connection, as they are sent."""
        return self._keys

    def spread_keys(self, name: str, most: int | None = None) -> list[str]:
        """Keys of that name, one in each partition of the grid, or in `most`; the same on every node."""
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
        """`HOST:PORT` of the cluster's members, as this node knows them just now."""
        known = self._client.cluster_service.get_members()
        return sorted(f"{member.address.host}:{member.address.port}" for member in known)

    def ask_members(self, question: Callable[[Any], Any]) -> list[Any]:
        """The answers of the members that this node is connected to; those that refuse it are left out.

        Args:
            question: makes an invocation of the client's for a connection.
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
        """For how long no member has been connected or all calls have failed; 0 when all is well."""
        with self._lock:
            since = min(filter(None, (self._lost_at, self._failing_since)), default=None)
        return 0 if since is None else int((time.monotonic() - since) * 1000)

    def answered(self) -> None:
        """Note that a call got its answer: calls no longer count as failing."""
        self._failing_since = None

    def refuse(self, what: str, fault: BaseException | None = None) -> NoReturn:
        """Raise what a failed call means.

        Raises:
            ClusterError: no member has been reachable for too long, or the client was closed.
            StoreError: nothing is known yet.
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
        """Log a warning once for each `name`, as it would be repeated with each call."""
        if name not in self._warned:
            self._warned.add(name)
            log.warning(text, name, *more)

    def close(self) -> None:
        """Leave the cluster. Harmless when closed."""
        if not self._closed:
            self._closed = True
            self._client.shutdown()

    def _apart(self, what: str, call: Callable[[], Any]) -> Any:
        """The result of a call for which the client itself may wait too long, made in its own thread."""
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

        _keep_quiet()
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
        # The client knows one limit for its first and its later connecting, ours differ.
        strategy = client._connection_manager._wait_strategy
        strategy._cluster_connect_timeout = self.settings.reconnect_timeout_ms / 1000
        return client

    def _grid_keys(self) -> GridKeys:
        from scoopi.store.cluster.grid_values import GridKeys

        return GridKeys(self._client._serialization_service.to_data)

    def _heard(self, state: str) -> None:
        """Called by the client's own thread."""
        with self._lock:
            if state == "CONNECTED":
                self._lost_at = None
            elif state == "DISCONNECTED" and self._lost_at is None:
                self._lost_at = time.monotonic()


def client_class() -> type[HazelcastClient]:
    """The client's class; loaded late, as a run on one machine needs no client."""
    with warnings.catch_warnings():
        # It imports a module that Python 3.11 calls deprecated; for later ones it brings its own.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            from hazelcast.client import HazelcastClient
        except ImportError as fault:
            raise ClusterError(
                f"the Hazelcast client is not installed: {fault}", hint='pip install "scoopi[cluster]"'
            ) from None
    return HazelcastClient


def _keep_quiet() -> None:
    """Keep the client's log from stderr, where it goes when no handler is set."""
    logger = logging.getLogger("hazelcast")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
