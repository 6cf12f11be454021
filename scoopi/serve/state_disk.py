"""ensure_local: rejects a state folder on a network file system."""

from __future__ import annotations

import re
from pathlib import Path

from scoopi.errors import UsageError

MOUNTS = Path("/proc/self/mountinfo")
NETWORK = frozenset(
    {
        *("afs", "beegfs", "ceph", "cifs", "coda", "gfs2", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2"),
        *("orangefs", "panfs", "smb3", "smbfs", "fuse.ceph", "fuse.gcsfuse", "fuse.glusterfs", "fuse.goofys"),
        *("fuse.mount-s3", "fuse.rclone", "fuse.s3fs", "fuse.sshfs"),
    }
)
"""Types of file systems that several machines may write to; file locks on them are unreliable."""


def ensure_local(folder: Path, mounts: Path = MOUNTS) -> None:
    """Reject a folder on a network file system, where the locks of SQLite and Scoopi may not work.

    Args:
        folder: the folder; it need not exist.
        mounts: Linux's list of mounts; if it does not exist, as on other systems, nothing is rejected.
    Raises:
        UsageError: the folder is on a network file system.
    """
    kind = file_system(folder, mounts)
    if kind in NETWORK:
        raise UsageError(
            f"the state folder is on a network file system ({kind})",
            at=str(folder),
            hint="name a folder on a local disk with --state; several machines share a schedule by --store",
        )


def file_system(folder: Path, mounts: Path = MOUNTS) -> str:
    """Return the type of the file system that a folder is on; empty if unknown."""
    try:
        lines = mounts.read_text(errors="surrogateescape").splitlines()
    except OSError:
        return ""
    place, kind, depth = folder.resolve(), "", -1
    for line in lines:
        before, _, after = line.partition(" - ")
        point = Path(re.sub(r"\\(\d{3})", lambda code: chr(int(code[1], 8)), before.split()[4]))
        # the last of several mounts on one point covers the others
        if place.is_relative_to(point) and len(point.parts) >= depth:
            kind, depth = after.split()[0], len(point.parts)
    return kind
