"""RobotsGate: no page is asked for before its host's robots.txt is known, and none that it disallows."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.configs.groups import FetchLimits, PolitenessSettings
from scoopi.errors import LoadFault
from scoopi.fetch.address import url_of
from scoopi.mediator.held_jobs import Pending
from scoopi.mediator.task_queues import TaskQueues
from scoopi.mediator.workers.denied_jobs import Denial
from scoopi.mediator.workers.robots_gate import (
    NEVER_KEPT_S,
    Clearance,
    RobotsGate,
    Verdict,
    robots_url,
)
from scoopi.model.job import JobPayload
from scoopi.model.locator import Locator
from scoopi.model.robots import RobotsAnswer, RobotsKind, RobotsLine
from scoopi.politeness.host_rate_limiter import FILE_HOST, HostRateLimiter, RateLimiterRules
from scoopi.politeness.request_log import RequestLog, read_logs
from scoopi.politeness.robots.robots_cache import RobotsCache
from scoopi.politeness.robots.robots_store import RobotsStore
from scoopi.store.jobs.job_records import TakenJob
from scoopi.store.solo.sqlite_store import SqliteStore
from tests.clock import Clock

HOST = "a.example:80"
URL = "http://a.example/x"
RULES = RobotsAnswer(RobotsKind.KNOWN, (RobotsLine(2, "Disallow: /x"), RobotsLine(3, "Crawl-delay: 7")))


class World:
    """A gate with all that is behind it; the test plays workers and job runner."""

    def __init__(self, folder: Path, is_off: bool = False, beside: World | None = None) -> None:
        self.clock = Clock()
        rules = PolitenessSettings(error_delay_ms=4000, host_timeout_s=60)
        self.log = RequestLog(folder / "requests.log")
        self.limiter = HostRateLimiter(
            FetchLimits(1, 1000), self.clock, RateLimiterRules(hosts=rules), log=self.log
        )
        self.queues = TaskQueues(self.limiter, self.clock)
        self.store: SqliteStore = SqliteStore(folder / "store.db") if beside is None else beside.store
        kept = RobotsStore(self.store, "one" if beside is None else "two", lambda node: False)
        self.cache = RobotsCache(kept, lambda: None, lambda: None, self.clock)
        self.gate = RobotsGate(self.cache, self.queues, self.limiter, url_of, lambda url: is_off, self.clock)

    def verdict(self, url: str = URL, public_only: bool = False) -> Verdict:
        """Of the host's page."""
        return self.gate.verdict(HOST, url, public_only)

    def read(self, answer: RobotsAnswer) -> None:
        """The queued request of the robots.txt brings this."""
        self.cache.round()
        self.gate.take_up()
        pending = self.queues.pop_job(HOST)
        assert pending.is_robots
        self.gate.answered(pending, answer)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """With robots.txt switched on."""
    return World(tmp_path)


def test_the_first_page_of_a_host_waits_for_its_robots_txt_which_is_queued_once(world: World) -> None:
    for _ in range(3):
        assert world.verdict() is Clearance.WAITS
        world.cache.round()
        world.gate.take_up()
    pending = world.queues.pop_job(HOST)
    assert pending.taken.payload.locator.url == "http://a.example/robots.txt"
    assert world.queues.next_job(HOST) is None


def test_a_rule_denies_its_pages_and_opens_all_others(world: World) -> None:
    world.verdict()
    world.read(RULES)
    why = f"{HOST}: disallowed by line 2 of robots.txt: Disallow: /x"
    assert world.verdict() == Denial(True, why, why)
    assert world.verdict("http://a.example/y") is Clearance.CLEAR


@pytest.mark.parametrize(
    "written",
    [
        "http:///a.example/x",
        "http:a.example/x",
        "http:\\\\a.example\\x",
        " HTTP://A.example/x",
        "http://a.example/y/../x",
        "http://a.example/y/%2E%2e/x",
        "http://a.example/./x",
    ],
)
def test_a_rule_holds_however_the_address_is_written(world: World, written: str) -> None:
    world.verdict(written)
    world.read(RULES)
    assert isinstance(world.verdict(written), Denial)


def test_the_file_is_sought_at_the_host_that_the_page_is_asked_of(world: World) -> None:
    world.verdict("http:///a.example/x")
    world.cache.round()
    world.gate.take_up()
    assert world.queues.pop_job(HOST).taken.payload.locator.url == "http://a.example/robots.txt"


def test_a_crawl_delay_reaches_the_hosts_clock(world: World) -> None:
    world.verdict()
    world.read(RULES)
    world.limiter.sent(HOST, "job", world.clock.now)
    assert world.limiter.ready_at(HOST) >= world.clock.now + 7


def test_while_a_host_answers_with_errors_its_file_is_asked_for_again(world: World) -> None:
    world.verdict()
    world.read(RobotsAnswer(RobotsKind.LATER, what="503"))
    assert world.verdict() is Clearance.WAITS
    again = world.queues.pop_job(HOST)
    assert again.is_robots
    assert world.limiter.ready_at(HOST) > world.clock.now


def test_a_host_that_cannot_be_asked_fails_its_jobs_and_is_tried_again_later(world: World) -> None:
    world.verdict()
    world.read(RobotsAnswer(RobotsKind.NEVER, cause="no TLS", what="no TLS", hint="look"))
    assert world.verdict() == Denial(False, "loader: no TLS", f"{URL}: no TLS; look")
    world.clock.now += NEVER_KEPT_S
    assert world.verdict() is Clearance.WAITS


@pytest.mark.parametrize("is_dropped", [True, False])
def test_a_file_that_this_node_does_not_get_is_asked_for_by_another(
    world: World, tmp_path: Path, is_dropped: bool
) -> None:
    (tmp_path / "two").mkdir()
    other = World(tmp_path / "two", beside=world)
    assert (world.verdict(), other.verdict()) == (Clearance.WAITS, Clearance.WAITS)
    if is_dropped:
        world.cache.round()
        world.gate.take_up()
        world.gate.dropped(world.queues.pop_job(HOST))
    else:
        world.read(RobotsAnswer(RobotsKind.NEVER, cause="no address", what="no address"))
    world.cache.round()
    other.read(RULES)
    assert isinstance(other.verdict(), Denial)


def test_a_file_whose_request_was_dropped_is_read_here_when_a_page_needs_it_again(world: World) -> None:
    world.verdict()
    world.cache.round()
    world.gate.take_up()
    world.gate.dropped(world.queues.pop_job(HOST))
    assert world.verdict() is Clearance.WAITS
    world.read(RULES)
    assert isinstance(world.verdict(), Denial)


def test_a_private_host_refused_to_a_public_page_is_still_asked_for_others(world: World) -> None:
    world.verdict(public_only=True)
    world.read(RobotsAnswer(RobotsKind.NEVER, cause="private", what="private"))
    assert isinstance(world.verdict(public_only=True), Denial)
    assert world.verdict(public_only=False) is Clearance.WAITS


def test_the_jobs_of_a_host_that_is_given_up_fail_while_it_rests(world: World) -> None:
    world.verdict()
    world.read(RobotsAnswer(RobotsKind.KNOWN))
    fault = LoadFault("connect", True, was_sent=False)
    for _ in range(5):
        world.limiter.ended(HOST, "job", heard=False, fault=fault)
    assert world.verdict() is Clearance.CLEAR
    world.clock.now += 60
    world.limiter.ended(HOST, "job", heard=False, fault=fault)
    denial = world.verdict()
    assert isinstance(denial, Denial)
    assert (denial.is_rule, denial.cause) == (
        False,
        "loader: the host has brought nothing but errors for 60 s (no connection)",
    )


def test_files_and_sites_without_robots_pass(world: World, tmp_path: Path) -> None:
    assert world.gate.verdict(FILE_HOST, "page.html", False) is Clearance.CLEAR
    (tmp_path / "off").mkdir()
    assert World(tmp_path / "off", is_off=True).verdict() is Clearance.CLEAR


@pytest.mark.parametrize(
    ("url", "robots"),
    [
        ("http://a.example", "http://a.example/robots.txt"),
        ("https://a.example:81?x/y", "https://a.example:81/robots.txt"),
        ("http://a.example#x", "http://a.example/robots.txt"),
    ],
)
def test_the_file_is_at_the_root_of_scheme_host_and_port(url: str, robots: str) -> None:
    assert robots_url(url) == robots


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        (RULES, "2 rules"),
        (RobotsAnswer(RobotsKind.NEVER, cause="no TLS", what="no TLS at all"), "no TLS at all"),
    ],
)
def test_what_is_known_of_robots_txt_is_kept_for_the_report_on_the_host(
    world: World, tmp_path: Path, answer: RobotsAnswer, shown: str
) -> None:
    world.verdict()
    world.read(answer)
    world.log.close()
    (figures,) = read_logs([tmp_path / "requests.log"])
    assert (figures.host, figures.robots) == (HOST, shown)


def test_a_host_without_rules_lets_all_jobs_through_unless_it_is_given_up(world: World) -> None:
    assert not world.gate.lets_all(HOST), "its rules are not known"
    world.verdict()
    world.read(RobotsAnswer(RobotsKind.KNOWN))
    assert world.gate.lets_all(HOST)
    fault = LoadFault("connect", True, was_sent=False)
    for seconds in (0, 60):
        world.clock.now += seconds
        world.limiter.ended(HOST, "job", heard=False, fault=fault)
    assert not world.gate.lets_all(HOST)


def test_a_host_with_a_rule_does_not_let_all_jobs_through(world: World) -> None:
    world.verdict()
    world.read(RULES)
    assert not world.gate.lets_all(HOST)


@pytest.mark.parametrize("kind", [RobotsKind.KNOWN, RobotsKind.NEVER])
def test_the_jobs_of_a_host_have_their_turn_when_its_robots_txt_was_read(
    world: World, kind: RobotsKind
) -> None:
    world.verdict()
    world.cache.round()
    world.gate.take_up()
    reading = world.queues.pop_job(HOST)
    waiting = Pending(TakenJob("job", 1, 0, HOST, JobPayload(Locator("x", "towns", URL), "job")))
    world.queues.add(waiting)
    served: list[str] = []

    def serve(host: str) -> bool:
        served.append(host)
        return True

    for _ in range(2):
        world.queues.serve(serve)
    world.gate.answered(reading, RobotsAnswer(kind, cause="x", what="x"))
    world.queues.serve(serve)
    assert served == [HOST, HOST], "once when it was queued, and once when the answer had come"


def test_jobs_that_wait_for_a_file_go_on_when_another_node_has_read_it(world: World, tmp_path: Path) -> None:
    (tmp_path / "two").mkdir()
    other = World(tmp_path / "two", beside=world)
    assert (world.verdict(), other.verdict()) == (Clearance.WAITS, Clearance.WAITS)
    world.read(RobotsAnswer(RobotsKind.KNOWN))
    world.cache.round()
    other.clock.pass_s(60)
    other.cache.round()
    other.gate.take_up()
    assert other.gate.lets_all(HOST)


def test_a_robots_txt_whose_reading_ends_workers_fails_the_pages_of_its_host(world: World) -> None:
    assert world.verdict() is Clearance.WAITS
    world.cache.round()
    world.gate.take_up()
    world.gate.lost(world.queues.pop_job(HOST), "it was killed by SIGSEGV")
    denial = world.verdict()
    assert isinstance(denial, Denial)
    assert (denial.is_rule, denial.cause) == (
        False,
        "loader: robots.txt cannot be read: it was killed by SIGSEGV",
    )
