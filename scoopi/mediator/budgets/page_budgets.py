"""PageBudgets: how much of their budgets a run, its groups and its hosts have left."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

import msgspec

from scoopi.model.limits.budget import NO_BUDGET, Budget
from scoopi.store.jobs.job_records import TakenJob
from scoopi.store.runs.shared_counts import NOTHING_COUNTED, CountRecord, SharedCounts

log = logging.getLogger(__name__)

MOST_NAMED = 100
_PAGES, _BYTES, _BEGUN = "pages", "bytes", "begun"
_ID_LENGTH = 12
"""How many digits of a job's id are shared: enough to be unique among the jobs that nodes hold."""


class BudgetRules(msgspec.Struct, frozen=True):
    """The budgets of a run.

    Attributes:
        run: of the whole run.
        groups: of task groups, by name; groups without a budget are missing.
        of_host: returns the budget of a host, `host:port`.
        has_hosts: whether any host has a budget.
    """

    run: Budget = NO_BUDGET
    groups: Mapping[str, Budget] = {}
    of_host: Callable[[str], Budget] = lambda host: NO_BUDGET
    has_hosts: bool = False

    @property
    def are_set(self) -> bool:
        """Whether the run, a group or a host has a budget."""
        return self.run.is_set or bool(self.groups) or self.has_hosts


class ShareBudgets(Protocol):
    """Writes the counts of the budgets to the store: once a period, or at once."""

    def __call__(self, *, at_once: bool) -> None: ...


class _Scope(msgspec.Struct, frozen=True):
    """The run, a group or a host, with its budget, its key in the counts and its name in messages."""

    key: str
    owner: str
    budget: Budget


class PageBudgets:
    """Counts the pages and bytes that a run, its groups and its hosts have taken, and their time.

    A page is counted when its job is taken, and its bytes when it was received. Jobs are taken in advance, so
    time and bytes are looked at again before a page is begun. Other nodes report once a second, so all nodes
    together may exceed a budget by what they take in a second.

    The store also keeps the ids of the jobs that a process has counted and holds. If the process is killed,
    the next one does not count these again, and decides again on those that the first was about to skip.

    The job runner's thread calls `refuse`, `uncount` and `share`; the task runner's `late`, `begin` and
    `received`.

    Args:
        clock: monotonic seconds; the run's time begins with this object, a group's or host's with its first
            page.
    """

    def __init__(self, rules: BudgetRules, clock: Callable[[], float] = time.monotonic) -> None:
        self.are_set = rules.are_set
        self._rules = rules
        self._clock = clock
        self._run = _Scope("", "the run", rules.run)
        self._began: dict[str, float] = {"": clock()}
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._others = NOTHING_COUNTED
        self._used_up: dict[str, None] = {}
        self._held: set[str] = set()
        self._held_by_others: frozenset[str] = frozenset()
        self._ended_by: dict[str, tuple[_Scope, str]] = {}

    def is_run_over(self) -> bool:
        """Whether the budget of the whole run is used up, so that no further page may be loaded."""
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
            Empty if they allow it; else a sentence that names the budget which is used up.
        """
        held = job.id[:_ID_LENGTH]
        is_new = not (job.tried or held in self._held or held in self._held_by_others)
        scopes = list(self._scopes(job))
        if words := self._late(scopes):
            return words
        for scope in scopes:
            if words := (self._pages_spent(scope) if is_new else "") or self._too_deep(scope, job):
                return words
        if is_new:
            self._add(scopes, _PAGES, 1)
            if any(scope.budget.pages for scope in scopes):
                self._held.add(held)
        return ""

    def late(self, job: TakenJob) -> str:
        """Find the budget of time or bytes that forbids beginning, or retrying, a job that was taken.

        Returns:
            A sentence that names it; empty if no budget forbids it.
        """
        return self._late(list(self._scopes(job))) if self.are_set else ""

    def begin(self, job: TakenJob) -> None:
        """Note that a page is being loaded; the first one starts the time of its group and of its host."""
        if self.are_set:
            scopes = list(self._scopes(job))
            for scope in scopes:
                self._began.setdefault(scope.key, self._clock())
            if not job.tried:
                self._add(scopes, _BEGUN, 1)

    def uncount(self, jobs: Iterable[TakenJob]) -> None:
        """Uncount jobs that were handed back without being run."""
        for job in jobs:
            held = job.id[:_ID_LENGTH]
            if held in self._held and not job.tried:
                self._held.remove(held)
                self._add(self._scopes(job), _PAGES, -1)

    def received(self, job: TakenJob, size: int) -> None:
        """Count the bytes of a page that was received; `size` is in bytes."""
        self._add(self._scopes(job), _BYTES, size)

    def share(
        self,
        counts: SharedCounts,
        *,
        at_once: bool = False,
        held: Callable[[], Collection[str]] | None = None,
    ) -> None:
        """Write the counts of this process to the store and read those of others, once a period.

        Args:
            at_once: do it now, even if the period is not over.
            held: returns the ids of the jobs that this node holds, so that others are no longer kept as
                counted; None: all are kept.
        Raises:
            StoreError: the store does not answer; the next call tries again.
        """
        if self.are_set and (at_once or counts.is_due()):
            if self._held and held is not None:
                self._held.intersection_update(each[:_ID_LENGTH] for each in held())
            with self._lock:
                own = dict(self._counts)
            counts.keep(CountRecord(own, tuple(sorted(self._held)), tuple(self._own_used_up())))
            others = counts.others()
            self._held_by_others = frozenset(others.held)
            with self._lock:
                self._others = others

    def used_up(self) -> tuple[str, ...]:
        """Sentences on the budgets that this process, other nodes or earlier processes have found used up.

        Callable from any thread. At most MOST_NAMED, this process's first.
        """
        with self._lock:
            others = self._others
        return tuple(dict.fromkeys((*self._own_used_up(), *others.used_up)))[:MOST_NAMED]

    def reason(self, sentence: str) -> str:
        """Return the sentence on the budget that really ended the pages, given the one that refused them.

        A budget of pages refuses further jobs as soon as enough are taken. If a budget of time or bytes then
        ends some of these before they begin, that one is the reason: the pages were not used up.
        """
        scope, ended_by = self._ended_by.get(sentence, (self._run, sentence))
        return ended_by if self._count(scope, _BEGUN) < scope.budget.pages else sentence

    def _own_used_up(self) -> list[str]:
        return list(dict.fromkeys(map(self.reason, list(self._used_up))))[:MOST_NAMED]

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

    def _spent(self, scope: _Scope) -> str:
        """Which of its budgets is used up, in words; empty if none."""
        return self._late_of(scope) or self._pages_spent(scope)

    def _pages_spent(self, scope: _Scope) -> str:
        pages = scope.budget.pages
        return self._noted(scope, _of_pages(pages)) if pages and self._count(scope, _PAGES) >= pages else ""

    def _late_of(self, scope: _Scope) -> str:
        """Which budget of time or bytes is used up, in words; empty if none."""
        budget, words = scope.budget, ""
        if budget.bytes and self._count(scope, _BYTES) >= budget.bytes:
            words = f"{budget.bytes:,} {_plural('byte', budget.bytes)}"
        elif budget.seconds and self._clock() - self._began.get(scope.key, self._clock()) >= budget.seconds:
            words = f"{budget.seconds:,} {_plural('second', budget.seconds)}"
        return self._noted(scope, words) if words else ""

    def _late(self, scopes: Sequence[_Scope]) -> str:
        """The first budget of time or bytes that is used up, in words; it ends the pages of all of them."""
        words = next(filter(None, map(self._late_of, scopes)), "")
        if words:
            for scope in scopes:
                if scope.budget.pages:
                    sentence = _sentence(scope, _of_pages(scope.budget.pages))
                    self._ended_by.setdefault(sentence, (scope, words))
        return words

    def _too_deep(self, scope: _Scope, job: TakenJob) -> str:
        depth = scope.budget.depth
        is_beyond = depth and job.payload.links > depth
        return self._noted(scope, f"{depth:,} {_plural('link', depth)} in depth") if is_beyond else ""

    def _noted(self, scope: _Scope, words: str) -> str:
        """The sentence about a budget that is used up, which is remembered."""
        sentence = _sentence(scope, words)
        if sentence not in self._used_up:
            self._used_up[sentence] = None
            log.warning("%s: its other pages are skipped", sentence)
        return sentence

    def _count(self, scope: _Scope, what: str) -> int:
        key = f"{what}/{scope.key}"
        with self._lock:
            return self._counts[key] + self._others.counts.get(key, 0)

    def _add(self, scopes: Iterable[_Scope], what: str, number: int) -> None:
        with self._lock:
            for scope in scopes:
                self._counts[f"{what}/{scope.key}"] += number


def _sentence(scope: _Scope, words: str) -> str:
    return f"{scope.owner}'s budget of {words} is used up"


def _of_pages(number: int) -> str:
    return f"{number:,} {_plural('page', number)}"


def _plural(word: str, number: int) -> str:
    return word if number == 1 else f"{word}s"


NO_BUDGETS = PageBudgets(BudgetRules())
