"""WorkerName: the name under which a `serve` is registered as a worker, which no other process has."""

from __future__ import annotations

import fcntl
import os
import socket
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from scoopi.errors import UsageError
from scoopi.model.schedule.schedule_records import WorkerRecord
from scoopi.serve.wake_ups import is_listening
from scoopi.serve.workers.worker_registry import WorkerRegistry

_MOST_NAMES = 1000


class WorkerName:
    """The name under which a `serve` is registered as a worker.

    A lock on a file, which ends with the process, reserves the name among processes with the same state
    folder; the worker's record reserves it among those with other folders.

    Args:
        folder: the folder of the scheduler's state.
        name: the worker's name; None for the host name, followed by `-2` and so on if it is taken.
        registry: registers the worker; None for a process that runs no attempts.
        record: the worker's record, without its name.
    Raises:
        UsageError: a live worker has that name.
    """

    def __init__(
        self,
        folder: Path,
        name: str | None,
        registry: WorkerRegistry | None = None,
        record: WorkerRecord | None = None,
    ) -> None:
        locks, home = folder / "workers", home_of(folder)
        locks.mkdir(mode=0o700, exist_ok=True)
        host = socket.gethostname()
        names = [name] if name else [host, *(f"{host}-{number}" for number in range(2, _MOST_NAMES))]
        for each in names:
            lock = os.open(locks / each.replace("/", "_"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                is_free = (
                    registry is None
                    or record is None
                    or registry.register(replace(record, worker=each, home=home))
                )
            except BaseException as error:
                os.close(lock)
                if not isinstance(error, BlockingIOError):
                    raise
                continue
            if not is_free:
                os.close(lock)
                continue
            self.name, self._lock = each, lock
            return
        raise UsageError(f"worker {name or host} is live", hint="choose another name with --name")

    def close(self) -> None:
        """Release the name."""
        os.close(self._lock)


def home_of(folder: Path) -> str:
    """Return the id of a state folder, which the first call creates."""
    path = folder / "home"
    if not path.exists():
        new = folder / f".home-{uuid.uuid4().hex}"
        new.write_text(uuid.uuid4().hex)
        with suppress(FileExistsError):  # another process was first
            os.link(new, path)
        new.unlink()
    return path.read_text()


def dead_workers(folder: Path, workers: Iterable[WorkerRecord]) -> frozenset[str]:
    """Return the names of the workers of a state folder whose `serve` has ended without signing off.

    Their missing heartbeats would show that later, and only if another process counts heartbeats.
    """
    path = folder / "home"
    home = path.read_text() if path.exists() else ""
    own = (each for each in workers if each.home == home != "" and each.state != "lost")
    return frozenset(each.worker for each in own if not is_listening(folder, each.worker))
