"""NodeFile: what the hidden folder of a run holds about its node, where it is, and how it is locked."""

from __future__ import annotations

import errno
import fcntl
import re
from pathlib import Path

import msgspec

from scoopi.errors import RunError, UsageError
from scoopi.model.decoders import json_decoder

HIDDEN = ".scoopi"
STATE_FILE, STORE_FILE = "node.json", "store.db"
KEEP = "its files stay as they are: restore this one, or start a new run"
_SOLO_RUN = re.compile(r"\d{8}-\d{6}-[0-9a-f]{4}")
UNSUPPORTED = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
"""Error numbers of flock on a volume without file locks: NFS without a lock daemon, some FUSE volumes."""


class NodeFile(msgspec.Struct, frozen=True):
    """The contents of `node.json` in a node's folder.

    Attributes:
        run: the run's incarnation.
        owner: name of the machine whose node this is.
        over: whether the run is over, and all of its rows are published.
        cluster: whether it is a run of a cluster: starting its nodes again continues it, `resume` does not.
    """

    run: str
    owner: str
    over: bool = False
    cluster: bool = False


class OwnedFolder:
    """The folder of a run, with the hidden folder in it of the node that has locked it.

    Attributes:
        path: the run's folder.
        node: the node's id.
    """

    path: Path
    node: str

    @property
    def node_folder(self) -> Path:
        """The node's hidden folder."""
        return self.path / HIDDEN / self.node

    @property
    def segments(self) -> Path:
        """The folder of the node's segment files, one per process."""
        return self.node_folder / "segments"


def make_private(hidden: Path) -> None:
    """Make the hidden folder of a run, for its user only: records and segments hold addresses as given."""
    hidden.mkdir(mode=0o700, parents=True, exist_ok=True)


def node_folder_of(path: Path) -> Path | None:
    """The hidden folder of the run's node, or of one of its nodes; None when this is not the folder of a run.

    Raises:
        RunError: it cannot be read.
    """
    try:
        for node in sorted((path / HIDDEN).iterdir()):
            if any((node / name).exists() for name in (STATE_FILE, STORE_FILE)):
                return node
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if _SOLO_RUN.fullmatch(path.name):  # else it may be anything, such as a volume's lost+found
            raise unreadable("folder", path, error) from error
    return None


def newest_run(output: Path) -> Path | None:
    """The newest folder of a run under `output`, over or not; None when there is none."""
    runs = sorted((path for path in output.glob("[!.]*") if not path.is_symlink()), key=_age, reverse=True)
    return next((path for path in runs if node_folder_of(path) is not None), None)


def folder_of_run(run: str, output: Path) -> Path:
    """Return the folder of a run.

    Args:
        run: the folder, or the run's id, which is the name of its folder in `output`.
    Raises:
        UsageError: there is no such folder.
    """
    for path in (Path(run), output / run):
        if path.is_dir():
            return path
    raise UsageError("there is no such run", at=run, hint="give its folder, or its id")


def _age(path: Path) -> tuple[str, int, str]:
    """Sorts runs by the second in their names, and those of one second by when their folders were made."""
    second = path.name.rpartition("-")[0] if _SOLO_RUN.fullmatch(path.name) else path.name
    try:
        made_ns = (path / HIDDEN).stat().st_mtime_ns
    except OSError:
        made_ns = 0
    return second, made_ns, path.name


def not_a_run(path: Path) -> UsageError:
    """The error for a path that is not a run folder; the hint names a run if it is an output folder."""
    run = newest_run(path)
    hint = f"name a run in it, such as {run}" if run else "name a folder under the output"
    return UsageError("not a run folder", at=str(path), hint=hint)


def read_state(node_folder: Path) -> NodeFile:
    """Read a node's `node.json`.

    Raises:
        RunError: it cannot be read.
    """
    path = node_folder / STATE_FILE
    try:
        return json_decoder(NodeFile).decode(path.read_bytes())
    except (OSError, msgspec.MsgspecError) as error:
        raise unreadable("state", path, error) from error


def unreadable(what: str, path: Path, error: Exception) -> RunError:
    """The RunError about a file of a run's folder that is damaged, or may not be read."""
    if not isinstance(error, OSError):
        return RunError(f"the run's {what} cannot be read: it is damaged ({error})", at=str(path), hint=KEEP)
    hint = "give this user the right to read and write it" if isinstance(error, PermissionError) else KEEP
    what = f"the run's {what} cannot be read: {error.strerror}"
    return RunError(what, at=str(error.filename or path), hint=hint)


def take_lock(handle: int, folder: Path, *, wait: bool = False) -> bool:
    """Lock an open file for this process, until it is closed; return False if another process holds the lock.

    Args:
        handle: descriptor of the open file or folder.
        folder: named in errors.
        wait: whether to wait for the other process instead.
    Raises:
        RunError: the volume does not support file locks, or the file cannot be locked at all.
    """
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        is_unsupported = error.errno in UNSUPPORTED
        what = "the volume does not support file locks" if is_unsupported else "the folder cannot be locked"
        raise RunError(
            f"{what}: {error.strerror}",
            at=str(folder),
            hint="put the run's folder on a volume with file locks, such as a local disk (--output)",
        ) from error
    return True
