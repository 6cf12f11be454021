"""RunFolder: the folder of a run on one machine: creates it, locks it, and finds it for `resume`."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import shutil
import socket
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from types import TracebackType

import msgspec

from scoopi.errors import RunError
from scoopi.runs.folders.run_state import (
    HIDDEN,
    KEEP,
    STATE_FILE,
    STORE_FILE,
    NodeFile,
    OwnedFolder,
    make_private,
    node_folder_of,
    not_a_run,
    read_state,
    take_lock,
    unreadable,
)
from scoopi.synced_files import replace_synced, sync_folder

log = logging.getLogger(__name__)

NEW_PREFIX = ".new-"
LATEST = "latest"
HOLDER_WRITES_S = 0.5
"""How long the process that holds a folder's lock may take to write its process id there."""


class RunFolder(OwnedFolder):
    """The folder of a run on one machine, locked while it is in use.

    `DIR/<run id>/`, with `.scoopi/<node>/` for segments and state; locked by one process at a time.
    Source: docs/output.md; ARCHITECTURE, protocol rule 13.
    """

    def __init__(self, path: Path, node: str, lock: int) -> None:
        self.path = path
        self.node = node
        self._lock = lock

    @classmethod
    def make_hidden(cls, output: Path) -> RunFolder:
        """Create and lock a folder under a hidden name; `reveal` gives it its final name.

        Raises:
            RunError: the output folder cannot be written, or its volume does not support file locks.
        """
        try:
            output.mkdir(parents=True, exist_ok=True)
            with _alone_in(output):
                _remove_abandoned(output)
                path = output / f"{NEW_PREFIX}{secrets.token_hex(4)}"
                node = secrets.token_hex(4)
                make_private(path / HIDDEN)
                (path / HIDDEN / node).mkdir()
                return cls(path, node, _locked(path))
        except OSError as error:
            raise RunError(
                f"the output folder cannot be written: {error.strerror}",
                at=str(error.filename or output),
                hint="choose another with --output",
            ) from error

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Lock the folder of an existing run.

        Raises:
            UsageError: it is not the folder of a run.
            RunError: the run is one of a cluster or is still running, or a file of the folder is damaged.
        """
        node_folder = node_folder_of(path)
        if node_folder is None:
            raise not_a_run(path)
        if read_state(node_folder).cluster:
            raise RunError("it is a run of a cluster", at=str(path), hint=_how_to_continue(path))
        try:
            return cls(path, node_folder.name, _locked(path))
        except OSError as error:
            raise unreadable("lock", _lock_file(path), error) from error

    @property
    def store_file(self) -> Path:
        """The SQLite file with the run's records."""
        return self.node_folder / STORE_FILE

    def reveal(self, started: datetime) -> None:
        """Give the complete folder its name, `yyyyMMdd-HHmmss-<4 hex>`; from now on `resume` finds it."""
        while True:
            final = self.path.parent / f"{started:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
            if not final.exists():
                break
        self.path.rename(final)
        self.path = final
        sync_folder(final.parent)  # the next start removes folders under their hidden names

    def write_state(self, run: str, over: bool = False) -> None:
        """Replace `node.json`."""
        state = NodeFile(run, socket.gethostname(), over)
        path = self.node_folder / STATE_FILE
        replace_synced(path, msgspec.json.encode(state), path.with_suffix(".json.tmp"))

    def ensure_store(self) -> None:
        """Check that the store has a file, as opening a missing store would create an empty one.

        Raises:
            RunError: the file is missing, empty, or not readable.
        """
        try:
            is_gone = not self.store_file.stat().st_size
        except FileNotFoundError:
            is_gone = True
        except OSError as error:
            raise unreadable("store", self.store_file, error) from error
        if is_gone:
            raise self.lost()

    def lost(self) -> RunError:
        """The error of a run whose records are not there, or are those of another run."""
        what = "the run's records are lost; which rows count is not known"
        return RunError(what, at=str(self.store_file), hint=KEEP)

    def state(self) -> NodeFile:
        """The contents of `node.json`."""
        return read_state(self.node_folder)

    def remove(self) -> None:
        """Remove a folder that was never revealed."""
        shutil.rmtree(self.path, ignore_errors=True)
        with contextlib.suppress(OSError):
            self.path.parent.rmdir()

    def close(self) -> None:
        """Release the lock."""
        os.close(self._lock)

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def point_latest(path: Path) -> None:
    """Replace the link `latest`, beside the folder of a finished run, by one to it, in one step.

    Best effort: a file of that name that is not a link stays, and a volume without links is no error.
    """
    link, temporary = path.parent / LATEST, path.parent / f".{LATEST}-{secrets.token_hex(4)}"
    if link.exists() and not link.is_symlink():
        log.warning("%s is not a link, so it stays as it is", link)
        return
    try:
        temporary.symlink_to(path.name)
        temporary.replace(link)
    except OSError as error:
        log.info("%s cannot be made: %s", link, error.strerror)
        temporary.unlink(missing_ok=True)


def find_unfinished(output: Path) -> Path | None:
    """The newest run under `output` that is neither over nor running; None when there is none.

    A damaged folder is logged and left out if there is another run to resume.

    Raises:
        RunError: every unfinished run there is still running, or is damaged.
    """
    running: list[tuple[Path, str]] = []
    damaged: list[tuple[Path, RunError]] = []
    for path in _runs(output):
        try:
            node_folder = node_folder_of(path)
            state = None if node_folder is None else read_state(node_folder)
        except RunError as error:
            damaged.append((path, error))
            continue
        if state is None or state.over:
            continue
        if state.cluster:
            log.warning("%s is passed over: it is a run of a cluster; %s", path, _how_to_continue(path))
            continue
        holder = _holder(path)
        if not holder:
            for other, fault in damaged:
                log.warning("%s is passed over: %s", other, fault)
            return path
        running.append((path, holder))
    if running:
        raise _still_running(*running[0])
    if damaged:
        raise damaged[0][1]
    return None


def _runs(output: Path) -> list[Path]:
    """The folders that may be those of runs, the newest first."""
    try:
        return sorted(
            (each for each in output.iterdir() if each.name[0] != "." and not each.is_symlink()), reverse=True
        )
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        what = f"the output folder cannot be read: {error.strerror}"
        raise RunError(what, at=str(output), hint="give this user the right to read it") from error


def _how_to_continue(path: Path) -> str:
    return f"to continue it, start its nodes again with --run {path.name}"


def _still_running(path: Path, holder: str) -> RunError:
    return RunError(f"the run is still running (pid {holder})", at=str(path), hint="wait for its end")


def _lock_file(path: Path) -> Path:
    return path / HIDDEN / "lock"


def _locked(path: Path) -> int:
    handle = os.open(_lock_file(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        if not take_lock(handle, path):
            raise _still_running(path, _named_holder(path))
    except RunError:
        os.close(handle)
        raise
    os.ftruncate(handle, 0)
    os.pwrite(handle, str(os.getpid()).encode(), 0)
    return handle


def _holder(path: Path) -> str:
    """The id of the process that holds the lock; empty when none does.

    Raises:
        RunError: the volume does not support file locks.
    """
    try:
        handle = os.open(_lock_file(path), os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return "" if take_lock(handle, path) else _named_holder(path)
    finally:
        os.close(handle)


def _named_holder(path: Path) -> str:
    """The process id in the lock file; a new holder may not have written it, the earlier one may be dead."""
    end = time.monotonic() + HOLDER_WRITES_S
    while True:
        holder = _lock_file(path).read_text().strip()
        if (holder and Path("/proc", holder).exists()) or time.monotonic() > end:
            return holder or "unknown"
        time.sleep(0.01)


@contextlib.contextmanager
def _alone_in(output: Path) -> Iterator[None]:
    """Lock the output folder, so that no other start takes a new folder for abandoned before it is locked."""
    handle = os.open(output, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        take_lock(handle, output, wait=True)
        yield
    finally:
        os.close(handle)


def _remove_abandoned(output: Path) -> None:
    """Remove the folders that a killed process was still building; one in use is locked and stays."""
    for path in output.glob(f"{NEW_PREFIX}*"):
        if not _holder(path):
            shutil.rmtree(path, ignore_errors=True)
