"""JobRunner: takes jobs from the store while this node has room for them."""

from __future__ import annotations

import logging
import math
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from scoopi.mediator.held_jobs import NOT_SAFE, HeldJobs, Pending, failed_result, failure_of, skipped_result
from scoopi.mediator.inboxes import JobInbox
from scoopi.mediator.retries.retry_rounds import RetryRounds
from scoopi.mediator.taken_job_rules import TakenJobRules
from scoopi.mediator.task_mediator import TaskMediator
from scoopi.politeness.shared_hosts import ROUND_S, SharedHosts
from scoopi.store.jobs.job_records import TakenJob
from scoopi.store.jobs.job_store import JobStore
from scoopi.store.retries import FIRST_PAUSE_S
from scoopi.store.store_outage import StoreOutage

log = logging.getLogger(__name__)

PAUSE_A_HOST_S = 2e-5
"""Seconds of a pause after each poll, for each host; the jobs taken in advance last longer."""
LONGEST_PAUSE_S = 0.5
HOSTS_AT_ONCE = 128
"""The most hosts whose jobs are taken together."""
JOBS_AT_ONCE = 2048
"""The most jobs of all hosts whose jobs are taken together."""
ROUND_PAUSE_S = 0.02
"""Seconds between two rounds without a poll of all hosts: robots.txt and retries do not wait for a poll."""
SWEEP_S = 1.0
"""Seconds between two sweeps of all hosts, whatever the wake-ups."""
SWEEP_SHARE = 0.03
"""The part of the time that sweeps may take."""


class JobRunner:
    """Takes jobs from the store while this node has room for them.

    One thread; wake-ups make it fast, the periodic sweep makes it complete.

    Args:
        shared: how this node shares hosts with others; None when it has all of them.
    """

    def __init__(
        self,
        jobs: JobStore,
        tasks: TaskMediator,
        held: HeldJobs,
        inbox: JobInbox,
        rules: TakenJobRules,
        shared: SharedHosts | None = None,
    ) -> None:
        self._jobs = jobs
        self._tasks = tasks
        self._held = held
        self._inbox = inbox
        self._rules = rules
        self._shared = shared
        self._retries = RetryRounds(jobs.waiting, held, inbox, rules.on_postponed)
        self._outage = StoreOutage.of("job runner")
        self._hosts: dict[str, None] = {}
        self._dry: set[str] = set()
        self._sweep_at, self._poll_at, self._skips = -math.inf, -math.inf, False

    def run(self) -> None:
        """Take jobs from the store, and hand jobs back to it, until stopped."""
        wants_poll = False
        while True:
            self._wait(wants_poll)
            wants_poll = has_failed = True
            with self._outage.retried_next_round():
                self._keep_up()
                if not self._poll_in() or self._inbox.cancelled.is_set():
                    wants_poll = False
                    self._poll()
                    self._outage.over()
                has_failed = False
            if has_failed:
                self._poll_at = time.monotonic() + FIRST_PAUSE_S
            if self._inbox.stopped.is_set() and not (self._inbox.to_hand_back or self._inbox.postponed):
                with self._outage.retried_next_round():
                    self._rules.share_budgets(at_once=True)
                return
            self._inbox.cancelled.wait(timeout=min(self._poll_in(), ROUND_PAUSE_S))

    def _keep_up(self) -> None:
        """Do what each round does before a poll: hand back, note, postpone, and read robots.txt."""
        self._hand_back()
        if self._rules.pauses is not None:
            self._rules.pauses.round()
        self._find_robots()
        self._retries.postpone()
        self._note_sending()
        self._rules.share_budgets(at_once=False)
        if not self._inbox.cancelled.is_set():
            self._retries.make_ready(is_over=self._rules.budgets.is_run_over())
            self._add_hosts(self._inbox.take_new_hosts())

    def _find_robots(self) -> None:
        if self._rules.robots is not None:
            self._rules.robots.round()

    def _poll_in(self) -> float:
        """Seconds until all hosts may be polled again."""
        return max(0.0, self._poll_at - time.monotonic())

    def _poll(self) -> None:
        """Take the jobs of all hosts; with very many of them, only from time to time."""
        if self._shared is not None:
            self._share_and_take(self._shared)
        elif not self._inbox.cancelled.is_set():
            began = time.monotonic()
            sweeps = began >= self._sweep_at or not self._hosts
            self._take(sweeps)
            if sweeps:
                self._sweep_at = began + max(SWEEP_S, (time.monotonic() - began) / SWEEP_SHARE)
        self._poll_at = time.monotonic() + min(LONGEST_PAUSE_S, len(self._hosts) * PAUSE_A_HOST_S)

    def _wait(self, wants_poll: bool) -> None:
        """Wait for a wake-up, a retry, or the time of a sweep, or of a poll that was not due yet."""
        # Of jobs that are skipped, no worker announces that it wants more.
        pause_s = ROUND_PAUSE_S if self._skips else ROUND_S if self._shared else SWEEP_S
        poll_in = self._poll_in() if wants_poll else math.inf
        self._inbox.wait(min(pause_s, self._held.waiting.next_in(), poll_in))

    def _hand_back(self) -> None:
        while self._inbox.to_hand_back:
            jobs = self._inbox.to_hand_back[0]
            self._jobs.hand_back([pending.taken for pending in jobs])
            self._rules.limit.add(-len(jobs))
            self._rules.budgets.uncount([pending.taken for pending in jobs])
            self._inbox.to_hand_back.popleft()
            self._held.remove([pending.taken.id for pending in jobs])

    def _note_sending(self) -> None:
        if sending := list(self._inbox.sending):
            noted = self._jobs.sending.note(sending)
            for _ in sending:
                self._inbox.sending.popleft()
            self._tasks.may_send(noted)

    def _add_hosts(self, hosts: Sequence[str]) -> None:
        self._know_hosts(hosts)
        self._dry.difference_update(hosts)

    def _know_hosts(self, hosts: Iterable[str]) -> None:
        """Put new hosts last, in random order: those that do not answer are often neighbours."""
        new = [host for host in hosts if host not in self._hosts]
        random.shuffle(new)
        self._hosts.update(dict.fromkeys(new))

    def _take(self, sweep: bool) -> None:
        if self._skips and not self._rules.has_room():
            return
        self._skips = False
        if sweep:
            self._dry.clear()
            self._know_hosts(self._jobs.hosts())
        wants: dict[str, int] = {}
        for host in self._awake():
            if self._shared is not None and not self._shared.may_take(host):
                continue
            wanted = self._wanted(host)
            if wanted > 0:
                wants[host] = wanted if self._shared is None else self._shared.part(host, wanted)
            if len(wants) >= HOSTS_AT_ONCE:
                self._take_of(wants)
                self._find_robots()  # polling very many hosts takes seconds
                wants = {}
        self._take_of(wants)

    def _wanted(self, host: str) -> int:
        """How many jobs of the host this node has room for; what is skipped needs none in a worker."""
        if self._rules.budgets.is_host_over(host):
            return JOBS_AT_ONCE if self._rules.has_room() else 0
        return self._tasks.wanted(host)

    def _take_of(self, wants: Mapping[str, int]) -> None:
        """Take jobs of several hosts together: if many hosts have few jobs each, store calls cost most."""
        together: dict[int, list[str]] = {}
        most = max(1, JOBS_AT_ONCE // max(1, len(wants)))
        for host, wanted in wants.items():
            together.setdefault(min(wanted, most), []).append(host)
        for wanted, hosts in together.items():
            if self._rules.limit.cut(wanted * len(hosts)) == wanted * len(hosts):
                self._take_from(hosts, wanted)
            else:
                for host in hosts:
                    self._take_from([host], self._rules.limit.cut(wanted))

    def _awake(self) -> Iterator[str]:
        """Hosts that may have jobs; none after a cancel."""
        for host in list(self._hosts):
            if self._inbox.cancelled.is_set():
                return
            if host not in self._dry:
                yield host

    def _share_and_take(self, shared: SharedHosts) -> None:
        if shared.is_due():
            if shared.is_sweep_due():
                self._dry.clear()
            # Take first from the hosts that this node has, to learn which of them have no jobs left.
            self._take(sweep=False)
            is_first = not self._hosts
            self._dry |= shared.round(list(self._awake()))
            self._know_hosts(shared.hosts())
            if is_first and self._hosts:  # hosts that this round has found are asked for at once
                self._dry |= shared.round(list(self._awake()))
        self._take(sweep=False)

    def _take_from(self, hosts: Sequence[str], wanted: int) -> None:
        """Take up to `wanted` jobs of each host."""
        if not wanted or self._inbox.cancelled.is_set():
            return
        self._dry.update(hosts)
        with self._held.taking() as begin:
            taken = self._jobs.take_each(hosts, wanted, begin)
            self._held.add(job.id for job in taken)
        self._rules.limit.add(len(taken))
        counts = Counter(job.host for job in taken)
        self._dry.difference_update(host for host in hosts if counts[host] >= wanted)
        sent = [job for job in taken if job.sent]
        self._fail(sent, "the process that loaded the page has crashed", NOT_SAFE)
        unsent = [job for job in taken if not job.sent]
        lost = [job for job in unsent if job.lost > self._rules.max_takes]
        hint = f"it was taken back {self._rules.max_takes + 1} times; look at what its page does to a node"
        self._fail(lost, "the job was lost with its node too often", hint)
        fit = self._within_budgets([job for job in unsent if job.lost <= self._rules.max_takes])
        if fit:
            self._tasks.push([Pending(job, archived=self._rules.is_archived(job.payload)) for job in fit])
        for host in hosts:
            if counts[host] < wanted:
                self._refill(host)
        if fit and self._rules.budgets.are_set:
            self._rules.share_budgets(at_once=True)  # else jobs lost with this process are counted again

    def _within_budgets(self, jobs: list[TakenJob]) -> list[TakenJob]:
        """The jobs that the budgets allow; the others end."""
        budgets = self._rules.budgets
        if not budgets.are_set:
            return jobs
        fit = []
        for job in jobs:
            if not (why := budgets.refuse(job)):
                fit.append(job)
            elif job.tried:
                self._fail([job], f"loader: {job.tried[-1]}; not tried again: {why}", "")
            else:
                self._rules.end(skipped_result(job, failure_of(job, why, "raise the budget to load more")))
        self._skips |= len(fit) < len(jobs)
        return fit

    def _refill(self, host: str) -> None:
        """Unpack seeded jobs of the host, if some still wait in packs."""
        with self._held.taking() as begin:
            unpacked = self._jobs.unpack(host, begin)
        if unpacked:
            log.info("%d more jobs of %s are ready", unpacked, host)
            self._inbox.has_new([host])

    def _fail(self, jobs: Sequence[TakenJob], cause: str, hint: str) -> None:
        for job in jobs:
            self._rules.end(failed_result(job, (failure_of(job, cause, hint),)))
