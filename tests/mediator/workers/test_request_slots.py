"""RequestSlots: how many requests a worker has in flight, and to which hosts."""

from __future__ import annotations

import itertools
import math
import resource

import pytest

from scoopi.mediator.workers.request_slots import (
    MOST_STALLED,
    ROBOTS_A_PAGE,
    STALLED_LEAST_S,
    STALLED_MOST_S,
    RequestSlots,
    most_stalled,
)
from scoopi.politeness.standing import Standing
from tests.clock import Clock

HOST = "site.example:80"
MOST, FEW_STALLED = 8, 40


class Filled:
    """Slots that are filled as long as there is room."""

    def __init__(self, most_stalled: int = FEW_STALLED) -> None:
        self.clock = Clock()
        self.slots = RequestSlots(MOST, most_stalled, self.clock)
        self._numbers = itertools.count()

    def fill(self, standing: Standing, is_robots: bool = False) -> list[str]:
        """Jobs with a request, to hosts of that standing, until there is no room for another."""
        jobs = []
        while self.slots.has_room(standing, is_robots):
            jobs.append(str(next(self._numbers)))
            self.slots.begin(jobs[-1], HOST, standing, is_robots)
        return jobs

    def stall(self) -> None:
        """Let the time pass after which requests stall."""
        self.clock.now += STALLED_MOST_S + 0.01


def test_some_slots_are_reserved_for_hosts_that_answer() -> None:
    filled = Filled()
    silent = filled.fill(Standing.SILENT)
    unknown = filled.fill(Standing.UNKNOWN)
    answering = filled.fill(Standing.ANSWERS)
    assert (len(silent), len(unknown), len(answering)) == (2, 4, 2), (
        "a quarter is left if all others are dead"
    )
    filled.slots.end(silent[0])
    assert len(filled.fill(Standing.SILENT)) == 1, "as much room as a request has taken"
    filled.slots.end(answering[0])
    assert len(filled.fill(Standing.ANSWERS)) == 1


def test_requests_that_hosts_never_answered_make_room_when_they_stall() -> None:
    filled = Filled()
    assert (len(filled.fill(Standing.UNKNOWN)), len(filled.fill(Standing.ANSWERS))) == (6, 2)
    assert filled.slots.stalls_in() == pytest.approx(STALLED_LEAST_S), "nothing is known of the hosts yet"
    filled.slots.adapt(MOST, 10.0)
    assert filled.slots.stalls_in() == pytest.approx(STALLED_MOST_S)
    filled.stall()
    assert filled.slots.stalls_in() == 0
    assert filled.slots.total == MOST + 6
    assert len(filled.fill(Standing.UNKNOWN)) == 6
    assert filled.fill(Standing.ANSWERS) == [], "hosts that answer do not stall"


def test_there_is_room_for_another_when_the_time_until_a_stall_is_over() -> None:
    filled = Filled()
    filled.fill(Standing.UNKNOWN)
    filled.clock.now += filled.slots.stalls_in()
    assert filled.slots.has_room(Standing.UNKNOWN), "or a loop that wakes up then finds none"


def test_no_more_requests_than_so_many_are_stalled() -> None:
    filled = Filled()
    first = filled.fill(Standing.UNKNOWN)
    for _ in range(FEW_STALLED):
        filled.stall()
        filled.fill(Standing.UNKNOWN)
    assert filled.slots.total == MOST + FEW_STALLED
    assert filled.slots.stalls_in() == math.inf
    filled.slots.end(first[0])
    assert len(filled.fill(Standing.UNKNOWN)) == 1, "an answer to one of them makes room, too"


def test_requests_for_robots_txt_and_for_pages_hold_up_none_of_each_other() -> None:
    filled = Filled()
    assert len(filled.fill(Standing.UNKNOWN, is_robots=True)) == 0.75 * ROBOTS_A_PAGE * MOST
    assert len(filled.fill(Standing.ANSWERS)) == MOST
    assert len(filled.fill(Standing.ANSWERS, is_robots=True)) == 0.25 * ROBOTS_A_PAGE * MOST


def test_requests_for_robots_txt_do_not_become_fewer_when_steps_are_slow() -> None:
    filled = Filled()
    filled.slots.adapt(1, 0.01)
    assert len(filled.fill(Standing.ANSWERS)) == 1
    assert len(filled.fill(Standing.ANSWERS, is_robots=True)) == ROBOTS_A_PAGE * MOST


def test_stalled_requests_for_robots_txt_are_counted_until_they_are_answered() -> None:
    filled = Filled()
    pages = filled.fill(Standing.UNKNOWN)
    files = filled.fill(Standing.UNKNOWN, is_robots=True)
    assert filled.slots.stalled_robots == 0
    filled.stall()
    assert filled.slots.stalls_in() == 0
    assert filled.slots.stalled_robots == len(files)
    for job in [*pages, *files, "never begun"]:
        filled.slots.end(job)
    assert (filled.slots.stalled_robots, filled.slots.total, filled.slots.hosts) == (0, MOST, {})


def test_a_further_request_of_a_job_takes_one_slot() -> None:
    filled = Filled()
    for _ in range(MOST):
        filled.slots.begin_next("moved", HOST)
        filled.slots.begin_next("moved", "other.example:80")
    assert filled.slots.hosts == {"moved": "other.example:80"}
    assert len(filled.fill(Standing.ANSWERS)) == MOST - 1


@pytest.mark.parametrize(("files", "expected"), [(20_000, MOST_STALLED), (1024, 512), (256, 128)])
def test_stalled_requests_take_half_of_the_files_at_most(
    monkeypatch: pytest.MonkeyPatch, files: int, expected: int
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (files, resource.RLIM_INFINITY))
    assert most_stalled() == expected


def test_stalled_requests_leave_the_reserved_slots_as_they_are() -> None:
    filled = Filled()
    for _ in range(3):
        counts = [len(filled.fill(each)) for each in (Standing.SILENT, Standing.UNKNOWN)]
        assert counts == [2, 4]
        filled.stall()
        assert filled.slots.stalls_in() == 0
