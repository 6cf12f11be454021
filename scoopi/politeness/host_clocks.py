"""HostClocks: when a host may get its next request, what is in flight to it, and whether it answers."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import IntEnum

import msgspec

from scoopi.configs.groups import PolitenessSettings
from scoopi.errors import LoadFault
from scoopi.model.handover import Grant
from scoopi.model.sites import LimitsByHost
from scoopi.politeness.host_health import ROW_FOR_REST, HostHealth, is_of_host
from scoopi.politeness.host_share_memory import Share
from scoopi.politeness.host_shares import HostShares
from scoopi.politeness.request_log import ERROR, REST, ROBOTS, SLEEP, RequestLog

FILE_HOST = "file"
GRANT_S = 2.0
"""How long a grant is valid; a worker that is later asks for another."""
SHARE_POLL_S = 0.1
"""Seconds after which a node asks again for a host that another node has."""


class InFlight:
    """This node's requests in flight, by host.

    The task runner's thread writes it; any thread may call `count`.
    """

    def __init__(self) -> None:
        self._hosts: dict[str, dict[str, float]] = {}

    def of(self, host: str) -> dict[str, float]:
        """The host's requests: monotonic seconds at which each grant expires, by job; not a copy."""
        return self._hosts.setdefault(host, {})

    def count(self, host: str) -> int:
        """How many requests to the host are in flight."""
        return len(self._hosts.get(host, ()))


class HostSharing(msgspec.Struct, frozen=True):
    """What the host clocks and the rounds of the job runner have in common.

    Attributes:
        shares: None when this node is alone and has all hosts whole.
    """

    in_flight: InFlight
    shares: HostShares | None = None


class Standing(IntEnum):
    """What is known of a host's answers; the larger, the less may be in flight to hosts of its kind."""

    ANSWERS = 0
    UNKNOWN = 1
    """It was not asked yet, or its last request remained without an answer after others had one."""
    SILENT = 2
    """It has not answered."""


class _Clock(msgspec.Struct):
    """One host: requests in flight by job, those not yet reported sent, and when the next may start."""

    permits: int
    delay_s: float
    next_at: float
    in_flight: dict[str, float]
    unsent: dict[str, float] = msgspec.field(default_factory=dict)
    standing: Standing = Standing.UNKNOWN
    sent_at: dict[str, float] = msgspec.field(default_factory=dict)
    health: HostHealth = msgspec.field(default_factory=HostHealth)

    def delay(self) -> float:
        return self.health.delay_s(self.delay_s)


class ClockRules(msgspec.Struct, frozen=True):
    """What all clocks have in common.

    Attributes:
        first_after_s: wait before the first request to any host (of a run taken over: one delay).
        hosts: how errors slow a host down.
        on_rest: called with (host, seconds) when a host is left alone: on all nodes.
    """

    first_after_s: float = 0.0
    hosts: PolitenessSettings = PolitenessSettings()
    on_rest: Callable[[str, float], None] = lambda host, seconds: None


USUAL_RULES = ClockRules()


class HostClocks:
    """Grants requests so that a host sees the promised rate, even if workers crash.

    A grant without a report counts as used when it expires (`not_after`). Belongs to one thread.

    Args:
        limits: of each host but `file`, which has none.
        clock: monotonic seconds.
        in_flight: where the requests under way are kept.
        share_of: this node's share of a host just now, None while another has it; without it this
            node has all hosts whole.
        log: keeps what each host has seen; None: nothing is kept.
    """

    def __init__(
        self,
        limits: LimitsByHost,
        clock: Callable[[], float],
        rules: ClockRules = USUAL_RULES,
        in_flight: InFlight | None = None,
        share_of: Callable[[str], Share | None] | None = None,
        log: RequestLog | None = None,
    ) -> None:
        self._rules, self._on_rest = rules.hosts, rules.on_rest
        self._limits = limits
        self._clock = clock
        self._first_at = clock() + rules.first_after_s
        self._in_flight = in_flight or InFlight()
        self._share_of = share_of
        self._log = log
        self._clocks: dict[str, _Clock] = {}

    def grant(self, host: str, job: str) -> Grant | None:
        """A permit for one request of the job, now; None when the host must not be asked yet."""
        now = self._clock()
        if self.ready_at(host) > now:
            return None
        clock = self._of(host)
        until = now + GRANT_S
        clock.in_flight[job] = clock.unsent[job] = until
        if self._share_of is not None and not self._is_allowed(host, now):
            # Counted before asking, so that no share is given away while this request is in flight.
            del clock.in_flight[job], clock.unsent[job]
            return None
        return Grant(host, until)

    def ready_at(self, host: str) -> float:
        """When to ask for the next grant; infinity when an answer has to come first."""
        clock = self._of(host)
        permits, next_at = clock.permits, max(clock.next_at, clock.health.until)
        if self._share_of is not None:
            share = self._share_of(host)
            if share is None:
                return self._clock() + SHARE_POLL_S
            # A Crawl-delay may be longer than the gap that nodes keep when the host changes hands.
            first_at = share.first_at + max(0.0, clock.delay_s - share.gap_ms / 1000)
            permits, next_at = share.permits, max(next_at, first_at)
        if clock.health.row >= ROW_FOR_REST:
            permits = 1
        if len(clock.in_flight) >= permits:
            return math.inf
        if clock.unsent and (delay_s := clock.delay()):
            return max(next_at, max(clock.unsent.values()) + delay_s)
        return next_at

    def sent(self, host: str, job: str, at: float) -> None:
        """The job's request went out at that time."""
        clock = self._of(host)
        clock.unsent.pop(job, None)
        clock.sent_at[job] = at
        if self._log is not None:
            self._log.sent(host, at)
        clock.next_at = max(clock.next_at, at + clock.delay())

    def slow_down(self, host: str, delay_s: float) -> None:
        """The host wants at least this delay between the starts of two requests."""
        clock = self._of(host)
        if delay_s > clock.delay_s:
            clock.next_at += delay_s - clock.delay_s
            clock.delay_s = delay_s

    def pause(self, host: str, pause_s: float) -> None:
        """Ask the host for nothing for so long."""
        clock = self._of(host)
        clock.next_at = max(clock.next_at, self._clock() + pause_s)

    def standing(self, host: str) -> Standing:
        """Whether the host answers; may be asked by any thread."""
        clock = self._clocks.get(host)
        return Standing.UNKNOWN if clock is None else clock.standing

    def rest_s(self, host: str) -> float:
        """For how long the host is left alone; 0: it is not. May be asked by any thread."""
        clock = self._clocks.get(host)
        return 0.0 if clock is None else clock.health.rest_s(self._clock())

    def is_left_alone(self, host: str) -> bool:
        """Whether jobs of the host stay in the store for now; may be asked by any thread."""
        clock, now = self._clocks.get(host), self._clock()
        if clock is None or not clock.health.rest_s(now):
            return False
        return not clock.health.is_given_up(now, self._rules)

    def given_up(self, host: str) -> str:
        """Why the jobs of a host that has been waited for long enough fail; empty while it is waited for."""
        clock = self._of(host)
        if not clock.health.is_given_up(self._clock(), self._rules):
            return ""
        last = f" ({clock.health.reason})" if clock.health.reason else ""
        return f"the host has brought nothing but errors for {self._rules.host_timeout_s} s{last}"

    def answered(
        self, host: str, job: str, heard: bool | None = None, fault: LoadFault | None = None
    ) -> None:
        """The job's request is over; without a report that it was sent, it never was.

        Args:
            heard, fault: as of `Answered`.
        """
        clock = self._of(host)
        self._note_health(host, job, heard, fault)
        if heard is not None:
            clock.standing = Standing.ANSWERS if heard else Standing(min(clock.standing + 1, Standing.SILENT))
        clock.in_flight.pop(job, None)
        clock.unsent.pop(job, None)
        clock.sent_at.pop(job, None)

    def abandoned(self, host: str, job: str) -> None:
        """The worker with the grant has crashed; it may have sent the request until the grant expired."""
        clock = self._of(host)
        if (until := clock.unsent.get(job)) is not None:
            clock.next_at = max(clock.next_at, until + clock.delay())
        self.answered(host, job)

    def _note_health(self, host: str, job: str, heard: bool | None, fault: LoadFault | None) -> None:
        if heard is None:
            return
        clock = self._of(host)
        now, sent_at = self._clock(), clock.sent_at.get(job)
        if is_of_host(fault, heard):
            clock.health.failed(now, fault or LoadFault(), self._rules)
            self._on_failure(host, now, fault)
        else:
            is_page = fault is None and sent_at is not None
            clock.health.answered(now - sent_at if is_page and sent_at is not None else None)
        if sent_at is None and (delay_s := clock.delay()):
            clock.next_at = max(clock.next_at, now + delay_s)  # it was sent at some time before

    def _on_failure(self, host: str, now: float, fault: LoadFault | None) -> None:
        health = self._of(host).health
        rest_s = health.rest_s(now)
        if rest_s:
            self._on_rest(host, rest_s)
        if self._log is None:
            return
        self._log.happened(ERROR, host, now, (fault and fault.reason) or "no answer")
        if rest_s:
            self._log.happened(SLEEP if health.is_asleep else REST, host, now, f"{rest_s:.3f}")

    def close(self) -> None:
        """No more requests are granted."""
        if self._log is not None:
            self._log.close()

    def flush(self) -> None:
        """Write what the log has noted."""
        if self._log is not None:
            self._log.flush()

    def note_robots(self, host: str, what: str) -> None:
        """Keep in the log what is known of a host's robots.txt."""
        if self._log is not None:
            self._log.happened(ROBOTS, host, self._clock(), what)

    def in_flight(self) -> list[str]:
        """Hosts with requests in flight."""
        return [host for host, clock in self._clocks.items() if clock.in_flight]

    def _is_allowed(self, host: str, now: float) -> bool:
        share = self._share_of(host) if self._share_of is not None else None
        return share is not None and len(self._of(host).in_flight) <= share.permits and now >= share.first_at

    def _of(self, host: str) -> _Clock:
        clock = self._clocks.get(host)
        if clock is None:
            limits = self._limits.for_host(host)
            clock = self._clocks[host] = _Clock(
                limits.parallelism, limits.delay_ms / 1000, self._first_at, self._in_flight.of(host)
            )
            if self._log is not None:
                self._log.begin(host)
        return clock
