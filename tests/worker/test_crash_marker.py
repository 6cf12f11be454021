"""CrashMarker: the parent reads what its worker runs, at any moment."""

from __future__ import annotations

import os
import time

from scoopi.worker.crash_marker import CrashMarker, Note


def test_parent_and_worker_share_what_is_noted() -> None:
    parent = CrashMarker.make()
    worker = CrashMarker(os.dup(parent.descriptor))
    assert parent.read() == Note()
    before = time.monotonic()
    worker.note("job", "prices")
    job, task, began = parent.read()
    assert (job, task) == ("job", "prices")
    assert before <= began <= time.monotonic()
    worker.note("j", "")
    assert parent.read()[:2] == ("j", "")
    worker.clear()
    assert parent.read() == Note()
    worker.close()
    parent.close()


def test_a_name_that_is_too_long_is_cut() -> None:
    marker = CrashMarker(-1)
    marker.note("j" * 32, "t" * 100_000)
    job, task, _ = marker.read()
    assert job == "j" * 32
    assert set(task) == {"t"}
    assert len(task) > 1000
