"""TakenJobRules: which jobs the job runner takes, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from scoopi.appenders.appender import JobResult
from scoopi.mediator.budgets.page_budgets import NO_BUDGETS, PageBudgets, ShareBudgets
from scoopi.mediator.budgets.page_limit import NO_LIMIT, PageLimit
from scoopi.model.job import JobPayload
from scoopi.politeness.host_pauses import HostPauses
from scoopi.politeness.robots.robots_cache import RobotsCache


class TakenJobRules(msgspec.Struct, frozen=True):
    """Decides which jobs are taken, and what becomes of them.

    Attributes:
        max_takes: a job taken back from dead nodes more often than this fails without being run.
        is_archived: whether the archive has the page of a job, and it is fresh enough.
        end: receives the result of a job that fails, or is skipped, without being run.
        limit: how many pages the run may load, by `--limit`.
        budgets: of the run, its groups and its hosts.
        has_room: whether `end` may be called for many jobs now.
        share_budgets: called in each round; see `ShareBudgets`.
        on_postponed: called after jobs were moved into their wait for another attempt.
        robots: knows the robots.txt of the hosts; None: none is read.
        pauses: keeps the pauses of hosts for `resume`; None in a cluster, where the hosts' records have it.
    """

    max_takes: int
    is_archived: Callable[[JobPayload], bool]
    end: Callable[[JobResult], None]
    on_postponed: Callable[[], None] = lambda: None
    robots: RobotsCache | None = None
    pauses: HostPauses | None = None
    limit: PageLimit = NO_LIMIT
    budgets: PageBudgets = NO_BUDGETS
    has_room: Callable[[], bool] = lambda: True
    share_budgets: ShareBudgets = lambda *, at_once: None
