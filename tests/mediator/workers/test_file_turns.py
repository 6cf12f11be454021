"""FileTurns: one job of a node asks for a file, and the others wait until its request has ended."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scoopi.mediator.task_queues import GrantRequest
from scoopi.mediator.workers.file_turns import FileTurns
from scoopi.mediator.workers.worker_pool import PoolWorker
from scoopi.worker.messages import FileSettled
from tests.mediator.played_node import PlayedWorker

FILE = "http://one.example/a.jpg"


class TwoWorkers:
    """Two workers, and who of their jobs was notified."""

    def __init__(self) -> None:
        self.links = PlayedWorker(), PlayedWorker()
        self.workers = tuple(PoolWorker(link, 4) for link in self.links)
        self.turns = FileTurns()

    def asks(self, job: str, worker: int = 0, file: str = FILE) -> bool:
        """Whether the job may ask for the file now."""
        request = GrantRequest(self.workers[worker], job, file, public_only=False, file=file)
        if self.turns.waits(request):
            return False
        self.turns.begin(request)
        return True

    def notified(self, worker: int = 0) -> list[str]:
        """The jobs of a worker that were notified since the last call."""
        jobs = []
        while not self.links[worker].is_sent_nothing():
            message = self.links[worker].hears()
            assert isinstance(message, FileSettled)
            jobs.append(message.job)
        return jobs


@pytest.fixture
def two() -> Iterator[TwoWorkers]:
    two = TwoWorkers()
    yield two
    for link in two.links:
        link.kill()
        link.reap()


def test_jobs_of_all_workers_wait_for_the_first_one_and_are_notified_once(two: TwoWorkers) -> None:
    assert [two.asks("a"), two.asks("b"), two.asks("c", 1)] == [True, False, False]
    assert (two.notified(0), two.notified(1)) == ([], [])
    two.turns.end("a")
    assert (two.notified(0), two.notified(1)) == (["b"], ["c"])
    two.turns.end("a")
    assert (two.notified(0), two.notified(1)) == ([], [])


def test_a_redirect_of_the_first_job_does_not_wait_for_itself(two: TwoWorkers) -> None:
    assert [two.asks("a"), two.asks("a"), two.asks("b")] == [True, True, False]


def test_other_files_and_pages_do_not_wait(two: TwoWorkers) -> None:
    assert [two.asks("a"), two.asks("b", file=f"{FILE}?2"), two.asks("c", file="")] == [True] * 3
    assert two.asks("d", file="")


def test_after_the_end_one_of_those_that_waited_is_the_first(two: TwoWorkers) -> None:
    assert [two.asks("a"), two.asks("b"), two.asks("c", 1)] == [True, False, False]
    two.turns.end("a")
    assert [two.asks("c", 1), two.asks("b")] == [True, False]


def test_a_dead_worker_holds_no_file_and_its_waiting_jobs_are_not_notified(two: TwoWorkers) -> None:
    assert [two.asks("a"), two.asks("b"), two.asks("c", 1)] == [True, False, False]
    two.turns.forget(two.workers[0])
    assert (two.notified(0), two.notified(1)) == ([], ["c"])
    assert two.asks("c", 1)
