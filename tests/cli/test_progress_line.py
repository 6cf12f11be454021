"""The progress line shows where a run stands, on a terminal that can redraw it and nowhere else."""

from __future__ import annotations

import io
import re
from collections import deque
from typing import Any

import pytest

from scoopi.cli.progress_line import FIRST_TROUBLE_S, RECENT, STATUS_S, ProgressLine, Recent, progress_text
from scoopi.cli.terminal import Terminal
from scoopi.model.report.progress import Progress


class Tty(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


STATE = Progress(
    done=1200,
    failed=3,
    left=40,
    pages=1190,
    waiting_hosts=("slow.test:80", "b:80", "c:80"),
    seconds=20,
)


def test_the_words_are_jobs_speed_failures_and_hosts() -> None:
    recent: Recent = deque([(10.0, 1000, 1003), (20.0, 1190, 1200)])
    assert progress_text(STATE, recent) == (
        "1,200/1,240 jobs  19.0 pages/s  3 failed  waiting for slow.test:80 and 2 more"
    )


def test_the_reason_for_which_a_host_is_waited_for_is_named() -> None:
    progress = Progress(left=1, waiting_hosts=("a:80",), waiting_reason="2 errors in a row: connect")
    assert progress_text(progress, deque([(0.0, 0, 0)])) == (
        "0/1 job  waiting for a:80 (2 errors in a row: connect)"
    )


def test_at_the_start_there_is_no_speed_yet() -> None:
    assert progress_text(Progress(left=1), deque([(0.0, 0, 0)])) == "0/1 job"


def drawn(environ: dict[str, str], quiet: bool = False, stream: io.StringIO | None = None) -> str:
    err = Tty() if stream is None else stream
    with ProgressLine(Terminal(io.StringIO(), err, environ), quiet) as line:
        line.show(Progress(left=1240))
        line.show(STATE)
    return err.getvalue()


def test_on_a_terminal_the_line_is_drawn_and_taken_away() -> None:
    text = drawn({"TERM": "xterm", "COLUMNS": "200", "NO_COLOR": "1"})
    assert "1,200/1,240 jobs" in text
    assert text.endswith("\x1b[?25h\r\x1b[1A\x1b[2K")


def test_without_colours_the_line_has_no_looks_at_all() -> None:
    styles = re.compile(r"\x1b\[[0-9;]*m")
    assert not styles.search(drawn({"TERM": "xterm", "NO_COLOR": "1"}))
    assert styles.search(drawn({"TERM": "xterm"}))


@pytest.mark.parametrize("environ", [{"TERM": "dumb"}, {}])
def test_a_dumb_terminal_gets_no_line(environ: dict[str, str]) -> None:
    assert drawn(environ) == ""


def test_quiet_or_piped_there_is_no_line_even_with_forced_colours() -> None:
    assert drawn({"TERM": "xterm"}, quiet=True) == ""
    assert drawn({"TERM": "xterm", "FORCE_COLOR": "1"}, stream=io.StringIO()) == ""


@pytest.mark.parametrize(
    ("environ", "tty", "has_colours"),
    [
        ({"TERM": "xterm"}, True, True),
        ({"TERM": "xterm"}, False, False),
        ({"TERM": "dumb"}, True, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, True, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0", "TERM": "xterm"}, False, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, False, True),
    ],
)
def test_colours_follow_the_environment(environ: dict[str, str], tty: bool, has_colours: bool) -> None:
    terminal: Any = Terminal(io.StringIO(), Tty() if tty else io.StringIO(), environ)
    assert terminal.has_colours is has_colours


def test_retries_are_shown_with_the_time_of_the_next_one() -> None:
    waiting = Progress(done=3, left=12, retrying=12, retry_in_s=7.6)
    assert progress_text(waiting, deque([(0.0, 0, 0)])) == "3/15 jobs  12 waiting for retry, next in 8 s"


def of_speed(*speeds: float) -> Recent:
    """Reports of a second each, with these numbers of jobs."""
    recent: Recent = deque(maxlen=RECENT)
    jobs = 0.0
    for number in range(RECENT):
        recent.append((float(number), int(jobs), int(jobs)))
        jobs += speeds[number * len(speeds) // RECENT]
    return recent


def state(recent: Recent, **known: Any) -> Progress:
    seconds, pages, done = recent[-1]
    return Progress(
        **{"done": done, "left": 600, "pages": pages, "seconds": seconds, "is_complete": True, **known}
    )


@pytest.mark.parametrize(
    ("speeds", "known", "left"),
    [
        ((10.0, 10.0), {}, "60 s left"),
        ((10.0, 11.0), {}, "57 s left"),
        ((10.0, 10.0), {"left": 72_000}, "2 h 00 min left"),
        ((10.0, 10.0), {"retrying": 1, "retry_in_s": 90.0}, "90 s left"),
        ((10.0, 30.0), {}, ""),
        ((0.2, 0.2), {}, ""),
        ((10.0, 10.0), {"is_complete": False}, ""),
        ((10.0, 10.0), {"left": 0}, ""),
    ],
)
def test_the_time_left_is_shown_when_all_pages_are_known_and_the_speed_is_steady(
    speeds: tuple[float, ...], known: dict[str, Any], left: str
) -> None:
    recent = of_speed(*speeds)
    words = progress_text(state(recent, **known), recent).split("  ")
    assert [word for word in words if word.endswith(" left")] == [left] * bool(left)


def test_where_no_line_can_be_redrawn_one_is_written_every_30_seconds() -> None:
    err = io.StringIO()
    with ProgressLine(Terminal(io.StringIO(), err, {}), quiet=False) as line:
        for seconds in range(70):
            line.show(Progress(done=seconds, left=100 - seconds, pages=seconds, seconds=float(seconds)))
    assert STATUS_S == 30
    first, second = err.getvalue().splitlines()
    assert first == "30.0 s: 30/100 jobs  1.00 pages/s"
    assert second == "60.0 s: 60/100 jobs  1.00 pages/s"


def test_a_quiet_run_writes_no_status() -> None:
    err = io.StringIO()
    with ProgressLine(Terminal(io.StringIO(), err, {}), quiet=True) as line:
        line.show(Progress(done=1, seconds=1000.0))
    assert err.getvalue() == ""


def test_the_end_is_foretold_where_few_pages_a_minute_are_loaded_as_hosts_have_a_delay() -> None:
    recent: Recent = deque((report / 4, report // 4, report // 4) for report in range(120))
    progress = Progress(seconds=30.0, done=29, left=300, pages=29, is_complete=True)
    words = progress_text(progress, recent).split("  ")
    assert words[2:] == ["5 min 00 s left"]
    few = deque(list(recent)[:60])
    assert not any("left" in word for word in progress_text(progress, few).split("  ")), "too few to judge"


def test_a_host_that_no_page_comes_from_is_named_once_after_three_seconds() -> None:
    err = io.StringIO()
    with ProgressLine(Terminal(io.StringIO(), err, {}), quiet=False) as line:
        for seconds in range(29):
            reason = "an error: no connection" if seconds else ""
            line.show(
                Progress(left=1, waiting_hosts=("a:80",), waiting_reason=reason, seconds=float(seconds))
            )
    assert FIRST_TROUBLE_S == 3
    assert err.getvalue() == "3.00 s: 0/1 job  0.00 pages/s  waiting for a:80 (an error: no connection)\n"
