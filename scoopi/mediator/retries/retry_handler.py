"""RetryHandler: decides which failed loads are tried again, and when."""

from __future__ import annotations

import logging
from collections.abc import Callable
from random import random

import msgspec

from scoopi.errors import LoadFault
from scoopi.mediator.budgets.page_budgets import NO_BUDGETS, PageBudgets
from scoopi.mediator.held_jobs import NOT_SAFE, Pending
from scoopi.mediator.inboxes import JobInbox
from scoopi.mediator.retries.retry_budget import RetryBudget
from scoopi.model.decoders import msgpack_decoder
from scoopi.model.job import Frame
from scoopi.model.limits.retry_policy import RetryPolicy
from scoopi.store.jobs.job_records import Postponed, TakenJob
from scoopi.worker.messages import NETWORK, Result

log = logging.getLogger(__name__)


class RetryHandler:
    """Decides which failed loads are tried again, and when.

    Belongs to the task runner's thread.

    Args:
        policy_of: the policy of a host, `host:port`.
        inbox: passes jobs to be tried again to the job runner.
        pages: the budgets of pages and bytes; failures are final once they are used up.
        random: returns a number from 0 (included) to 1 (excluded).
    """

    def __init__(
        self,
        policy_of: Callable[[str], RetryPolicy],
        budget: RetryBudget,
        inbox: JobInbox,
        pages: PageBudgets = NO_BUDGETS,
        random: Callable[[], float] = random,
    ) -> None:
        self._policy_of = policy_of
        self._budget = budget
        self._inbox = inbox
        self._pages = pages
        self._random = random

    def count(self, pending: Pending, result: Result) -> None:
        """Count the bytes that the job's page has brought from the network."""
        seen = result.seen
        if seen is not None and seen.source == NETWORK:
            self._pages.received(pending.taken, seen.size_bytes)

    def final(self, pending: Pending, result: Result) -> Result | None:
        """Return the result if it ends its job; None if the job is to be tried again, for which it is queued.

        A final result says why a budget, or a request that must not be repeated, has prevented a retry.
        """
        fault, taken = result.fault, pending.taken
        if fault is None or not fault.is_transient:
            return result
        policy, tried = self._policy_of(taken.host), len(taken.tried)
        unsafe = _why_unsafe(taken, fault)
        if not unsafe and not policy.allows(fault, tried):
            return result
        why = unsafe or self._pages.late(taken) or self._budget.spend(taken.host, policy.per_host)
        if why:
            return _with_note(result, why)
        self._postpone(taken, fault, policy.wait_ms(fault, tried, self._random))
        return None

    def _postpone(self, taken: TakenJob, fault: LoadFault, wait_ms: int) -> None:
        """Have the store keep the job until it is tried again."""
        wait_s = wait_ms / 1000
        fields = {"event": "retry", "job": taken.id, "reason": fault.reason, "wait_s": wait_s}
        log.info(
            "job %s: %s, tried again in %.1f s", taken.id, fault.reason, wait_s, extra={"fields": fields}
        )
        self._inbox.postpone(Postponed(taken.id, taken.fence, wait_ms, fault.reason))


def _why_unsafe(taken: TakenJob, fault: LoadFault) -> str:
    """Why the request must not be sent again; empty if it may."""
    request = taken.payload.locator.request
    return NOT_SAFE if fault.was_sent and request is not None and not request.is_repeatable else ""


def _with_note(result: Result, why: str) -> Result:
    """The result whose failures say why they were not tried again."""
    frame = msgpack_decoder(Frame).decode(result.body)
    failures = tuple(
        msgspec.structs.replace(
            each, cause=f"{each.cause}; not tried again: {why}", message=f"{each.message}; {why}"
        )
        for each in frame.failures
    )
    body = msgspec.msgpack.encode(msgspec.structs.replace(frame, failures=failures))
    return msgspec.structs.replace(result, body=body, failures=failures)
