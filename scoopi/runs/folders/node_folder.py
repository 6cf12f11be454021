"""NodeFolder: this node's hidden folder in the folder of a cluster's run, locked while in use."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import time
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from types import TracebackType

import msgspec

from scoopi.errors import RunError
from scoopi.model.decoders import json_decoder
from scoopi.model.downloads import FILES_FOLDER
from scoopi.runs.folders.run_state import HIDDEN, NodeFile, OwnedFolder, make_private, take_lock
from scoopi.synced_files import replace_synced

LOST_PREFIX = "lost-"
RUN_JSON = "run.json"
TRIES = 5
LOCK_S, POLL_S = 3.0, 0.05
"""Seconds that a node waits for its folder, and between two tries: another may be moving its rows aside."""


class NodeFolder(OwnedFolder):
    """This node's hidden folder in the folder of a cluster's run, locked while in use.

    `DIR/<run>/.scoopi/<node>/`; several nodes may share DIR, each has a folder of its own.
    Source: docs/output.md.
    """

    def __init__(self, path: Path, node: str, lock: int, is_new: bool = False) -> None:
        self.path = path
        self.node = node
        self._lock = lock
        self._is_new = is_new

    @classmethod
    def join(cls, path: Path, node: str) -> NodeFolder:
        """This node's folder, created when it is missing.

        Args:
            path: the run's folder.
            node: the id that the settings give. If it is empty, the node takes over a folder of this machine
                that is not locked, preferably of a node that has not seen the run over; else it has a new id.
        Raises:
            RunError: the folder cannot be written, its volume does not support file locks, or the named
                node is still running.
        """
        try:
            new_id = "" if node else secrets.token_hex(4)
            for candidate in [node] if node else [*_own_nodes(path), new_id]:
                folder = path / HIDDEN / candidate
                _make(folder)
                lock = _lock_soon(folder) if node else _try_lock(folder)
                if lock is not None:
                    return cls(path, candidate, lock, is_new=candidate == new_id)
        except OSError as error:
            raise RunError(
                f"the output folder cannot be written: {error.strerror}",
                at=str(error.filename or path),
                hint="choose another with --output",
            ) from error
        raise RunError(f"the node {node} is still running", at=str(path), hint="give this node another id")

    def write_state(self, run: str, over: bool = False) -> None:
        """Replace this node's state, `node.json`.

        Args:
            run: the run that it takes part in.
            over: whether all rows of the run are in files.
        """
        self._write(self.node, NodeFile(run, socket.gethostname(), over, cluster=True))

    def note_over(self, run: str) -> None:
        """Mark the run as over for all nodes here, as all rows are in files: dead nodes need not return.

        Best effort: a node that is not marked, and started again, reads in the cluster that the run is over.
        """
        for node, state in self.known_states().items():
            if state.run == run and not state.over:
                with contextlib.suppress(OSError):
                    self._write(node, msgspec.structs.replace(state, over=True))

    def known_states(self) -> dict[str, NodeFile]:
        """The contents of `node.json` in each node's folder here, by node id; a new folder has none."""
        folders = sorted((self.path / HIDDEN).glob("*/"))
        return {folder.name: state for folder in folders if (state := _state(folder)) is not None}

    def beside(self, node: str) -> NodeFolder | None:
        """Lock another node's folder, which the caller closes; return None while that node runs."""
        lock = _try_lock(self.path / HIDDEN / node)
        return None if lock is None else NodeFolder(self.path, node, lock)

    def set_aside(self, files: Iterable[str]) -> Path:
        """Move this node's segments and these published files away, and forget the run they belong to.

        Downloaded files that are published stay: other nodes may have published the same ones.

        Args:
            files: names relative to the run's folder; those that are not there are passed over.
        Returns:
            Where they are now.
        Raises:
            RunError: they cannot be moved; the next call moves the rest.
        """
        now = f"{datetime.now():%Y%m%d-%H%M%S}"  # noqa: DTZ005 - for people, in local time
        lost = self.path / HIDDEN / f"{LOST_PREFIX}{now}-{secrets.token_hex(2)}"
        moves = {self.segments: lost / "segments", self.node_folder / RUN_JSON: lost / f"node-{RUN_JSON}"}
        moves |= {self.node_folder / FILES_FOLDER: lost / f"node-{FILES_FOLDER}"}
        moves |= {self.path / file: lost / "files" / file for file in (*files, RUN_JSON)}
        try:
            for source, target in moves.items():
                if source.exists():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    source.rename(target)
            (self.node_folder / "node.json").unlink(missing_ok=True)
        except OSError as error:
            raise RunError(
                f"the earlier rows of the run cannot be moved aside: {error.strerror}",
                at=str(error.filename or self.path),
                hint="check the permissions there, or choose another folder with --output",
            ) from error
        return lost

    def _write(self, node: str, state: NodeFile) -> None:
        path = self.path / HIDDEN / node / "node.json"
        replace_synced(path, msgspec.json.encode(state), self.node_folder / "node.json.tmp")

    def close(self) -> None:
        """Release the lock; remove the folder of a node with a new id that never took part in the run."""
        if self._is_new and not (self.node_folder / "node.json").exists():
            (self.node_folder / "lock").unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # what is not empty stays
                for folder in (self.node_folder, self.path / HIDDEN, self.path):
                    folder.rmdir()
        os.close(self._lock)

    def __enter__(self) -> NodeFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _own_nodes(path: Path) -> Iterator[str]:
    """Ids of the nodes of this machine that took part in the run; first those whose rows may be missing."""
    found = []
    for folder in (path / HIDDEN).glob("*/"):
        state = _state(folder)
        if state is not None and state.owner == socket.gethostname():
            found.append((state.over, folder.name))
    return (node for _, node in sorted(found))


def _state(folder: Path) -> NodeFile | None:
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        return json_decoder(NodeFile).decode((folder / "node.json").read_bytes())
    return None


def _make(folder: Path) -> None:
    """Create a node's folder; tried again, as a node that closes may remove an empty folder above it."""
    for _ in range(TRIES):
        with contextlib.suppress(FileNotFoundError):
            make_private(folder.parent)
            folder.mkdir(exist_ok=True)
            return
    make_private(folder.parent)
    folder.mkdir(exist_ok=True)


def segments_of_all(path: Path) -> Iterator[Path]:
    """The segments of all nodes in the folder of a run, without those that were set aside as lost."""
    for file in path.glob(f"{HIDDEN}/*/segments/*.seg"):
        if not file.parents[1].name.startswith(LOST_PREFIX):
            yield file


def _lock_soon(folder: Path) -> int | None:
    end = time.monotonic() + LOCK_S
    while (lock := _try_lock(folder)) is None and time.monotonic() < end:
        time.sleep(POLL_S)  # nothing notifies of it
    return lock


def _try_lock(folder: Path) -> int | None:
    with contextlib.ExitStack() as opened:
        handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        opened.callback(os.close, handle)
        if not take_lock(handle, folder):
            return None
        opened.pop_all()
        return handle
