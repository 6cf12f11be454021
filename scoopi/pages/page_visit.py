"""PageVisit: loads one page in this process, with the same sequence of requests as a run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from msgspec.structs import replace

from scoopi.errors import DisallowedError, FetchError
from scoopi.fetch.address import host_of, url_of
from scoopi.fetch.hop_recorder import HopRecorder
from scoopi.fetch.robots_text import answer_of_error
from scoopi.mediator.workers.robots_gate import robots_url
from scoopi.model.handover import Grant, Handover, Payload, ToGrant, ToSession, ToTask
from scoopi.model.limits.retry_policy import RetryPolicy
from scoopi.model.locator import Locator
from scoopi.model.robots import RobotsAnswer, RobotsKind
from scoopi.model.site_session import SessionChange
from scoopi.model.sites import Sites
from scoopi.parse.tree.page import Page
from scoopi.politeness.robots.robots_rules import RobotsRules
from scoopi.steps.loading.load_state import LoadState
from scoopi.steps.loading.loader import Loader
from scoopi.steps.loading.worker_sessions import WorkerSessions

NOT_AGAIN = "a run does not retry it"
PAGE, ROBOTS, LOGIN = "page", "robots.txt", "login"
"""The purposes of hops."""


class RobotsError(FetchError):
    """A host's robots.txt cannot be loaded.

    Attributes:
        later: what a run does in that case, as a sentence.
    """

    def __init__(self, what: str, at: str, hint: str, later: str) -> None:
        super().__init__(what, at=at, hint=hint)
        self.later = later


class PageVisit:
    """Loads one page in this process, with the same sequence of requests as a run.

    Reads the host's robots.txt first, logs in if the site needs it, and keeps the host's delay. Nothing is
    retried. Used by one thread.

    Args:
        loader: loads pages, with a grant of this object for each request.
        sites: the settings of hosts.
        sessions: the sessions that the loader uses.
        recorder: records the hops of the loader.
        wait: sleeps for a number of seconds before a request.
    Attributes:
        notes: what robots.txt says and how logins have ended, as sentences, in order.
    """

    def __init__(
        self,
        loader: Loader,
        sites: Sites,
        sessions: WorkerSessions,
        recorder: HopRecorder,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._loader = loader
        self._sites = sites
        self._sessions = sessions
        self._recorder = recorder
        self._wait = wait
        self._rules: dict[str, RobotsRules] = {}
        self._asked_at: dict[str, float] = {}
        self.notes: list[str] = []

    def load(self, locator: Locator) -> Page:
        """Load the page of a locator; blocks until it is loaded or has failed.

        Raises:
            DisallowedError: robots.txt disallows it, or the target of a redirect.
            FetchError: the page, a login page or a robots.txt cannot be loaded.
        """
        self._ensure_allowed(host_of(locator.url), locator.url)
        loaded = self._loaded(Payload("fetch", locator, 1, "", LoadState()))
        return loaded.payload.expect(Page)

    def _loaded(self, payload: Payload) -> ToTask:
        while True:
            outcome = self._outcome(payload)
            for change in self._loader.take_changes():
                self._learn(change)
            if isinstance(outcome, Exception):
                raise outcome
            if isinstance(outcome, ToTask):
                return outcome
            assert isinstance(outcome, ToGrant | ToSession)
            payload = outcome.payload
            load = payload.expect(LoadState)
            if isinstance(outcome, ToSession):
                session = self._sessions.get(outcome.session)
                if not session.failed and session.version <= outcome.version:
                    payload = payload.advance(replace(load, logs_in=True))
                continue
            is_free = load.is_robots or load.login is not None  # the definitions themselves ask for a login
            if not is_free and not outcome.is_subresource:
                self._ensure_allowed(outcome.host, outcome.url or load.url or payload.locator.url)
            payload = payload.advance(load.with_grant(self._grant(outcome.host)))

    def _outcome(self, payload: Payload) -> Handover | Exception:
        load = payload.expect(LoadState)
        is_login = load.logs_in or load.login is not None
        self._recorder.purpose = ROBOTS if load.is_robots else LOGIN if is_login else PAGE
        outcomes: list[Handover | Exception] = []
        self._loader.begin(payload, outcomes.append)
        while not outcomes:
            self._loader.turn(1.0)
        return outcomes[0]

    def _grant(self, host: str) -> Grant:
        rules = self._rules.get(host)
        delay_s = max(self._sites.for_host(host).delay_ms / 1000, rules.crawl_delay_s if rules else 0.0)
        due = self._asked_at.get(host, -math.inf) + delay_s
        if (wait_s := due - time.monotonic()) > 0:
            self._wait(wait_s)
        self._asked_at[host] = time.monotonic()
        return Grant(host, math.inf)

    def _learn(self, change: SessionChange) -> None:
        session = self._sessions.get(change.name).with_changes(change)
        if change.login == "done":
            session = replace(session, version=session.version + 1)
            self.notes.append(f"login: logged in to {change.name}")
        elif change.login == "failed":
            session = replace(session, failed=change.message)
        self._sessions.learn(session)

    def _ensure_allowed(self, host: str, url: str) -> None:
        if not self._sites.for_host(host).robots:
            at = self._sites.origins(host).get("robots", "scoopi.loader.robots")
            self._note(f"robots.txt: not followed at {host} ({at})")
            return
        url = url_of(url)
        if host not in self._rules:
            self._rules[host] = self._read_rules(host, url)
        if rule := self._rules[host].refusal(url):
            why = f"{host}: disallowed by {rule}"
            raise DisallowedError(why, hint="a run skips the page")

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def _read_rules(self, host: str, url: str) -> RobotsRules:
        locator = Locator(ROBOTS, "", robots_url(url))
        answer = self._robots_answer(Payload("robots", locator, 1, "", LoadState(is_robots=True)))
        if answer.kind is not RobotsKind.KNOWN:
            is_later = answer.kind is RobotsKind.LATER
            later = "a run retries it, and the pages of the host wait for it" if is_later else ""
            raise RobotsError(answer.what, locator.url, answer.hint, later or NOT_AGAIN)
        rules = RobotsRules(answer.lines)
        delay = f", asks for a delay of {rules.crawl_delay_s:g} s" if rules.crawl_delay_s else ""
        self._note(f"robots.txt: {host} has {rules.summary} for this agent ({answer.note}){delay}")
        return rules

    def _robots_answer(self, payload: Payload) -> RobotsAnswer:
        try:
            return self._loaded(payload).payload.expect(RobotsAnswer)
        except FetchError as error:
            return answer_of_error(error)


def retries_of(error: FetchError, sites: Sites, url: str) -> str:
    """What a run does after a page has failed, as a sentence; empty if robots.txt disallows the page.

    Args:
        url: URL of the page.
    """
    if isinstance(error, DisallowedError):
        return ""
    if isinstance(error, RobotsError):
        return error.later
    policy = RetryPolicy.of(sites.for_host(host_of(url)).retry)
    if not policy.allows(error.fault, 0):
        return NOT_AGAIN
    left = policy.attempts_after(error.fault) - 1
    first_s = policy.wait_ms(error.fault, 0, lambda: 0.0) / 1000
    return f"a run retries it up to {left} times, the first time after {first_s:g} s"
