"""SharedSessions: the sessions of sites in the store, for the other nodes and for `resume`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from scoopi.model.site_session import Session, SessionChange
from scoopi.store.ports import RUN, Change, Store
from scoopi.store.record_codec import RecordCodec

ROUNDS = 4
"""How often a write is tried within a round, if it conflicts with those of other nodes."""


class SessionRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """One session in the store; `claim` is the incarnation of the node that may log in, empty without one."""

    session: Session
    claim: str = ""


class _Own(NamedTuple):
    """A session of this node, and how it has changed since this was last written."""

    session: Session
    change: SessionChange


class SharedSessions:
    """Keeps the sessions of sites in the store, for the other nodes and for `resume`.

    `may_log_in` and `changed` belong to the task runner's thread, `round` to the heartbeat's.

    Args:
        names: of all sessions; without any, nothing is read or written.
        node: incarnation of this node.
        is_alone: whether there are no other nodes; then the records are for `resume` only.
        is_gone: whether an incarnation is dead or has left, so that its claims to log in are void.
    """

    def __init__(
        self,
        store: Store,
        names: Sequence[str],
        node: str,
        is_alone: bool,
        is_gone: Callable[[str], bool],
    ) -> None:
        self._store = store
        self._keys = {f"session/{name}": name for name in names}
        self._node = node
        self._is_alone = is_alone
        self._is_gone = is_gone
        self._codec = RecordCodec(RUN, SessionRecord)
        self._lock = threading.Lock()
        self._own: dict[str, _Own] = {}
        self._wanted: set[str] = set()
        self._claimed: set[str] = set()
        self._seen: dict[str, bytes] = {}

    def may_log_in(self, name: str) -> bool:
        """Whether this node may log in now; if not, have the next `round` claim the login."""
        if self._is_alone:
            return True
        with self._lock:
            if name not in self._claimed:
                self._wanted.add(name)
            return name in self._claimed

    def changed(self, session: Session, change: SessionChange) -> None:
        """Record a change of this node's session, or the end of its login, for the next `round`."""
        with self._lock:
            earlier = self._own.get(session.name)
            self._own[session.name] = _Own(
                session, change if earlier is None else earlier.change.then(change)
            )

    def with_own(self, session: Session) -> Session:
        """A session from the store, with the changes of this node that are not in the store yet."""
        with self._lock:
            own = self._own.get(session.name)
        has_more = own is not None and own.session.version == session.version
        return session.with_changes(own.change) if own is not None and has_more else session

    def release(self, name: str) -> None:
        """Give up this node's claim to log in; the next `round` removes it from the store."""
        with self._lock:
            self._claimed.discard(name)
            self._wanted.discard(name)

    def round(self, learn: Callable[[Session], None]) -> None:
        """Write what this node has changed, and read what other nodes have changed.

        Args:
            learn: receives each session that is new in the store, written by another node or by this one, and
                each one that this node may log in to now.
        Raises:
            StoreError: the store does not answer; the next round does it again.
        """
        if not self._keys:
            return
        records = self._store.get_all(RUN, [*self._keys])
        for key, name in self._keys.items():
            self._settle(key, name, records.get(key), learn)

    def _settle(self, key: str, name: str, raw: bytes | None, learn: Callable[[Session], None]) -> None:
        for _ in range(ROUNDS):
            is_news = raw is not None and self._seen.get(key) != raw
            if raw is not None:
                self._seen[key] = raw
            known = SessionRecord(Session(name)) if raw is None else self._codec.read(key, raw)
            with self._lock:
                own = self._own.get(name)
            wanted = self._next(name, known, own)
            if wanted == known:
                self._settled(name, own, known, is_news, learn)
                return
            new = self._codec.encode(wanted)
            change = Change(key, raw or b"", new)
            outcome = (
                self._store.put_if_absent_all(RUN, [(key, new)])[0]
                if raw is None
                else self._store.cas_all(RUN, [change])[0]
            )
            if outcome.won:
                self._seen[key] = new
                self._settled(name, own, wanted, True, learn)
                return
            raw = outcome.current

    def _next(self, name: str, known: SessionRecord, own: _Own | None) -> SessionRecord:
        with self._lock:
            has_claim, wants = name in self._claimed, name in self._wanted
        session = known.session
        if own is not None:
            # Alone, a login that has failed in an earlier process is tried again.
            stored = replace(session, failed="") if self._is_alone else session
            session = merged(stored, own.session, own.change)
        claim = known.claim
        if has_claim and claim != self._node:  # this node was away, and another one has taken the claim over
            self.release(name)
        if claim == self._node and not has_claim:
            claim = ""
        is_void = claim == "" or (claim != self._node and self._is_gone(claim))
        return SessionRecord(session, self._node if wants and is_void else claim)

    def _settled(
        self,
        name: str,
        own: _Own | None,
        record: SessionRecord,
        is_new: bool,
        learn: Callable[[Session], None],
    ) -> None:
        """Act on a record that the store has now, with all of `own` in it."""
        with self._lock:
            if own is not None and self._own.get(name) is own:  # else it has changed further meanwhile
                del self._own[name]
            has_won = record.claim == self._node and name in self._wanted
            if has_won:
                self._wanted.discard(name)
                self._claimed.add(name)
        if has_won or is_new:
            is_clean = has_won or self._is_alone
            learn(replace(record.session, failed="" if is_clean else record.session.failed))


def merged(stored: Session, own: Session, change: SessionChange) -> Session:
    """Merge two versions of a session: the one with more logins wins; with equally many both changes count.

    Args:
        stored: as the store has it, with the changes of other nodes.
        own: as this node has it.
        change: has led to `own`, and is not in `stored` yet.
    """
    if own.version != stored.version:
        return max(stored, own, key=lambda each: each.version)
    return replace(stored.with_changes(change), failed=own.failed or stored.failed)
