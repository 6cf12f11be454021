"""cores: how many processors this process may really use."""

from __future__ import annotations

import math
import os
from pathlib import Path

_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def cores(quota_file: Path = _QUOTA) -> int:
    """At least 1; a container's CPU limit counts, rounded up."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(usable, _quota(quota_file) or usable))


def _quota(file: Path) -> int | None:
    try:
        quota, period = file.read_text(encoding="ascii").split()
        return math.ceil(int(quota) / int(period))
    except (OSError, ValueError, ZeroDivisionError):
        return None
