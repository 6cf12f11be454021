"""RetryRounds: moves jobs into their wait for another attempt, and out of it when they are due."""

from __future__ import annotations

import logging
from collections.abc import Callable

from scoopi.mediator.held_jobs import HeldJobs
from scoopi.mediator.inboxes import JobInbox
from scoopi.store.jobs.waiting_jobs import WaitingJobs

log = logging.getLogger(__name__)


class RetryRounds:
    """Moves jobs into their wait for another attempt, and out of it when they are due.

    Belongs to the job runner's thread. If the store fails during a round, the next round repeats it.

    Args:
        on_postponed: called after jobs were moved into their wait.
    """

    def __init__(
        self,
        jobs: WaitingJobs,
        held: HeldJobs,
        inbox: JobInbox,
        on_postponed: Callable[[], None] = lambda: None,
    ) -> None:
        self._jobs = jobs
        self._held = held
        self._inbox = inbox
        self._on_postponed = on_postponed

    def postpone(self) -> None:
        """Write to the store that the jobs in the inbox wait, then stop holding them.

        Raises:
            StoreError: some may wait by now; call again.
        """
        inbox, queue = self._inbox, self._held.waiting
        while inbox.adopted:
            queue.add_missing(inbox.adopted.popleft())
        postponed = list(inbox.postponed)
        if not postponed:
            return
        queue.add(self._jobs.postpone(postponed))
        for _ in postponed:
            inbox.postponed.popleft()
        self._held.remove(job.id for job in postponed)
        self._on_postponed()

    def make_ready(self, *, is_over: bool = False) -> None:
        """Make the jobs that have waited for long enough ready in the store.

        Args:
            is_over: whether the run loads no further page, so that no job needs to wait.
        Raises:
            StoreError: some may be ready by now; call again.
        """
        queue = self._held.waiting
        if due := queue.due(is_over=is_over):
            self._jobs.make_ready(list(due))
            self._inbox.has_new(dict.fromkeys(due.values()))
            queue.remove(due)
