"""RequestLog: what is noted is on disk at once, and the files of all processes add up."""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path

import pytest

from scoopi.model.report.request_figures import HostRequestFigures
from scoopi.politeness.request_log import ERROR, REST, ROBOTS, SLEEP, RequestLog, read_logs

ONE, TWO = "a.example:80", "b.example:80"


@pytest.fixture
def log(tmp_path: Path) -> RequestLog:
    """An empty log."""
    return RequestLog(tmp_path / "requests-1.log")


def test_the_figures_of_a_host_are_those_of_its_lines(log: RequestLog, tmp_path: Path) -> None:
    for at in (100.0, 100.25, 102.0):
        log.sent(ONE, at)
    log.sent(TWO, 100.1)
    log.happened(ERROR, ONE, 103.0, "status 503")
    log.happened(ERROR, ONE, 103.0, "status 503")
    log.happened(ERROR, ONE, 103.0, "connect")
    log.happened(SLEEP, ONE, 103.0, "30.500")
    log.happened(REST, ONE, 104.0, "4.0")
    log.happened(ROBOTS, ONE, 100.0, "2 rules")
    log.close()
    one, two = read_logs([tmp_path / "requests-1.log"])
    errors = {"connect": 1, "status 503": 2}
    assert one == HostRequestFigures(ONE, 3, 1.0, 250.0, errors, 1, 30.5, 1, "2 rules")
    assert two == HostRequestFigures(TWO, 1)


def test_the_shortest_gap_is_found_across_processes(tmp_path: Path) -> None:
    files = [tmp_path / f"requests-{number}.log" for number in range(2)]
    for file, times in zip(files, ((10.0, 20.0), (14.0, 19.5)), strict=True):
        log = RequestLog(file)
        for at in times:
            log.sent(ONE, at)
        log.close()
    (figures,) = read_logs(files)
    assert figures.shortest_gap_ms == pytest.approx(500.0, abs=1)


def test_what_was_flushed_survives_and_a_torn_line_is_passed_over(log: RequestLog, tmp_path: Path) -> None:
    log.sent(ONE, time.monotonic())
    log.flush()
    with (tmp_path / "requests-1.log").open("a") as file:
        file.write("S 17")
    (figures,) = read_logs([tmp_path / "requests-1.log"])
    assert figures.requests == 1


def test_what_a_write_leaves_is_written_before_what_follows(
    log: RequestLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    with monkeypatch.context() as context:
        context.setattr(os, "write", lambda handle, data: write(handle, data[:7]))
        log.sent(ONE, time.monotonic())
        log.flush()
    log.sent(TWO, time.monotonic())
    log.close()
    assert [(figures.host, figures.requests) for figures in read_logs([tmp_path / "requests-1.log"])] == [
        (ONE, 1),
        (TWO, 1),
    ]


def test_a_log_that_cannot_be_written_is_a_warning_and_nothing_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = RequestLog(tmp_path / "missing" / "requests-1.log")
    with caplog.at_level(logging.WARNING):
        for at in (1.0, 2.0):
            log.sent(ONE, at)
            log.flush()
        log.close()
    assert [record.message.startswith("figures of politeness") for record in caplog.records] == [True]


def test_nothing_is_written_for_a_run_without_requests(log: RequestLog, tmp_path: Path) -> None:
    log.flush()
    log.close()
    assert not list(tmp_path.iterdir())


def test_a_line_names_its_kind_the_time_of_day_and_the_number_of_its_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "requests-1.log"
    with monkeypatch.context() as patched:
        patched.setattr(time, "time", lambda: 1_700_000_000.5)
        patched.setattr(time, "monotonic", lambda: 100.0)
        log = RequestLog(file)
    log.sent(ONE, 100.0)
    log.happened(ERROR, TWO, 101.0, "status 503")
    log.sent(ONE, 102.0)
    log.close()
    lines = [line.split(" ") for line in file.read_text().splitlines()]
    times = [float(line.pop(1)) for line in lines if line[0] != "H"]
    assert lines == [["H", ONE], ["S", "0"], ["H", TWO], ["E", "1", "status", "503"], ["S", "0"]]
    assert times == [1_700_000_000.5, 1_700_000_001.5, 1_700_000_002.5]
    assert file.stat().st_mode & 0o777 == 0o600, "addresses may be private"


def test_of_what_is_known_of_robots_txt_the_latest_counts(log: RequestLog, tmp_path: Path) -> None:
    for at, what in ((100.0, "2 rules"), (300.0, "3 rules"), (200.0, "none")):
        log.happened(ROBOTS, ONE, at, what)
    log.close()
    (figures,) = read_logs([tmp_path / "requests-1.log"])
    assert (figures.robots, figures.requests, figures.per_s) == ("3 rules", 0, None)


def test_a_log_that_goes_on_after_its_close_keeps_what_it_has(log: RequestLog, tmp_path: Path) -> None:
    for at in (10.0, 12.0, 13.0):
        log.sent(ONE, at)
        log.close()
    (figures,) = read_logs([tmp_path / "requests-1.log"])
    assert (figures.requests, figures.per_s, figures.shortest_gap_ms) == (3, 0.667, 1000.0)


def test_the_warning_of_a_log_names_the_file_and_the_cause(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "missing" / "requests-1.log"
    log = RequestLog(file)
    log.sent(ONE, 1.0)
    log.close()
    assert caplog.messages == [f"figures of politeness are incomplete: {file}: No such file or directory"]


def test_the_seconds_that_a_host_has_slept_are_added_up_and_then_rounded(
    log: RequestLog, tmp_path: Path
) -> None:
    for seconds in ("1.040", "2.020", "0.500"):
        log.happened(SLEEP, ONE, 100.0, seconds)
    log.close()
    (figures,) = read_logs([tmp_path / "requests-1.log"])
    assert (figures.sleeps, figures.slept_s, figures.rests) == (3, 3.6, 0)
