"""HostRateLimiter: when a host may get its next request, what is in flight to it, and whether it answers."""

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec

from scoopi.configs.groups import PolitenessSettings
from scoopi.errors import LoadFault
from scoopi.model.handover import Grant
from scoopi.model.limits.host_limits import LimitsByHost
from scoopi.politeness.host_health import ERRORS_FOR_REST, HostHealth, is_of_host
from scoopi.politeness.host_share_memory import Share
from scoopi.politeness.host_sharing import InFlight
from scoopi.politeness.machine_rate_limiter import MachineRateLimiter
from scoopi.politeness.request_log import ERROR, REST, ROBOTS, SLEEP, RequestLog
from scoopi.politeness.standing import Standing

FILE_HOST = "file"
GRANT_S = 2.0
"""How long a grant is valid; a worker that has not sent its request by then asks for another one."""
SHARE_POLL_S = 0.1
"""Seconds after which a node tries again to get a host that another node has."""


class _Host(msgspec.Struct):
    """The state of one host; times are monotonic seconds.

    Attributes:
        permits: the most requests in flight.
        next_at: when the next request may start.
        in_flight: job -> expiry of its grant.
        unsent, sent_at: of these, the ones not reported as sent, and when the others were sent.
        elsewhere_until: when to try again, as another run of this machine has the host; 0 if none has.
    """

    permits: int
    delay_s: float
    next_at: float
    in_flight: dict[str, float]
    unsent: dict[str, float] = msgspec.field(default_factory=dict)
    standing: Standing = Standing.UNKNOWN
    sent_at: dict[str, float] = msgspec.field(default_factory=dict)
    health: HostHealth = msgspec.field(default_factory=HostHealth)
    elsewhere_until: float = 0.0

    def delay(self) -> float:
        """In seconds: `delay_s`, configured or a Crawl-delay, and more if the host has trouble."""
        return self.health.delay_s(self.delay_s)


class RateLimiterRules(msgspec.Struct, frozen=True):
    """What applies to all hosts alike.

    Attributes:
        first_after_s: seconds before the first request to any host; one delay if the run is resumed.
        hosts: how errors slow a host down.
        on_rest: called with (host, seconds) when no node may send requests to a host for that time.
        on_slower: called with (host, seconds) when all nodes have to keep a longer delay, a Crawl-delay.
        resting_until: given a host, returns when a pause ends that an earlier process of the run began, in
            monotonic seconds; 0 without one.
        machine: shares the delays of hosts with other runs on this machine; None if they are not shared.
    """

    first_after_s: float = 0.0
    hosts: PolitenessSettings = PolitenessSettings()
    on_rest: Callable[[str, float], None] = lambda host, seconds: None
    on_slower: Callable[[str, float], None] = lambda host, seconds: None
    resting_until: Callable[[str], float] = lambda host: 0.0
    machine: MachineRateLimiter | None = None


USUAL_RULES = RateLimiterRules()


class HostRateLimiter:
    """Grants requests at no more than a host's configured rate, even if workers crash.

    A grant without a report counts as used when it expires (`not_after`). Belongs to one thread.

    Args:
        limits: the limits of each host except `file`, which has none.
        clock: returns monotonic seconds.
        in_flight: where to keep the requests in flight, so that other threads can count them.
        share_of: returns this node's current share of a host, None while another node has the host. If
            omitted, this node may use every host up to its limits.
        log: logs requests, errors and pauses; None to log nothing.
    """

    def __init__(
        self,
        limits: LimitsByHost,
        clock: Callable[[], float],
        rules: RateLimiterRules = USUAL_RULES,
        in_flight: InFlight | None = None,
        share_of: Callable[[str], Share | None] | None = None,
        log: RequestLog | None = None,
    ) -> None:
        self._rules = rules
        self._limits = limits
        self._clock = clock
        self._first_at = clock() + rules.first_after_s
        self._in_flight = in_flight or InFlight()
        self._share_of = share_of
        self._log = log
        self._machine = rules.machine
        self._hosts: dict[str, _Host] = {}

    def grant(self, host: str, job: str) -> Grant | None:
        """A grant for one request of the job, now; None if the host must not get a request yet."""
        now = self._clock()
        if self.ready_at(host) > now:
            return None
        state = self._of(host)
        until = now + GRANT_S
        state.in_flight[job] = state.unsent[job] = until
        # Counted before asking, so that no share is given away while this request is in flight.
        if not (self._is_allowed(host, now) and self._is_reserved(host, state, until)):
            del state.in_flight[job], state.unsent[job]
            return None
        return Grant(host, until, is_paced=state.delay() > 0)

    def ready_at(self, host: str) -> float:
        """When to try for the next grant, in monotonic seconds; infinity if an answer has to come first."""
        state = self._of(host)
        permits = state.permits
        next_at = max(state.next_at, state.health.paused_until, state.elsewhere_until)
        if self._share_of is not None:
            share = self._share_of(host)
            if share is None:
                return self._clock() + SHARE_POLL_S
            permits, next_at = share.permits, max(next_at, share.first_at)
        if state.health.errors >= ERRORS_FOR_REST:
            permits = 1
        if len(state.in_flight) >= permits:
            return math.inf
        if state.unsent and (delay_s := state.delay()):
            return max(next_at, max(state.unsent.values()) + delay_s)
        return next_at

    def sent(self, host: str, job: str, at: float) -> None:
        """Note that the job's request was sent at `at`, in monotonic seconds."""
        state = self._of(host)
        state.unsent.pop(job, None)
        state.sent_at[job] = at
        if self._log is not None:
            self._log.sent(host, at)
        state.next_at = max(state.next_at, at + state.delay())
        if state.delay_s:
            self._settle(host, state)

    def slow_down(self, host: str, delay_s: float) -> None:
        """Keep at least this delay between the starts of two requests to the host."""
        state = self._of(host)
        if delay_s > state.delay_s:
            state.next_at += delay_s - state.delay_s
            state.delay_s = delay_s
            self._rules.on_slower(host, delay_s)

    def pause(self, host: str, pause_s: float) -> None:
        """Grant no request to the host for `pause_s` seconds."""
        state = self._of(host)
        state.next_at = max(state.next_at, self._clock() + pause_s)

    def delay_s(self, host: str) -> float:
        """The host's present delay: configured, a Crawl-delay, or longer. Callable from any thread."""
        state = self._hosts.get(host)
        return self._limits.for_host(host).delay_ms / 1000 if state is None else state.delay()

    def standing(self, host: str) -> Standing:
        """Whether the host answers; callable from any thread."""
        return self._hosts[host].standing if host in self._hosts else Standing.UNKNOWN

    def rest_s(self, host: str) -> float:
        """See `HostHealth.rest_s`; 0 for an unknown host. Callable from any thread."""
        state = self._hosts.get(host)
        return 0.0 if state is None else state.health.rest_s(self._clock())

    def is_left_alone(self, host: str) -> bool:
        """Whether jobs of the host stay in the store for now; callable from any thread."""
        state, now, rules = self._hosts.get(host), self._clock(), self._rules.hosts
        return bool(state and state.health.rest_s(now) and not state.health.is_given_up(now, rules))

    def trouble(self, host: str) -> str:
        """See `HostHealth.trouble`; callable from any thread."""
        return self._hosts[host].health.trouble(self._rules.hosts) if host in self._hosts else ""

    def given_up(self, host: str) -> str:
        """Why the jobs of a host that has had errors for too long fail; empty while they wait for it."""
        return self._of(host).health.why_given_up(self._clock(), self._rules.hosts)

    def ended(
        self,
        host: str,
        job: str,
        heard: bool | None = None,
        fault: LoadFault | None = None,
        sent_at: float | None = None,
    ) -> None:
        """End the job's request; one that was not reported as sent was never sent.

        Args:
            heard, fault, sent_at: see `RequestEnded`.
        """
        if sent_at is not None:
            self.sent(host, job, sent_at)
        state = self._of(host)
        if heard is not None:
            self._note_health(host, state, job, heard, fault)
            state.standing = Standing.ANSWERS if heard else Standing(min(state.standing + 1, Standing.SILENT))
        state.in_flight.pop(job, None)
        state.sent_at.pop(job, None)
        if state.unsent.pop(job, None) is not None:
            self._settle(host, state)

    def abandoned(self, host: str, job: str) -> None:
        """End the request of a worker that crashed; it may have sent the request until the grant expired."""
        state = self._of(host)
        if (until := state.unsent.get(job)) is not None:
            if delay_s := state.delay():
                state.next_at = max(state.next_at, until + delay_s)
            elif self._log is not None:
                self._log.sent(host, until - GRANT_S)  # its report would have come with the answer
        self.ended(host, job)

    def _note_health(self, host: str, state: _Host, job: str, heard: bool, fault: LoadFault | None) -> None:
        now, sent_at = self._clock(), state.sent_at.get(job)
        if is_of_host(fault, heard):
            state.health.failed(now, fault or LoadFault(), self._rules.hosts)
            self._on_failure(host, now, fault)
        else:
            is_page = fault is None and sent_at is not None
            state.health.answered(now - sent_at if is_page and sent_at is not None else None)
        if sent_at is None and (delay_s := state.delay()):
            state.next_at = max(state.next_at, now + delay_s)  # it was sent at some time before

    def _on_failure(self, host: str, now: float, fault: LoadFault | None) -> None:
        health = self._of(host).health
        rest_s = health.rest_s(now)
        if rest_s:
            self._rules.on_rest(host, rest_s)
        if self._machine is not None:
            self._machine.hold(host, health.paused_until)
        if self._log is None:
            return
        self._log.happened(ERROR, host, now, (fault and fault.reason) or "no answer")
        if rest_s:
            self._log.happened(SLEEP if health.is_asleep else REST, host, now, f"{rest_s:.3f}")

    def close(self) -> None:
        """Close the log, and the file in which the runs of this machine share the times of requests."""
        if self._machine is not None:
            self._machine.close()
        if self._log is not None:
            self._log.close()

    def flush(self) -> None:
        """Write the entries that the log has buffered."""
        if self._log is not None:
            self._log.flush()

    def note_robots(self, host: str, what: str) -> None:
        """Log what is known of a host's robots.txt."""
        if self._log is not None:
            self._log.happened(ROBOTS, host, self._clock(), what)

    def in_flight(self) -> list[str]:
        """Hosts with requests in flight."""
        return [host for host, state in self._hosts.items() if state.in_flight]

    def _is_reserved(self, host: str, state: _Host, until: float) -> bool:
        """Reserve the host for this run, among those of this machine; return whether that was possible."""
        if self._machine is None or not state.delay_s:
            return True
        state.elsewhere_until = self._machine.reserve(host, until + state.delay())
        return not state.elsewhere_until

    def _settle(self, host: str, state: _Host) -> None:
        if self._machine is not None and state.delay_s:
            unsent_until = max(state.unsent.values(), default=-math.inf) + state.delay()
            self._machine.settle(host, max(state.next_at, state.health.paused_until, unsent_until))

    def _is_allowed(self, host: str, now: float) -> bool:
        if self._share_of is None:
            return True
        share = self._share_of(host)
        return share is not None and len(self._of(host).in_flight) <= share.permits and now >= share.first_at

    def _of(self, host: str) -> _Host:
        state = self._hosts.get(host)
        if state is None:
            limits = self._limits.for_host(host)
            state = self._hosts[host] = _Host(
                limits.parallelism, limits.delay_ms / 1000, self._first_at, self._in_flight.of(host)
            )
            if until := self._rules.resting_until(host):
                state.health.paused_until, state.health.is_asleep = until, True
        return state
