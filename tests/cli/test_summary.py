"""The summary shows a run at a glance."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from scoopi.cli.summary import Summary
from scoopi.model.failure import Failure
from scoopi.model.report.causes import Cause
from scoopi.model.report.run_counts import ChangeCounts, EntryTime, JobCounts, LoadCounts
from scoopi.model.report.run_report import RunReport, RunStatus

NOW = datetime(2026, 1, 1, tzinfo=UTC)
FULL = RunReport(
    run="20260101-000000-1a2b",
    folder="output/20260101-000000-1a2b",
    status=RunStatus.STOPPED,
    signal=2,
    started=NOW,
    ended=NOW,
    jobs=JobCounts(done=1200, failed=3, warned=1, left=40),
    pages=1203,
    rows={"data.txt": 28080, "prices.txt": 117},
    errors=(
        Cause(
            "HTTP status 404",
            2,
            Failure(
                "HTTP status 404",
                "HTTP status 404: Not Found",
                "acme:quote",
                "price",
                "loader",
                "https://x.test/a",
                "q.yml:3:5",
            ),
        ),
        Cause("too many rows", 1, Failure("too many rows", "too many rows")),
    ),
    warnings=(Cause("stop value never met", 1, Failure("stop value never met", "", "b:c", url="x\x1b[2J")),),
    times={"parse": 4.0, "link": 61.25, "loader": 500.0},
    seconds=125.4,
    resume_hint="scoopi resume output/20260101-000000-1a2b",
)


def text(screen: Any, **changes: Any) -> str:
    return Summary(screen.terminal).text(replace(FULL, **changes))


def test_a_full_summary_reads_so(screen: Any) -> None:
    assert (
        text(screen)
        == """\
stopped by SIGINT after 2 min 05 s
  jobs    1,200 done, 3 failed, 1 with warnings, 40 left
  pages   1,203  (9.59 pages/s)
  rows    28,080  data.txt
             117  prices.txt
  time    link 61.2 s, parse 4.00 s, loading 415.6 ms a page
  output  output/20260101-000000-1a2b

errors
      2x  HTTP status 404
          HTTP status 404: Not Found
          job acme:quote, task price, step loader
          https://x.test/a
          q.yml:3:5
      1x  too many rows

warnings
      1x  stop value never met
          job b:c
          x�[2J

continue with  scoopi resume output/20260101-000000-1a2b"""
    )


def test_a_good_run_is_short(screen: Any) -> None:
    report = RunReport("r", "output/r", RunStatus.DONE, NOW, NOW, jobs=JobCounts(done=1), seconds=0.5)
    assert Summary(screen.terminal).text(report) == (
        "done in 0.50 s\n  jobs    1 done\n  pages   0\n  rows    none\n  output  output/r"
    )


def test_what_has_loaded_pages_is_counted_by_group(screen: Any) -> None:
    shown = text(screen, loads={"shop": LoadCounts(1200, 3)})
    assert "  loaders shop: 1,200 by plain HTTP, 3 in a browser\n" in shown


def test_of_many_groups_the_others_are_counted(screen: Any) -> None:
    many = {f"g{number:02}": LoadCounts(1, 1) for number in range(12)}
    assert "and 2 more groups\n" in text(screen, loads=many)
    many.pop("g00")
    assert "and 1 more group\n" in text(screen, loads=many)


def test_what_took_no_step_has_no_line_of_times(screen: Any) -> None:
    assert "time" not in text(screen, pages=0, times={"loader": 0.5})


def test_the_slowest_entries_are_named_with_their_lines(screen: Any) -> None:
    assert "slowest" not in text(screen)
    entries = (
        EntryTime("prices", "item loaf", 61.25, "bakery.yml:15:56"),
        EntryTime("towns", "each", 0.0125, "towns.yml:3:1"),
    )
    assert text(screen, slowest=entries).partition("  slowest ")[2].splitlines()[:2] == [
        " 61.2 s  prices: item loaf (bakery.yml:15:56)",
        "          12.5 ms  towns: each (towns.yml:3:1)",
    ]


def test_the_slowest_tasks_are_named_if_there_are_several(screen: Any) -> None:
    assert "tasks" not in text(screen, tasks={"bread.prices": 3.0})
    assert "tasks" not in text(screen, tasks={"bread.prices": 0.4, "bread.links": 0.5})
    tasks = {"bread.prices": 3.0, "bread.links": 61.25} | {f"towns.t{at}": 2.0 for at in range(5)}
    lines = text(screen, tasks=tasks).partition("  tasks  ")[2].splitlines()
    assert [line.strip() for line in lines[:6]] == [
        *("61.2 s  bread.links", "3.00 s  bread.prices", "2.00 s  towns.t0", "2.00 s  towns.t1"),
        *("2.00 s  towns.t2", "and 2 more"),
    ]


def test_a_cause_that_says_all_is_reported_once(screen: Any) -> None:
    reported = Failure("parser: script failed", "script failed", "a:b", "prices", "parser", at="q.yml:3:5")
    shown = text(screen, errors=(Cause("parser: script failed", 1, reported),))
    assert shown.count("script failed") == 1


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"status": RunStatus.DONE}, "done, but 3 of 1,203 jobs failed, in 2 min 05 s"),
        ({"status": RunStatus.DONE, "jobs": JobCounts(done=4)}, "done in 2 min 05 s"),
        ({"status": RunStatus.FAILED}, "failed after 2 min 05 s"),
        ({"status": RunStatus.STOPPED, "signal": None}, "stopped after 2 min 05 s"),
        ({"status": RunStatus.DONE, "missing": ("a:b",)}, "failed after 2 min 05 s"),
    ],
)
def test_the_first_line_is_the_outcome(screen: Any, changes: dict[str, Any], outcome: str) -> None:
    assert text(screen, **changes).splitlines()[0] == outcome


def test_what_is_not_published_and_what_is_lost_is_said(screen: Any) -> None:
    reported = text(screen, published=False, publish_note="no time was left", missing=("a:b", "c:d"))
    assert "the files do not contain all rows yet\n          no time was left\n" in reported
    assert "  lost    the rows of 2 jobs are missing:\n          a:b\n          c:d\n" in reported


def test_a_resumed_run_shows_no_speed(screen: Any) -> None:
    reported = text(screen, started=datetime(2025, 12, 31, tzinfo=UTC))
    assert "  pages   1,203\n" in reported


def test_long_lists_are_cut_with_their_number(screen: Any) -> None:
    cause = FULL.errors[1]
    reported = text(
        screen,
        errors=(cause,) * 13,
        rows={f"f{place}": 1 for place in range(12)},
        missing=tuple(f"j:{place}" for place in range(12)),
    )
    assert "  and 3 other causes, see run.json\n" in reported
    assert "2 in 2 more files\n" in reported
    assert "and 2 more\n" in reported


def test_colours_are_only_where_the_terminal_has_them(screen: Any) -> None:
    assert "\x1b" not in text(screen)
    screen.environ["FORCE_COLOR"] = "1"
    assert "\x1b[1;33mstopped by SIGINT\x1b[0m" in text(screen)
    screen.environ["NO_COLOR"] = "1"
    assert "\x1b" not in text(screen)


def test_an_address_is_reported_once(screen: Any) -> None:
    failure = Failure("not there", "https://x.test/a: not there; put it there", url="https://x.test/a")
    assert text(screen, errors=(Cause("not there", 1, failure),), warnings=()).count("x.test") == 1


def test_it_is_said_which_selectors_met_nothing(screen: Any) -> None:
    reported = (
        "dim price of books: without a value in its only row of 1 page (b.yml:3:5)",
        "dataDef c: no row",
    )
    assert (
        f"  empty   {reported[0]}\n          {reported[1]}\n          try the selectors in a browser's"
        in text(screen, empty=reported)
    )


def test_a_file_without_rows_is_named_though_others_have_some(screen: Any) -> None:
    rows = {"data.txt": 3, "prices.txt": 0, "sizes.txt": 0}
    reported = text(screen, rows=rows)
    assert "no rows in prices.txt, sizes.txt: check the filters" in reported
    assert "no rows in" not in text(screen, rows=rows, empty=("dataDef prices: no row on 3 pages",))
    assert "no rows in" not in text(screen, rows={"data.txt": 3})
    assert "no rows in" not in text(screen, rows=rows, published=False)
    assert "no rows in" not in text(screen, rows=rows, jobs=JobCounts(failed=3)), "the errors say why"


def test_rows_that_went_to_stdout_are_not_said_to_be_in_a_file(screen: Any) -> None:
    reported = Summary(screen.terminal, to_stdout=True).text(replace(FULL, rows={"data.txt": 1234}))
    assert "  rows    1,234  on stdout\n" in reported
    assert "data.txt" not in reported


@pytest.mark.parametrize(("seconds", "reported"), [(0.0002, "0.20 ms"), (0.0123, "12.3 ms"), (2.5, "2.50 s")])
def test_loading_is_reported_a_page_as_many_load_at_a_time(
    screen: Any, seconds: float, reported: str
) -> None:
    times = {"parse": 1.0, "loader": 4 * seconds}
    assert f"  time    parse 1.00 s, loading {reported} a page\n" in text(screen, times=times, pages=4)
    assert "  time    parse 1.00 s\n" in text(screen, times=times, pages=0)


def test_changes_are_counted_once_for_outputs_with_the_same_records(screen: Any) -> None:
    counts = ChangeCounts(new=1200, gone=3, unchanged=8, unknown=2)
    shown = text(
        screen,
        rows={"a.csv": 1203, "a.jsonl": 1203, "b.csv": 0},
        changes={"a.csv": counts, "a.jsonl": counts, "b.csv": ChangeCounts(unchanged=5)},
    )
    assert (
        "  changes 1,200 new, 0 changed, 3 gone, 8 unchanged, 2 unknown as their pages were not loaded: "
        "a.csv, a.jsonl\n"
        "          0 new, 0 changed, 0 gone, 5 unchanged: b.csv\n"
    ) in shown
    assert "no rows in" not in shown
