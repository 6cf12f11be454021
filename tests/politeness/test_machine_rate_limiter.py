"""MachineRateLimiter: runs of one user on one machine share a host's delay, even if one crashes."""

from __future__ import annotations

import fcntl
import logging
import os
import random
import struct
from collections.abc import Callable, Iterator
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

import pytest

from scoopi.configs.groups import FetchLimits
from scoopi.errors import LoadFault
from scoopi.politeness import machine_rate_limiter
from scoopi.politeness.host_rate_limiter import HostRateLimiter, RateLimiterRules
from scoopi.politeness.machine_rate_limiter import LOCKED_S, POLL_S, YIELD_S, MachineRateLimiter
from tests.clock import Clock

HOST = "one.example:80"
DELAY_S = 1.0
RunAt = Callable[[], HostRateLimiter]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "pace"


@pytest.fixture
def run_at(file: Path, clock: Clock) -> Iterator[RunAt]:
    """Starts a run of one request a second."""
    made: list[HostRateLimiter] = []

    def start() -> HostRateLimiter:
        machine = MachineRateLimiter(file, clock)
        made.append(
            HostRateLimiter(FetchLimits(1, int(DELAY_S * 1000)), clock, RateLimiterRules(machine=machine))
        )
        return made[-1]

    yield start
    for each in made:
        each.close()


def send(run: HostRateLimiter, clock: Clock, host: str = HOST) -> None:
    """A request that is sent at once, and answered."""
    assert run.grant(host, "job") is not None
    run.sent(host, "job", clock.now)
    run.ended(host, "job", heard=True)


def test_a_host_that_one_run_has_asked_waits_for_the_other(run_at: RunAt, clock: Clock) -> None:
    first, second = run_at(), run_at()
    send(first, clock)
    assert second.grant(HOST, "b") is None
    assert second.ready_at(HOST) == pytest.approx(clock.now + DELAY_S, abs=1e-6)
    send(second, clock, "two.example:80")
    clock.now += DELAY_S + 1e-6
    send(second, clock)
    assert first.grant(HOST, "c") is None


def test_while_a_request_is_not_reported_the_other_run_looks_again_soon(run_at: RunAt, clock: Clock) -> None:
    first, second = run_at(), run_at()
    assert first.grant(HOST, "a") is not None
    assert second.grant(HOST, "b") is None
    assert second.ready_at(HOST) == pytest.approx(clock.now + POLL_S)
    first.sent(HOST, "a", clock.now)
    clock.now += POLL_S
    assert second.grant(HOST, "b") is None
    assert second.ready_at(HOST) == pytest.approx(clock.now - POLL_S + DELAY_S, abs=1e-6)


def test_a_run_that_crashes_with_a_grant_leaves_a_time_that_is_late_enough(
    run_at: RunAt, clock: Clock
) -> None:
    crashed, other = run_at(), run_at()
    grant = crashed.grant(HOST, "a")
    assert grant is not None
    clock.now = grant.not_after + DELAY_S - 0.001
    assert other.grant(HOST, "b") is None
    clock.now += 0.002
    assert other.grant(HOST, "b") is not None


def test_a_request_that_was_never_sent_costs_the_other_run_nothing(run_at: RunAt, clock: Clock) -> None:
    first, second = run_at(), run_at()
    assert first.grant(HOST, "a") is not None
    first.ended(HOST, "a")
    clock.now += 1e-6
    assert second.grant(HOST, "b") is not None


def test_runs_take_turns(run_at: RunAt, clock: Clock) -> None:
    first, second = run_at(), run_at()
    send(first, clock)
    assert second.grant(HOST, "b") is None
    clock.now += DELAY_S + 1e-6
    assert first.grant(HOST, "a") is None, "the other one waits"
    assert first.ready_at(HOST) == pytest.approx(clock.now + YIELD_S)
    send(second, clock)
    clock.now += DELAY_S + 1e-6
    send(first, clock)


def test_a_run_that_meets_another_says_so_once(
    run_at: RunAt, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = run_at(), run_at()
    with caplog.at_level(logging.INFO):
        for host in (HOST, "two.example:80"):
            send(first, clock, host)
            assert second.grant(host, "b") is None
    assert caplog.messages == [
        f"host {HOST}: another run of this user on this machine sends requests too; they share the delay"
    ]


def test_a_turn_that_is_left_to_a_run_that_is_gone_is_taken(run_at: RunAt, clock: Clock) -> None:
    first, second = run_at(), run_at()
    send(first, clock)
    assert second.grant(HOST, "b") is None
    clock.now += DELAY_S + 1e-6
    assert first.grant(HOST, "a") is None
    clock.now += YIELD_S
    send(first, clock)


def test_a_host_that_asks_to_be_left_alone_is_left_alone_by_both(run_at: RunAt, clock: Clock) -> None:
    first, second = run_at(), run_at()
    assert first.grant(HOST, "a") is not None
    first.sent(HOST, "a", clock.now)
    first.ended(HOST, "a", heard=True, fault=LoadFault("status 429", is_transient=True, retry_after_s=30))
    assert second.grant(HOST, "b") is None
    assert second.ready_at(HOST) >= clock.now + 29.9


def test_a_host_without_a_delay_costs_nothing(file: Path, clock: Clock) -> None:
    runs = [
        HostRateLimiter(FetchLimits(1, 0), clock, RateLimiterRules(machine=MachineRateLimiter(file, clock)))
        for _ in range(2)
    ]
    for run in runs:
        send(run, clock)
    assert not file.exists()


def test_over_random_runs_no_gap_is_shorter_than_the_delay(file: Path, clock: Clock) -> None:
    luck = random.Random(7)
    limits = FetchLimits(1, int(DELAY_S * 1000))
    runs = [
        HostRateLimiter(limits, clock, RateLimiterRules(machine=MachineRateLimiter(file, clock)))
        for _ in range(3)
    ]
    sent: dict[str, list[float]] = {"a:1": [], "b:1": []}
    turns = [0, 0, 0]
    for _ in range(4000):
        clock.now += luck.expovariate(20)
        which, host = luck.randrange(3), luck.choice(sorted(sent))
        grant = runs[which].grant(host, "job")
        if grant is None:
            continue
        if luck.random() < 0.1:  # the run crashes, with a request on its way
            sent[host].append(luck.uniform(clock.now, grant.not_after))
            runs[which].close()
            runs[which] = HostRateLimiter(
                limits, clock, RateLimiterRules(machine=MachineRateLimiter(file, clock))
            )
            continue
        turns[which] += 1
        clock.now += luck.uniform(0, 0.1)
        sent[host].append(clock.now)
        runs[which].sent(host, "job", clock.now)
        runs[which].ended(host, "job", heard=True)
    for times in sent.values():
        assert min(after - before for before, after in pairwise(sorted(times))) >= DELAY_S - 1e-6
    assert min(turns) > max(turns) / 3


def test_times_of_an_earlier_boot_mean_nothing(
    run_at: RunAt, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(run_at(), clock)
    (tmp_path / "boot_id").write_text("another boot of the machine\n")
    monkeypatch.setattr(machine_rate_limiter, "BOOT_ID", tmp_path / "boot_id")
    clock.now = 1.0
    send(run_at(), clock)


def test_two_runs_that_begin_at_once_do_not_empty_the_file_of_each_other(
    run_at: RunAt, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = run_at(), run_at()
    read = os.pread

    def read_before_the_first_began(handle: int, length: int, at: int) -> bytes:
        found = read(handle, length, at)
        monkeypatch.setattr(os, "pread", read)
        send(first, clock)
        return found

    monkeypatch.setattr(os, "pread", read_before_the_first_began)
    assert second.grant(HOST, "b") is None


def test_the_file_is_open_from_the_first_request_until_the_run_ends(
    file: Path, run_at: RunAt, clock: Clock
) -> None:
    def is_open() -> bool:
        return str(file) in [os.path.realpath(each) for each in Path("/proc/self/fd").iterdir()]

    run = run_at()
    seen = [is_open()]
    send(run, clock)
    seen.append(is_open())
    run.close()
    assert [*seen, is_open()] == [False, True, False]


def test_times_far_ahead_mean_nothing(run_at: RunAt, clock: Clock) -> None:
    clock.now += 200_000
    send(run_at(), clock)
    clock.now -= 100_000
    send(run_at(), clock)


def test_many_hosts_share_the_file_and_none_another_ones_time(file: Path, clock: Clock) -> None:
    run = HostRateLimiter(
        FetchLimits(1, 60_000), clock, RateLimiterRules(machine=MachineRateLimiter(file, clock))
    )
    other = HostRateLimiter(
        FetchLimits(1, 60_000), clock, RateLimiterRules(machine=MachineRateLimiter(file, clock))
    )
    for number in range(1500):
        send(run, clock, f"h{number}.example:80")
    assert not [n for n in range(1500) if other.grant(f"h{n}.example:80", "b") is not None]
    assert file.stat().st_size <= 5 * 2**20


def test_more_hosts_than_there_is_room_for_are_reported(
    file: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(machine_rate_limiter, "BUCKETS", 1)
    run = HostRateLimiter(
        FetchLimits(1, 1000), clock, RateLimiterRules(machine=MachineRateLimiter(file, clock))
    )
    for number in range(40):
        send(run, clock, f"h{number}.example:80")
    (message,) = caplog.messages
    assert "not shared" in message
    assert "too many hosts" in message


def test_the_place_of_a_host_whose_time_is_over_is_used_again(
    file: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(machine_rate_limiter, "BUCKETS", 1)
    run = HostRateLimiter(
        FetchLimits(1, 1000), clock, RateLimiterRules(machine=MachineRateLimiter(file, clock))
    )
    for number in range(200):
        send(run, clock, f"h{number}.example:80")
        clock.now += 0.1
    assert caplog.messages == []


def test_a_process_that_was_stopped_with_the_lock_is_not_waited_for_long(
    file: Path, run_at: RunAt, clock: Clock
) -> None:
    run = run_at()
    send(run, clock)
    with file.open("r+b") as stopped:
        fcntl.lockf(stopped, fcntl.LOCK_EX)
        clock.now += DELAY_S + 1e-6
        while (waited := run.grant(HOST, "b")) is None and clock.now < 1100:
            clock.now += POLL_S
    assert waited is not None
    assert 1000 + LOCKED_S < clock.now < 1000 + LOCKED_S + 2 * DELAY_S


@pytest.mark.parametrize("kind", ["link", "folder", "fifo", "nowhere", "read-only"])
def test_what_is_not_a_file_of_the_user_is_left_alone_and_reported_once(
    file: Path, clock: Clock, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    place = file.parent / "absent" / "pace" if kind == "nowhere" else file
    if kind == "link":
        place.symlink_to(file.parent / "target")
    elif kind == "folder":
        place.mkdir()
    elif kind == "fifo":
        os.mkfifo(place)
    elif kind == "read-only":
        place.symlink_to("/proc/version")
    with caplog.at_level(logging.DEBUG):
        run = HostRateLimiter(
            FetchLimits(1, 1000), clock, RateLimiterRules(machine=MachineRateLimiter(place, clock))
        )
        send(run, clock)
        clock.now += DELAY_S
        send(run, clock)
        run.close()
    (message,) = caplog.messages
    assert "are not shared with other runs" in message
    assert str(place) in message
    assert not (file.parent / "target").exists()


def test_a_file_that_is_cut_while_runs_use_it_costs_only_its_times(
    file: Path, run_at: RunAt, clock: Clock
) -> None:
    first, second = run_at(), run_at()
    send(first, clock)
    os.truncate(file, 0)
    send(second, clock)
    clock.now += DELAY_S + 1e-6
    assert first.grant(HOST, "c") is not None or second.grant(HOST, "c") is not None


def test_a_late_report_leaves_the_place_alone_that_another_host_has_by_now(
    file: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_rate_limiter, "BUCKETS", 1)
    late, run, other = (
        HostRateLimiter(
            FetchLimits(1, 60_000), clock, RateLimiterRules(machine=MachineRateLimiter(file, clock))
        )
        for _ in range(3)
    )
    assert late.grant(HOST, "a") is not None
    clock.now += 100
    hosts = [f"h{number}.example:80" for number in range(machine_rate_limiter.SLOTS)]
    for host in hosts:
        send(run, clock, host)
    clock.now += 1
    late.sent(HOST, "a", clock.now)
    assert [host for host in hosts if other.grant(host, "b") is not None] == []


def test_runs_of_other_versions_find_a_host_where_this_one_has_written_it(
    file: Path, run_at: RunAt, clock: Clock
) -> None:
    send(run_at(), clock)
    digest = blake2b(HOST.encode(), digest_size=16).digest()
    bucket, tag = (int.from_bytes(half, "little") for half in (digest, digest[8:]))
    data = file.read_bytes()
    boot = machine_rate_limiter.BOOT_ID.read_bytes()
    assert data[: len(boot)] == boot
    place = 4096 + bucket % 16_384 * 256
    found, time_ns = struct.unpack("<Qq", data[place : place + 16])
    assert found == tag | 1
    assert (time_ns / 1e9, time_ns & 3) == (pytest.approx(clock.now + DELAY_S, abs=1e-6), 0)
    assert not any(data[len(boot) : place])
    assert file.stat().st_mode & 0o777 == 0o600
