"""JobInbox, TaskInbox: what other threads pass to the job runner and to the task runner."""

from __future__ import annotations

import math
import os
import select
import threading
from collections import deque
from collections.abc import Callable, Iterable

from scoopi.mediator.held_jobs import Pending
from scoopi.store.jobs.job_records import Postponed, TakenJob, WaitingJob


class JobInbox:
    """Requests of other threads to the job runner.

    Any thread may write to it; the job runner's thread reads.

    Attributes:
        to_hand_back: batches of jobs to be handed back to the store, the oldest first.
        postponed: jobs that failed and are to be tried again.
        adopted: batches of jobs that, according to the store, wait at this node for another attempt.
        sending: jobs whose requests are sent once it is noted in the store.
        cancelled: is set when no more jobs are to be taken.
        stopped: is set when the job runner is to end.
    """

    def __init__(self) -> None:
        self.to_hand_back: deque[list[Pending]] = deque()
        self.postponed: deque[Postponed] = deque()
        self.adopted: deque[list[WaitingJob]] = deque()
        self.sending: deque[TakenJob] = deque()
        self.cancelled = threading.Event()
        self.stopped = threading.Event()
        self._new_hosts: deque[str] = deque()
        self._wakeup = threading.Event()

    def wake(self) -> None:
        """Wake the job runner: this node has room for more jobs, or there are jobs to be taken."""
        self._wakeup.set()

    def has_new(self, hosts: Iterable[str]) -> None:
        """Notify the job runner that jobs of these hosts were put into the store."""
        self._new_hosts.extend(hosts)
        self._wakeup.set()

    def hand_back(self, jobs: list[Pending]) -> None:
        """Hand these jobs back to the store, soon."""
        self.to_hand_back.append(jobs)
        self._wakeup.set()

    def postpone(self, job: Postponed) -> None:
        """Have the store keep a job whose attempt failed until it is tried again."""
        self.postponed.append(job)
        self._wakeup.set()

    def note_sending(self, jobs: list[TakenJob]) -> None:
        """Note in the store, soon, that the requests of these jobs are about to be sent."""
        self.sending.extend(jobs)
        self._wakeup.set()

    def adopt(self, jobs: list[WaitingJob]) -> None:
        """Have jobs that waited at a dead node wait at this one."""
        self.adopted.append(jobs)
        self._wakeup.set()

    def cancel(self) -> None:
        """Have the job runner take no more jobs."""
        self.cancelled.set()
        self._wakeup.set()

    def stop(self) -> None:
        """Have the job runner end once `to_hand_back` and `postponed` are written to the store."""
        self.stopped.set()
        self.cancel()

    def wait(self, longest_s: float) -> bool:
        """Wait for a wake-up, at most `longest_s` seconds, and return whether one came."""
        woken = self._wakeup.wait(timeout=longest_s)
        self._wakeup.clear()
        return woken

    def take_new_hosts(self) -> list[str]:
        """The hosts that got new jobs since the last call."""
        return [self._new_hosts.popleft() for _ in range(len(self._new_hosts))]


class TaskInbox:
    """Calls that other threads have the task runner's thread make.

    `post` and `wake` may be called from any thread; everything else belongs to the task runner's thread, the
    loop.

    Attributes:
        descriptor: a file descriptor that is readable after a wake-up; for the loop's selector.
    """

    def __init__(self) -> None:
        self._calls: deque[Callable[[], None]] = deque()
        self._lock = threading.Lock()
        self._is_closed = False
        self.descriptor = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._poll = select.poll()  # select.select does not accept descriptors above 1023
        self._poll.register(self.descriptor, select.POLLIN)

    def __len__(self) -> int:
        return len(self._calls)

    def post(self, call: Callable[[], None]) -> None:
        """Have the loop make the call, soon; after `close` this does nothing."""
        with self._lock:
            if not self._is_closed:  # else the descriptor may belong to another file by now
                self._calls.append(call)
                os.eventfd_write(self.descriptor, 1)

    def wake(self) -> None:
        """Wake the loop, as there is room for results again."""
        self.post(lambda: None)

    def run_posted(self) -> None:
        """Make the posted calls, in order."""
        while self._calls:
            self._calls.popleft()()

    def wait(self, longest_s: float) -> None:
        """Wait for a wake-up, at most `longest_s` seconds."""
        self._poll.poll(math.ceil(longest_s * 1000))

    def clear_wakeup(self) -> None:
        """Make the descriptor unreadable until the next wake-up."""
        try:
            os.eventfd_read(self.descriptor)
        except BlockingIOError:
            return

    def close(self) -> None:
        """Close the descriptor, and accept no more calls."""
        with self._lock:
            self._is_closed = True
            os.close(self.descriptor)
