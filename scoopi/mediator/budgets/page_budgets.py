"""PageBudgets: how much of their budgets a run, its groups and its hosts have left."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec

from scoopi.model.limits.budget import NO_BUDGET, Budget
from scoopi.store.pages.job_records import TakenJob
from scoopi.store.runs.shared_counts import SharedCounts

log = logging.getLogger(__name__)

MOST_NAMED = 100
_PAGES, _BYTES = "pages", "bytes"
_USED_UP = "used up: "
"""Prefix, among the shared counts, of a sentence about a budget that is used up."""


class BudgetRules(msgspec.Struct, frozen=True):
    """The budgets of a run.

    Attributes:
        groups: of task groups, by name; only those that have one.
        of_host: of each host, `host:port`.
        has_hosts: whether any host has one.
    """

    run: Budget = NO_BUDGET
    groups: Mapping[str, Budget] = {}
    of_host: Callable[[str], Budget] = lambda host: NO_BUDGET
    has_hosts: bool = False

    @property
    def are_set(self) -> bool:
        """Whether anything is limited."""
        return self.run.is_set or bool(self.groups) or self.has_hosts


class _Scope(msgspec.Struct, frozen=True):
    """What has a budget: its key in counts, and its name in sentences."""

    key: str
    owner: str
    budget: Budget


class PageBudgets:
    """Counts the pages and bytes that a run, its groups and its hosts have taken, and their time.

    A page is counted when its job is taken, and its bytes when it was received. Jobs are taken in advance, so
    time and bytes are looked at again before a page is begun. Other nodes report once a second, so all nodes
    together may exceed a budget by what they take in a second.

    The job runner's thread asks when it takes jobs; the task runner's before they begin, and it counts bytes.

    Args:
        clock: seconds, monotonic; the time of a run begins now, that of a group or host with its first page.
    """

    def __init__(self, rules: BudgetRules, clock: Callable[[], float] = time.monotonic) -> None:
        self.are_set = rules.are_set
        self._rules = rules
        self._clock = clock
        self._run = _Scope("", "the run", rules.run)
        self._began: dict[str, float] = {"": clock()}
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._others: Mapping[str, int] = {}
        self._used_up: dict[str, None] = {}

    def is_run_over(self) -> bool:
        """Whether the run may load no further page."""
        return bool(self._spent(self._run))

    def is_host_over(self, host: str) -> bool:
        """Whether no further page of the host may be loaded."""
        if not self.are_set:
            return False
        return self.is_run_over() or bool(self._spent(self._scope_of_host(host)))

    def refuse(self, job: TakenJob) -> str:
        """Count a job that was taken, if the budgets allow it to load its page.

        A job that was counted before, as it was tried or was lost with its node, is not counted again.

        Returns:
            Empty if it may; else which budget is used up, in words.
        """
        is_new = not (job.tried or job.lost)
        scopes = list(self._scopes(job))
        for scope in scopes:
            if words := self._spent(scope, with_pages=is_new) or self._too_deep(scope, job):
                return words
        if is_new:
            self._add(scopes, _PAGES, 1)
        return ""

    def late(self, job: TakenJob) -> str:
        """Which budget forbids to begin a page that was counted when it was taken, or to try it again.

        Returns:
            Its sentence; empty if none does.
        """
        if not self.are_set:
            return ""
        return next(filter(None, (self._spent(each, with_pages=False) for each in self._scopes(job))), "")

    def begin(self, job: TakenJob) -> None:
        """Note that a page is being loaded: with the first one the time of its group and host begins."""
        if self.are_set:
            for scope in self._scopes(job):
                self._began.setdefault(scope.key, self._clock())

    def give_back(self, jobs: Iterable[TakenJob]) -> None:
        """Uncount jobs that were handed back without being run."""
        for job in jobs:
            if not (job.tried or job.lost):
                self._add(self._scopes(job), _PAGES, -1)

    def received(self, job: TakenJob, size: int) -> None:
        """Count the bytes of a page that was received; `size` is in bytes."""
        self._add(self._scopes(job), _BYTES, size)

    def share(self, counts: SharedCounts, is_last: bool = False) -> None:
        """Write the counts of this process to the store and read those of others, once a period.

        Args:
            is_last: do it now, whenever it was done last.
        Raises:
            StoreError: the store does not answer; the next call does it.
        """
        if self.are_set and (is_last or counts.is_due()):
            with self._lock:
                own = dict(self._counts)
            counts.keep(own | {f"{_USED_UP}{each}": 1 for each in self._own_used_up()})
            others = counts.others()
            with self._lock:
                self._others = others

    def used_up(self) -> tuple[str, ...]:
        """The first budgets that this process, other nodes or earlier processes have found used up, in words.

        Callable from any thread.
        """
        with self._lock:
            others = self._others
        found = (each.removeprefix(_USED_UP) for each in others if each.startswith(_USED_UP))
        return tuple(dict.fromkeys((*self._own_used_up(), *sorted(found))))[:MOST_NAMED]

    def _own_used_up(self) -> list[str]:
        return list(self._used_up)[:MOST_NAMED]

    def _scopes(self, job: TakenJob) -> Iterator[_Scope]:
        if self._rules.run.is_set:
            yield self._run
        group = job.payload.locator.group
        if group in self._rules.groups:
            yield _Scope(f"g/{group}", f"the group {group}", self._rules.groups[group])
        if self._rules.has_hosts and (scope := self._scope_of_host(job.host)).budget.is_set:
            yield scope

    def _scope_of_host(self, host: str) -> _Scope:
        return _Scope(f"h/{host}", host, self._rules.of_host(host))

    def _spent(self, scope: _Scope, with_pages: bool = True) -> str:
        """Which of its budgets is used up, in words; empty if none."""
        budget, words = scope.budget, ""
        if not budget.is_set:
            return ""
        if with_pages and budget.pages and self._count(scope, _PAGES) >= budget.pages:
            words = f"{budget.pages:,} {_plural('page', budget.pages)}"
        elif budget.bytes and self._count(scope, _BYTES) >= budget.bytes:
            words = f"{budget.bytes:,} {_plural('byte', budget.bytes)}"
        elif budget.seconds and self._clock() - self._began.get(scope.key, self._clock()) >= budget.seconds:
            words = f"{budget.seconds:,} {_plural('second', budget.seconds)}"
        return self._noted(scope, words) if words else ""

    def _too_deep(self, scope: _Scope, job: TakenJob) -> str:
        depth = scope.budget.depth
        is_beyond = depth and job.payload.links > depth
        return self._noted(scope, f"{depth:,} {_plural('link', depth)} in depth") if is_beyond else ""

    def _noted(self, scope: _Scope, words: str) -> str:
        """The sentence about a budget that is used up, which is remembered."""
        sentence = f"{_whose(scope)} budget of {words} is used up"
        if sentence not in self._used_up:
            self._used_up[sentence] = None
            log.warning("%s: its other pages are skipped", sentence)
        return sentence

    def _count(self, scope: _Scope, what: str) -> int:
        key = f"{what}/{scope.key}"
        with self._lock:
            return self._counts[key] + self._others.get(key, 0)

    def _add(self, scopes: Iterable[_Scope], what: str, number: int) -> None:
        with self._lock:
            for scope in scopes:
                self._counts[f"{what}/{scope.key}"] += number


def _whose(scope: _Scope) -> str:
    return f"{scope.owner}'s"


def _plural(word: str, number: int) -> str:
    return word if number == 1 else f"{word}s"


NO_BUDGETS = PageBudgets(BudgetRules())
