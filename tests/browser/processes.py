"""The processes below one, by their programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.reliability.process import children_of


def programs_below(root: int, program: str) -> Iterator[int]:
    """Process ids below a process whose program's name begins like this; not zombies."""
    for pid in children_of(root):
        yield from programs_below(pid, program)
        try:
            name = Path(f"/proc/{pid}/comm").read_text().strip()
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:  # it has just ended
            continue
        if name.startswith(program) and state != "Z":
            yield pid
