"""ClusterClient: one connection to real members; what failed calls mean, and how long they are waited for."""

from __future__ import annotations

import importlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import ClusterError, StoppedError, StoreError
from scoopi.store.call_timeout import CallTimeout
from scoopi.store.cluster import cluster_client
from scoopi.store.cluster.cluster_client import ClusterClient
from scoopi.store.cluster.member_majority import MemberView
from tests.clock import Clock
from tests.cluster.grids import free_port, settings


@pytest.fixture
def client(cluster: ClusterClient) -> Iterator[ClusterClient]:
    """A further client of the members."""
    made = ClusterClient(cluster.settings)
    yield made
    made.close()


def failing(client: ClusterClient, what: str = "get jobs", fault: Exception | None = None) -> StoreError:
    with pytest.raises(StoreError) as raised:
        client.refuse(what, fault)
    return raised.value


def test_an_answer_is_waited_for_longer_than_the_client_itself_tries(
    cluster: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    timeouts: list[float] = []

    def recorded(limit_s: float, is_stopped: Callable[[], bool]) -> CallTimeout:
        timeouts.append(limit_s)
        return CallTimeout(limit_s, is_stopped)

    monkeypatch.setattr(cluster_client, "CallTimeout", recorded)
    for call_timeout_ms in (1000, 4000):
        ClusterClient(replace(cluster.settings, call_timeout_ms=call_timeout_ms)).close()
    shorter_s, longer_s = timeouts
    assert longer_s - shorter_s == 3
    assert 4 < longer_s < 10


def test_a_failed_call_is_tried_again_until_calls_have_failed_for_too_long(client: ClusterClient) -> None:
    assert client.unreachable_ms() == 0
    error = failing(client, fault=ValueError("first line\nsecond line"))
    assert (error.what, error.at) == ("get jobs: ValueError: first line", f"cluster {client.settings.name}")
    client.settings = replace(client.settings, reconnect_timeout_ms=0)
    with pytest.raises(ClusterError, match="this node gave up") as raised:
        client.refuse("get jobs")
    assert raised.value.at == client.settings.addresses[0]


def test_failures_count_from_the_first_of_them_and_end_with_an_answer(
    client: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.settings = replace(client.settings, reconnect_timeout_ms=10**9)
    answered: list[bool] = []
    monkeypatch.setattr(client.timeout, "answered", lambda: answered.append(True))
    passed_s = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: passed_s)
    failing(client)
    passed_s += 300
    failing(client)
    passed_s += 400
    assert client.unreachable_ms() == 700_000
    assert answered == []
    client.answered()
    assert client.unreachable_ms() == 0
    assert answered == [True], "the next wait is whole again"


def test_a_client_that_was_closed_gives_up(client: ClusterClient) -> None:
    client.close()
    client.close()
    with pytest.raises(ClusterError):
        client.refuse("get jobs")
    with pytest.raises(ClusterError, match=r"gave up \(the map scoopi\.closed cannot be opened: .*Error"):
        client.map("scoopi.closed")


class Failing:
    """A client that finds no member; each try takes a second of a clock."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.tries_s: list[float] = []

    def __call__(self, **options: Any) -> NoReturn:
        self.tries_s.append(options["cluster_connect_timeout"])
        self.clock.pass_s(1)
        raise RuntimeError("Unable to connect to any cluster")


@pytest.mark.parametrize(
    ("whole_ms", "tries_s"), [(2500, [1, 1, 0.5]), (2000, [1, 1]), (500, [0.5]), (0, [0])]
)
def test_members_are_looked_for_in_short_tries_until_the_time_is_over(
    cluster: ClusterClient,
    monkeypatch: pytest.MonkeyPatch,
    clock: Clock,
    whole_ms: int,
    tries_s: list[float],
) -> None:
    from scoopi.store.cluster import client_faults  # late: the client's import would warn before

    failing = Failing(clock)
    monkeypatch.setattr(client_faults, "first_answer_within", lambda limit_s, kind: failing)
    monkeypatch.setattr(cluster_client, "time", SimpleNamespace(monotonic=clock))
    nobody = replace(settings(free_port()), connect_timeout_ms=whole_ms)
    with pytest.raises(ClusterError, match="no member of the cluster"):
        ClusterClient(nobody)
    assert failing.tries_s == tries_s


def test_a_connection_is_kept_awake_and_is_given_up_when_the_members_were_away_for_too_long(
    cluster: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Any] = []
    monkeypatch.setattr(cluster_client, "fix_waking", kept.append)
    ClusterClient(replace(cluster.settings, reconnect_timeout_ms=7000)).close()
    (client,) = kept
    manager = vars(client)["_connection_manager"]
    strategy = vars(manager)["_wait_strategy"]
    assert vars(strategy)["_cluster_connect_timeout"] == 7


def test_a_node_that_is_stopped_does_not_wait_for_members() -> None:
    nobody = replace(settings(free_port()), connect_timeout_ms=60_000)
    with pytest.raises(StoppedError):
        ClusterClient(nobody, lambda: True)


def test_a_node_that_nobody_stops_is_refused_when_no_member_lets_it_in() -> None:
    with pytest.raises(ClusterError, match="no member of the cluster"):
        ClusterClient(replace(settings(free_port()), connect_timeout_ms=1))


def test_the_majority_is_ensured_as_the_guard_says(client: ClusterClient) -> None:
    client.ensure_majority()

    def refuse() -> NoReturn:
        raise StoreError("no majority")

    client.guard(refuse)
    with pytest.raises(StoreError, match="no majority"):
        client.ensure_majority()


def test_members_are_named_by_host_and_port(client: ClusterClient) -> None:
    assert client.members() == [*client.settings.addresses]
    assert client.seen() == 1


def test_a_removed_map_is_empty_for_every_client(client: ClusterClient, cluster: ClusterClient) -> None:
    client.map("scoopi.removed").put("key", "value").result()
    client.remove("scoopi.removed")
    assert cluster.map("scoopi.removed").get("key").result() is None
    cluster.remove("scoopi.removed")


def test_spread_keys_are_one_in_each_partition_and_the_same_for_every_client(
    client: ClusterClient, cluster: ClusterClient
) -> None:
    keys = client.spread_keys("canary")
    assert len(keys) == len(set(keys)) == 271, "as many as members have partitions, unless configured"
    assert cluster.spread_keys("canary") == keys
    assert client.spread_keys("canary", 5) == cluster.spread_keys("canary", 5)
    assert len(client.spread_keys("canary", 5)) == 5
    first = [key for key in (f"canary/{number}" for number in range(10)) if key in keys]
    assert keys[:5] == first[:5], "nodes of other versions count from 0, too"


def test_what_is_met_again_and_again_is_warned_of_once_a_map(
    client: ClusterClient, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("a", "b", "a"):
        client.warn_once(name, "the map %s holds %s", "odd keys")
    assert [record.getMessage() for record in caplog.records] == [
        "the map a holds odd keys",
        "the map b holds odd keys",
    ]


@pytest.mark.parametrize("is_there", [True, False])
def test_an_answer_is_there_when_it_came_before_or_comes_while_it_is_waited_for(
    client: ClusterClient, is_there: bool
) -> None:
    answer: Future[Any] = Future()

    class Coming(Future[Any]):
        """Comes as soon as it is waited for."""

        def add_done_callback(self, fn: Callable[[Any], Any]) -> None:
            super().add_done_callback(fn)
            self.set_result("now")

    if is_there:
        answer.set_result("before")
    assert client.has_come(answer if is_there else Coming())


def test_a_lost_connection_counts_from_its_first_notice_until_a_member_is_connected_again(
    cluster: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scoopi.store.cluster import client_options  # late: the client's import would warn before

    notices: list[Callable[[str], None]] = []
    options = client_options.client_options

    def noted(given: ClusterSettings, heard: Callable[[str], None], *more: float) -> dict[str, Any]:
        notices.append(heard)
        return options(given, heard, *more)

    monkeypatch.setattr(client_options, "client_options", noted)
    client = ClusterClient(cluster.settings)
    asked: list[str] = []
    client.guard(lambda: asked.append("majority"))
    monotonic, passed_s = time.monotonic, 0.0
    monkeypatch.setattr(time, "monotonic", lambda: monotonic() + passed_s)
    (hear,) = notices
    hear("CONNECTED")
    assert client.unreachable_ms() == 0
    for _ in range(2):
        hear("DISCONNECTED")
        passed_s += 100
    assert 200_000 <= client.unreachable_ms() < 300_000
    client.ensure_majority()
    assert asked == [], "calls fail by themselves"
    hear("CONNECTED")
    assert client.unreachable_ms() == 0
    client.ensure_majority()
    assert asked == ["majority"]
    client.close()


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda client: client.seen(), "the members are not known"),
        (lambda client: client.ask_members(unanswered), "the members were asked"),
        (lambda client: client.map("scoopi.new"), "the map scoopi.new cannot be opened"),
        (lambda client: client.remove("scoopi.new"), "the map scoopi.new cannot be removed"),
    ],
)
def test_what_gets_no_answer_in_time_is_refused(
    client: ClusterClient, monkeypatch: pytest.MonkeyPatch, call: Callable[[ClusterClient], object], what: str
) -> None:
    monkeypatch.setattr(MemberView, "is_known", lambda view, timeout_s: False)
    monkeypatch.setattr(client.timeout, "wait", lambda wait: False)
    # A member may be quicker than the first look at its answer.
    monkeypatch.setattr(ClusterClient, "has_come", lambda client, answer: False)
    with pytest.raises(StoreError) as refused:
        call(client)
    assert refused.value.what == f"{what}: no answer in time"


def test_a_call_that_hangs_inside_the_client_keeps_no_process_from_ending(
    client: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    daemons: list[bool] = []

    class Recorded(threading.Thread):
        def start(self) -> None:
            daemons.append(self.daemon)
            super().start()

    monkeypatch.setattr(cluster_client, "threading", SimpleNamespace(Thread=Recorded, Event=threading.Event))
    client.map("scoopi.daemon")
    client.remove("scoopi.daemon")
    assert daemons == [True, True]


def unanswered(connection: Any) -> Any:
    """A question that a member does not answer in time."""
    words: Any = importlib.import_module("hazelcast.protocol.client_message")
    question: Any = importlib.import_module("hazelcast.invocation").Invocation
    buffer = words.create_initial_buffer(words.REQUEST_HEADER_SIZE, 0x7F0100, True)
    asked = question(words.OutboundMessage(buffer, True), connection=connection)
    asked.future.done = lambda: False
    return asked


def test_a_client_that_must_not_be_used_is_disconnected_before_the_error(
    cluster: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scoopi.store.cluster import grid_values  # late: the client's import would warn before

    ended: list[object] = []

    def refuse(client: Any) -> None:
        shutdown = client.shutdown
        monkeypatch.setattr(client, "shutdown", lambda: ended.append(shutdown()))
        raise ClusterError("the client is of another version")

    monkeypatch.setattr(grid_values, "read_own_types_only", refuse)
    with pytest.raises(ClusterError, match="the client is of another version"):
        ClusterClient(cluster.settings)
    assert ended == [None]


def test_the_clients_own_log_stays_off_the_terminal(client: ClusterClient) -> None:
    assert client.seen() == 1
    assert logging.getLogger("hazelcast").handlers, "else Python writes its warnings to stderr"
