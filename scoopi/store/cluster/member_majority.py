"""MemberMajority: refuses calls to the store while no majority of the cluster's members is seen."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import ClusterError, StoreError
from scoopi.store.ports import RUN, Change, Store
from scoopi.store.record_codec import RecordCodec
from scoopi.store.retries import first_won

if TYPE_CHECKING:
    from hazelcast.client import HazelcastClient

COPIES = 16
"""In different partitions, so that a half that has lost some of them still knows the number of members."""
POLL_S = 0.01
SPLIT_POLL_S = 0.1
WAIT_S = 5.0
"""How long a call waits for a majority before it is refused, in seconds."""
REJOINED = "start this node again when the members have rejoined"


class MemberView:
    """The members of the cluster, as the client knows them from the one member that it listens to."""

    def __init__(self, client: HazelcastClient) -> None:
        self._service: Any = client._internal_cluster_service

    def is_known(self, timeout_s: float) -> bool:
        """Wait up to `timeout_s` seconds for the list of members; return whether it has come."""
        end = time.monotonic() + timeout_s
        while self._service._member_list_snapshot.version <= 0:
            if time.monotonic() >= end:
                return False
            time.sleep(POLL_S)  # the client reports added and removed members, but not a new view
        return True

    def number(self) -> int:
        """The number of members."""
        return int(self._service.size())


def split_error(members: str, short_ms: float, settings: ClusterSettings, more: str = "") -> Exception:
    """The error of a split cluster: StoreError at first, ClusterError after the timeout for reconnecting.

    Args:
        members: how many there are, for the message, as in `2 of 5 members`.
        short_ms: how long there have been too few, in milliseconds.
        more: appended to the hint.
    """
    what, at, hint = f"the cluster seems split: {members}", f"cluster {settings.name}", REJOINED + more
    if short_ms >= settings.reconnect_timeout_ms:
        return ClusterError(f"{what}, for {short_ms / 1000:.0f} s", at=at, hint=hint)
    return StoreError(what, at=at, hint=hint)


class MemberCount(msgspec.Struct, frozen=True):
    """One copy of the record of the largest number of members that any node has seen.

    Attributes:
        most: that number.
        node: incarnation of the node that wrote the copy.
        number: number of the node's write, so that no two records are equal.
    """

    most: int
    node: str
    number: int


def refused_by_members(
    fault: BaseException | None, view: MemberView, short_ms: float, settings: ClusterSettings
) -> Exception | None:
    """As `split_error`, for a call that the members themselves rejected; None for any other fault.

    Args:
        fault: the client's error.
    """
    if type(fault).__name__ != "SplitBrainProtectionError":  # by name, as the client is imported late
        return None
    there = f"{view.number()} there, too few for their split-brain protection"
    return split_error(there, short_ms, settings)


class MajorityCalls(msgspec.Struct, frozen=True):
    """What a MemberMajority needs from the client.

    Attributes:
        seen: returns the number of members that are seen now.
        wait: see `CallTimeout.wait`.
    """

    seen: Callable[[], int]
    wait: Callable[[Callable[[float], bool]], bool]


class MemberMajority:
    """Refuses calls to the store while no majority of the cluster's members is seen.

    Both halves of a split cluster may have all records, and each half would finish the run by itself. So a
    call is refused while this node sees no more than half of the largest number of members ever seen. That
    number is recorded before the first call that relies on more members; only the settings lower it.

    Args:
        kept: the store of the maps that belong to no run; unguarded, and settles its writes.
        keys: the keys of the copies of the record.
        node: incarnation of this node.
        settings: `members` is the number of members; 0 for the largest number seen.
        calls: the client's calls.
        clock: monotonic time in seconds.
    """

    def __init__(
        self,
        kept: Store,
        keys: Sequence[str],
        node: str,
        settings: ClusterSettings,
        calls: MajorityCalls,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._kept = kept
        self._keys = tuple(keys)
        self._seen = calls.seen
        self._node = node
        self._settings = settings
        self._given = settings.members
        self._wait = calls.wait
        self._clock = clock
        self._codec = RecordCodec(RUN, MemberCount)
        self._most = 0
        self._numbers = itertools.count()
        self._short_since: float | None = None

    def ensure(self) -> None:
        """Check that a majority is seen; called before and after each call, whose answer may be a minority's.

        Raises:
            StoreError: there is no majority, or the record cannot be read; try again.
            ClusterError: there has been no majority for too long.
        """
        seen = self._seen()
        if not self._most // 2 < seen <= self._most:
            # More than known; or fewer, and another node may have lowered the number meanwhile.
            self._most = self._noted(seen)
        if seen <= self._most // 2:
            # kept here, too: another thread may see a majority meanwhile, and reset it
            since = self._short_since = self._short_since or self._clock()
            self._await_majority()
            seen = self._seen()
            if seen <= self._most // 2:
                self._refuse(seen, since)
        self._short_since = None

    def most(self) -> int:
        """The largest number of members seen by any node; 0 if none has counted them.

        Raises:
            StoreError: it cannot be read.
        """
        return self._known(self._kept.get_all(RUN, self._keys))

    def _await_majority(self) -> None:
        """Wait for a majority, so that threads with refused calls do not retry in a tight loop."""
        end = self._clock() + min(WAIT_S, self._settings.reconnect_timeout_ms / 2000)

        def wait_s(seconds: float) -> bool:
            until = min(end, self._clock() + seconds)
            while self._seen() <= self._most // 2:
                if self._clock() >= until:
                    return until == end
                time.sleep(SPLIT_POLL_S)  # the client has no notification for this
            return True

        self._wait(wait_s)

    def _noted(self, seen: int) -> int:
        """Raise the record to the number seen (at first, set it to that of the settings), and return it."""

        def once() -> int | None:
            copies = self._kept.get_all(RUN, self._keys)
            most = max(seen, self._given or self._known(copies))
            if not self._writes_all(copies, most):
                return None
            self._given = 0
            return most

        return first_won(once, "nodes could not agree on the number of members")

    def _writes_all(self, copies: Mapping[str, bytes], most: int) -> bool:
        """Set all copies to this number; return False if another node writes them, too."""
        new = [(key, self._record(most)) for key in self._keys if key not in copies]
        changes = [
            Change(key, copy, self._record(most))
            for key, copy in copies.items()
            if self._read(key, copy) != most
        ]
        outcomes = self._kept.put_if_absent_all(RUN, new) if new else []
        outcomes += self._kept.cas_all(RUN, changes) if changes else []
        return all(outcome.won for outcome in outcomes)

    def _record(self, most: int) -> bytes:
        return self._codec.encode(MemberCount(most, self._node, next(self._numbers)))

    def _known(self, copies: Mapping[str, bytes]) -> int:
        return max((self._read(key, copy) for key, copy in copies.items()), default=0)

    def _read(self, key: str, copy: bytes) -> int:
        return self._codec.read(key, copy).most

    def _refuse(self, seen: int, since: float) -> NoReturn:
        smaller = f"; if the others never come back, start it with -D scoopi.cluster.members={seen}"
        members = f"{seen} of {self._most} members"
        raise split_error(members, (self._clock() - since) * 1000, self._settings, smaller)
