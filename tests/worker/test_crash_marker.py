"""CrashMarker: the parent reads what its worker runs, at any moment."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from scoopi.worker.crash_marker import SIZE, CrashMarker, RunningTask


def test_parent_and_worker_share_what_is_noted() -> None:
    parent = CrashMarker.make()
    worker = CrashMarker(os.dup(parent.descriptor))
    assert parent.read() == RunningTask()
    before = time.monotonic()
    worker.note("job", "prices")
    job, task, began = parent.read()
    assert (job, task) == ("job", "prices")
    assert before <= began <= time.monotonic()
    worker.note("j", "")
    assert parent.read()[:2] == ("j", "")
    worker.clear()
    assert parent.read() == RunningTask("", "", 0.0)
    worker.close()
    parent.close()


def test_a_name_that_is_too_long_is_cut() -> None:
    marker = CrashMarker(-1)
    marker.note("j" * 32, "t" * 100_000)
    job, task, _ = marker.read()
    assert job == "j" * 32
    assert set(task) == {"t"}
    assert len(task) > 900


@pytest.mark.parametrize("letter", ["\u00e9", "\u20ac", "\U0001f600"])
@pytest.mark.parametrize("before", range(4))
def test_a_long_name_is_cut_between_two_characters(letter: str, before: int) -> None:
    marker = CrashMarker(-1)
    marker.note("j" * 32, "t" * before + letter * 100_000)
    job, task, _ = marker.read()
    assert job == "j" * 32
    assert set(task[before:]) == {letter}


@pytest.mark.parametrize("name", ["\ud800", "left \udfff right", "\ud83d\ude00"])
def test_a_name_with_half_of_a_surrogate_pair_is_read_as_it_was_noted(name: str) -> None:
    marker = CrashMarker(-1)
    marker.note("job", name)
    assert marker.read()[:2] == ("job", name)


def test_a_note_without_a_task_follows_a_longer_one() -> None:
    marker = CrashMarker(-1)
    marker.note("job", "a longer name")
    marker.note("job", "")
    assert marker.read()[:2] == ("job", "")


def test_a_note_of_the_longest_characters_only_has_room() -> None:
    marker = CrashMarker(-1)
    marker.note("\U0001f600" * 5000, "task")
    assert set(marker.read().job) == {"\U0001f600"}
    marker.note("job", "task")
    assert marker.read()[:2] == ("job", "task")


@pytest.mark.parametrize("more", [0, 1])
def test_a_note_is_cut_only_if_it_does_not_fit(more: int) -> None:
    marker = CrashMarker(-1)
    task = "t" * (SIZE - 8 - len("job\n\0") + more)  # the time of the note takes 8 bytes
    marker.note("job", task)
    assert (marker.read().task == task) is (not more)


def test_a_text_counts_only_once_its_time_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    marker, seen = CrashMarker(-1), list[RunningTask]()
    marker.note("job", "before")

    def between() -> float:
        seen.append(marker.read())
        return 5.0

    monkeypatch.setattr("scoopi.worker.crash_marker.time", SimpleNamespace(monotonic=between))
    marker.note("job", "now")
    assert seen == [RunningTask()], "a parent that reads while it is written finds no task"
    assert marker.read() == RunningTask("job", "now", 5.0)


def mapped_markers() -> int:
    return Path("/proc/self/maps").read_text().count("scoopi-crash-marker")


def test_a_closed_marker_keeps_neither_its_memory_nor_its_descriptor() -> None:
    parent = CrashMarker.make()
    worker = CrashMarker(os.dup(parent.descriptor))
    while_open = mapped_markers()
    parent.close()
    worker.close()
    assert mapped_markers() <= while_open - 2
    for closed in (parent, worker):
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(closed.descriptor)


def test_a_marker_of_a_thread_has_no_descriptor_to_close() -> None:
    marker = CrashMarker(-1)
    marker.note("job", "task")
    marker.close()


def test_a_text_that_is_half_old_and_half_new_names_no_task() -> None:
    parent = CrashMarker.make()
    parent.note("job", "t\u00e4sk")
    os.pwrite(parent.descriptor, b"job\n\xc3\0", 8)  # a character is cut in two
    assert parent.read() == RunningTask()
    parent.note("job", "next")
    assert parent.read().task == "next"
    parent.close()
