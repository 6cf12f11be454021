"""A worker keeps the memory of a large page for the next one."""

from __future__ import annotations

import subprocess
import sys

from scoopi.worker.__main__ import KEPT_BYTES

BLOCK_BYTES = 60_000
_FAULTS = """
import resource
from scoopi.worker.__main__ import keep_freed_memory

def faults() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

if {keeps}:
    keep_freed_memory()
for _ in range(3):
    before = faults()
    blocks = [b"x" * {block} for _ in range({count})]
    taken = faults() - before
    del blocks
print(taken)
"""


def faults_of_last_turn(*, keeps: bool) -> int:
    """Page faults of a process that takes half of what a worker keeps, when it does so again."""
    code = _FAULTS.format(keeps=keeps, block=BLOCK_BYTES, count=KEPT_BYTES // 2 // BLOCK_BYTES)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(ran.stdout)


def test_memory_that_a_page_has_freed_is_used_by_the_next_one_without_page_faults() -> None:
    assert faults_of_last_turn(keeps=True) * 10 < faults_of_last_turn(keeps=False)
