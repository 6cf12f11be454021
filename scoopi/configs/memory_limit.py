"""memory_limit: how much memory the control group of this process may use before the kernel kills it."""

from __future__ import annotations

from pathlib import Path

_OWN = Path("/proc/self/cgroup")
_ROOT = Path("/sys/fs/cgroup")
_UNIFIED = "0::/"


def memory_limit(own: Path = _OWN, root: Path = _ROOT) -> int | None:
    """The least limit of the group and those around it (cgroup v2), in bytes; None where there is none.

    A group of version 1 is not killed as a whole, so its limit does not count.
    """
    try:
        lines = own.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    path = next((line.removeprefix(_UNIFIED) for line in lines if line.startswith(_UNIFIED)), None)
    if path is None:
        return None
    group = root / path
    limits = (_limit(each / "memory.max") for each in (group, *group.parents) if each.is_relative_to(root))
    return min(filter(None, limits), default=None)


def _limit(file: Path) -> int | None:
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):  # `max`, or not there
        return None
