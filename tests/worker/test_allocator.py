"""The memory of a large page is kept for the next one, by workers and by a process that calls `extract`."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from scoopi.errors import BootError
from scoopi.pages.extractor_cache import extractor_of
from scoopi.worker.allocator import KEPT_BYTES, keep_freed_memory

BLOCKS_BYTES = (60_000, 1_000_000)
"""Of the heap, and of what glibc by default maps by itself, and returns when it is freed."""
_FAULTS = """
import resource
from scoopi.worker.allocator import keep_freed_memory

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


def faults_of_last_turn(block_bytes: int, *, keeps: bool) -> int:
    """Page faults of a process that takes half of what is kept, when it does so again."""
    code = _FAULTS.format(keeps=keeps, block=block_bytes, count=KEPT_BYTES // 2 // block_bytes)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(ran.stdout)


@pytest.mark.parametrize("block_bytes", BLOCKS_BYTES)
def test_memory_that_a_page_has_freed_is_used_by_the_next_one_without_page_faults(block_bytes: int) -> None:
    assert faults_of_last_turn(block_bytes, keeps=True) * 10 < faults_of_last_turn(block_bytes, keeps=False)


_EXTRACTED = """
import resource
from pathlib import Path
from scoopi import extract

page = b"<ul>" + b"<li class=a><b>text</b><i title=x>more</i></li>" * 3_000 + b"</ul>"
Path("defs.yml").write_text('''
locatorGroups: { page: "http://127.0.0.1/page.html" }
taskGroups: { page: { items: { dataDef: items } } }
dataDefs:
  items:
    query: { block: "ul", selector: "li:nth-child(%{item.index}) > b" }
    items: [ item: { name: at, value: x, indexRange: 1-3 } ]
''')
for _ in range(3):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    assert len(extract("defs.yml", page, "http://127.0.0.1/page.html")) == 3
    taken = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
print(taken)
"""


def faults_of_extract(folder: Path, **environ: str) -> int:
    """Page faults of the third call of `extract` for a page of 140 KB."""
    ran = subprocess.run(
        [sys.executable, "-c", _EXTRACTED],
        cwd=folder,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(ran.stdout)


def test_extract_keeps_the_memory_of_a_page_unless_the_environment_says_how_much(tmp_path: Path) -> None:
    kept = faults_of_extract(tmp_path)
    assert kept * 10 < faults_of_extract(tmp_path, MALLOC_TRIM_THRESHOLD_="131072")


def test_extract_sets_the_allocator_once_whatever_the_number_of_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    defs, loads = tmp_path / "defs.yml", list[object]()
    defs.write_text("dataDefs: { d: { query: { block: ul, selector: li }, items: [ item: { name: i } ] } }\n")

    def use() -> None:
        with contextlib.suppress(BootError):  # the definitions do not matter, but that there is an extractor
            extractor_of(defs, {}, {}, {})

    keep_freed_memory.cache_clear()
    monkeypatch.setattr("scoopi.worker.allocator.ctypes.CDLL", loads.append)
    for thread in [threading.Thread(target=use) for _ in range(3)]:
        thread.start()
        thread.join()
    assert loads == [None]
