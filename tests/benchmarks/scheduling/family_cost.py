"""family_cost: the processor time of a process and all that it has started, alive or ended.

Without imports of Scoopi: the programs of peers use it in an environment of their own.
"""

from __future__ import annotations

import os
from pathlib import Path


def family(pid: int) -> list[int]:
    """A process and all below it."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return []
    return [pid, *(below for child in children for below in family(int(child)))]


def cpu_s(pid: int) -> float:
    """Seconds of processor time; of those that ended, what their parent has waited for."""
    ticks = 0
    for each in family(pid):
        try:
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")
