"""cores, memory_limit and memory_bound: the CPUs and memory that this process may use."""

from __future__ import annotations

import math
import os
from pathlib import Path

_OWN = Path("/proc/self/cgroup")
_ROOT = Path("/sys/fs/cgroup")
_UNIFIED = "0::/"
_UNLIMITED = 1 << 60
"""cgroup v1 shows a larger number if there is no limit."""


def memory_limit(own: Path = _OWN, root: Path = _ROOT) -> int | None:
    """Return the lowest memory limit of this process's cgroup and its parents, in bytes; None if unlimited.

    If it is exceeded, the kernel kills the whole group. Limits of cgroup v1 do not do that and are ignored.
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


def memory_bound(own: Path = _OWN, root: Path = _ROOT) -> int | None:
    """Return the lowest memory limit in bytes, including those of cgroup v1; None if unlimited.

    It is for users of memory that can adapt to less; see `memory_limit`.
    """
    try:
        lines = own.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    limits = [memory_limit(own, root)]
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if "memory" in controllers.split(","):
            top = root / "memory"
            group = top / path.lstrip("/")
            above = (each for each in (group, *group.parents) if each.is_relative_to(top))
            limits += [_limit(each / "memory.limit_in_bytes") for each in above]
    return min((limit for limit in limits if limit and limit < _UNLIMITED), default=None)


def _limit(file: Path) -> int | None:
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):  # `max`, or no file
        return None


_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def cores(quota_file: Path = _QUOTA) -> int:
    """Return number of CPUs that this process may use, at least 1; a container's CPU limit is rounded up."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(usable, _quota(quota_file) or usable))


def _quota(file: Path) -> int | None:
    try:
        quota, period = file.read_text(encoding="ascii").split()
        return math.ceil(int(quota) / int(period))
    except (OSError, ValueError, ZeroDivisionError):
        return None
