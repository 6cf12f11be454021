"""RunName: which run of the cluster a node joins."""

from __future__ import annotations

import re
import secrets
import socket
from collections.abc import Callable, Container
from hashlib import blake2b
from pathlib import Path

import msgspec

from scoopi.errors import RecordError, UsageError
from scoopi.model.decoders import json_decoder
from scoopi.model.job import RUN_NAME, RunText
from scoopi.runs.composed import Composed
from scoopi.runs.folders.run_state import HIDDEN, NodeFile
from scoopi.store.ports import PAGE, RUN, Change, Store, pages
from scoopi.store.record_codec import RecordCodec
from scoopi.store.retries import first_won


def valid_name(run: str) -> str:
    """Return the given name, if a run may have it.

    Raises:
        UsageError: it cannot be the name of a folder.
    """
    if not RUN_NAME.fullmatch(run):
        raise UsageError(f"invalid run name {run!r}", hint="letters, digits, . _ and -")
    return run


class CurrentRun(msgspec.Struct, frozen=True):
    """The cluster's record `current/<folder>-<digest>`: the run that nodes join which are given no name.

    Attributes:
        chooser: incarnation of the node that wrote it, so that no two records are equal.
        over: whether no node may join the run any more, also when the cluster has forgotten the run itself.
    """

    run: RunText
    chooser: str
    over: bool = False


class RunName:
    """Decides which run of the cluster a node joins.

    Nodes that start together agree on one name; a new name was never used before.

    Args:
        shared_store: the store of the maps that belong to no run.
        is_over: given the name of a run, returns whether the cluster has it, and it is ending or over.
        node: incarnation of this node.
    Source: docs/cluster.md, "Which run a node joins".
    """

    def __init__(self, shared_store: Store, is_over: Callable[[str], bool], node: str) -> None:
        self._shared_store = shared_store
        self._is_over = is_over
        self._node = node
        self._codec = RecordCodec(RUN, CurrentRun)

    def decide(self, composed: Composed, given: str | None) -> str:
        """The run's name: the given one, or the current one of these definitions, or a new one.

        Raises:
            UsageError: the given name cannot be the name of a folder.
            StoreError: the cluster does not answer.
        """
        if given is not None:
            return valid_name(given)
        return self._current(_base(composed))

    def pass_over(self, composed: Composed, run: str) -> None:
        """Keep nodes from joining a run that is over; call it before the cluster forgets the run.

        Raises:
            StoreError: the cluster does not answer; call again.
        """
        key = _key(_base(composed))
        stands, known = self._stands(key)
        if stands is not None and known is not None and known.run == run and not known.over:
            over = self._codec.encode(CurrentRun(run, self._node, over=True))
            self._shared_store.cas_all(RUN, [Change(key, stands, over)])

    def forget(self, run: str) -> None:
        """Keep nodes from joining a run that is removed.

        Raises:
            StoreError: the cluster does not answer; call again.
        """
        for page in pages(self._shared_store, RUN, PAGE, after=_key("")):
            for key, stands in page:
                if not key.startswith(_key("")):
                    return
                try:
                    known = self._codec.read(key, stands)
                except RecordError:
                    continue
                if known.run == run and not known.over:
                    over = self._codec.encode(CurrentRun(run, self._node, over=True))
                    self._shared_store.cas_all(RUN, [Change(key, stands, over)])

    def _current(self, base: str) -> str:
        key = _key(base)

        def once() -> str | None:
            stands, known = self._stands(key)
            if known is not None and not known.over and not self._is_over(known.run):
                return known.run
            new = self._codec.encode(CurrentRun(f"{base}-{secrets.token_hex(2)}", self._node))
            if stands is None:
                self._shared_store.put_if_absent_all(RUN, [(key, new)])
            else:
                self._shared_store.cas_all(RUN, [Change(key, stands, new)])
            return None  # the next attempt reads which name is in the record

        return first_won(once, "nodes could not agree on a name for the run", hint="give it by --run")

    def _stands(self, key: str) -> tuple[bytes | None, CurrentRun | None]:
        stands = self._shared_store.get_all(RUN, [key]).get(key)
        return stands, None if stands is None else self._codec.read(key, stands)


def definitions_digest(composed: Composed) -> str:
    """32 hex digits: equal for equal definitions, plugins and given run settings, in any folder."""
    parts = (
        composed.definitions.digest,
        *sorted(composed.plugin_digests.values()),
        *(repr((block.pattern, block.values)) for block in composed.definitions.sites),
        *(f"{key}={value}" for key, value in sorted(composed.given.items())),
    )
    return blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()


def _base(composed: Composed) -> str:
    return f"{_folder_name(composed)}-{definitions_digest(composed)[:8]}"


def _key(base: str) -> str:
    return f"current/{base}"


def _folder_name(composed: Composed) -> str:
    name = Path(composed.defs_source).stem or "run"
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:40] or "run"


def unfinished_run(composed: Composed, output: Path, node: str, published: Container[str] = ()) -> str | None:
    """The newest run of these definitions that this node took part in and did not see over; None without one.

    Args:
        output: the folder that holds the runs' folders.
        node: the id that the settings give this node; empty for any node of this machine.
        published: runs to leave out, as they are over, and this process has published their rows.
    """
    found = []
    for file in output.glob(f"{_base(composed)}-*/{HIDDEN}/{node or '*'}/node.json"):
        try:
            state, changed = json_decoder(NodeFile).decode(file.read_bytes()), file.stat().st_mtime_ns
        except (OSError, msgspec.MsgspecError):
            continue
        if state.cluster and not state.over and (node or state.owner == socket.gethostname()):
            found.append((changed, file.parents[2].name))
    return max(((at, run) for at, run in found if run not in published), default=(0, None))[1]
