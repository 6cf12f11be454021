"""The scheduler's verbs, as a user types them: deploy, tick, launch, why, and workers from outside."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from scoopi.scheduler.decisions import changed
from scoopi.serve.passes import Passes
from scoopi.serve.state import State
from tests.cli.conftest import Screen

SHOP = """
namespace: shop
processes:
  books:
    executes: "python:actions:books"
    trigger: {cron: "0 6 * * *", timezone: Europe/Berlin}
    retry: {max: 3}
  clean: {executes: "python:actions:clean", trigger: {after: books}}
  press:
    executes: external:press
    inputs: {paper: a4}
    retry: {max: 1, delay: 10m, on_exhausted: hold}
"""


@pytest.fixture
def shop(screen: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Screen:
    """A deployed project, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    Path("jobs").mkdir()
    Path("jobs/shop.yml").write_text(SHOP)
    assert screen.run("deploy", "jobs", "--now", "2026-03-27T12:00:00Z") == 0
    return screen


def printed(screen: Screen, *arguments: str, code: int = 0) -> str:
    """What a command writes to stdout."""
    before = len(screen.out.getvalue())
    assert screen.run(*arguments) == code, screen.err.getvalue()
    return screen.out.getvalue()[before:]


def rows(screen: Screen, *arguments: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in printed(screen, *arguments, "--json").splitlines()]


def test_lists_of_a_row_are_printed_as_text(shop: Screen) -> None:
    assert re.search(r"^window +-$", printed(shop, "process", "show", "books"), re.MULTILINE)
    printed(shop, "worker", "put", "p1")
    printed(shop, "launch", "press")
    printed(shop, "tick")
    assert re.search(r"^nodes +-$", printed(shop, "attempt", "show", "press/!1/1"), re.MULTILINE)
    row = rows(shop, "process", "show", "books")[0]
    assert row["window"] == []


def test_deploy_prints_what_changes(shop: Screen) -> None:
    assert shop.out.getvalue().splitlines() == [
        "change  process     jobs",
        "added   shop.books  0",
        "added   shop.clean  0",
        "added   shop.press  0",
    ]
    assert printed(shop, "deploy", "jobs") == ""
    assert "no process has changed" in shop.err.getvalue()


def test_deploy_says_what_becomes_of_active_jobs(shop: Screen) -> None:
    printed(shop, "launch", "press")
    printed(shop, "launch", "clean", "--slot", "2026-03-27T12:00:00Z")
    text = SHOP.replace("paper: a4", "paper: a3")
    Path("jobs/shop.yml").write_text(text[: text.index("  clean:")] + text[text.index("  press:") :])
    assert rows(shop, "deploy", "jobs", "--dry-run") == [
        {
            "process": "shop.clean",
            "change": "removed",
            "jobs": 1,
            "effect": "they wait until it is deployed again; attempts that run are left alone",
        },
        {
            "process": "shop.press",
            "change": "changed",
            "jobs": 1,
            "effect": "their next attempts have the new definitions; those that exist keep theirs",
        },
    ]
    assert "effect" in printed(shop, "deploy", "jobs").splitlines()[0]
    printed(shop, "job", "clear", "press/!1", code=4)
    assert "shop.press/!1 is embryo, but neither on hold nor waiting" in shop.err.getvalue()
    printed(shop, "job", "cancel", "press/!1", code=4)
    assert "shop.press/!1 is embryo and has no live attempt" in shop.err.getvalue()


def test_the_next_fires_are_shown_in_the_zone_of_the_trigger_across_a_clock_change(shop: Screen) -> None:
    text = printed(shop, "process", "next", "books", "-n", "3", "--now", "2026-03-27T12:00:00Z")
    assert text.splitlines() == [
        "2026-03-28T06:00:00+01:00",
        "2026-03-29T06:00:00+02:00",
        "2026-03-30T06:00:00+02:00",
    ]


def test_the_next_periods_are_shown_with_the_time_at_which_they_are_due(shop: Screen) -> None:
    Path("jobs/day.yml").write_text("processes: {day: {executes: external:x, qualifier: daily, trigger: {}}}")
    printed(shop, "deploy", "jobs")
    text = printed(shop, "process", "next", "day", "-n", "2", "--now", "2026-03-27T12:00:00Z")
    assert [line.split() for line in text.splitlines()] == [
        ["slot", "at"],
        ["D:2026032700", "2026-03-28T00:05:00Z"],
        ["D:2026032800", "2026-03-29T00:05:00Z"],
    ]


def test_a_pass_at_a_given_time_prints_its_decisions(shop: Screen) -> None:
    decisions = rows(shop, "tick", "--now", "2026-03-28T05:00:03Z")
    assert [row["decision"] for row in decisions] == ["job_made", "attempt_made", "job_moved"]
    assert rows(shop, "tick", "--now", "2026-03-28T05:00:03Z") == []
    why = printed(shop, "job", "why", "books/@2026-03-28T05:00:00Z", "--now", "2026-03-28T05:00:04Z")
    assert why == (
        "no live worker in group default; attempt 1 has waited since 2026-03-28T05:00:03Z; "
        "start scoopi serve\n"
    )


def test_a_worker_in_another_language_claims_reports_and_ends_an_attempt(shop: Screen) -> None:
    assert printed(shop, "launch", "press", "-i", "copies=2") == "shop.press/!1\n"
    printed(shop, "tick")
    printed(shop, "worker", "put", "p1")
    (claimed,) = rows(shop, "attempt", "claim", "--worker", "p1")
    assert (claimed["attempt"], claimed["fence"]) == ("shop.press/!1/1", 1)
    assert claimed["inputs"] == {"paper": "a4", "copies": "2"}
    assert printed(shop, "attempt", "beat", "press/!1/1", "--fence", "1") == "continue\n"
    assert printed(shop, "job", "cancel", "press/!1", "--mode", "kill")
    assert printed(shop, "attempt", "beat", "press/!1/1") == "cancel\n"
    printed(shop, "attempt", "end", "press/!1/1", "--status", "succeeded", "--output", "pages=12")
    printed(shop, "tick")
    (job,) = rows(shop, "job", "list", "--process", "press")
    assert job["state"] == "processed"
    (attempt,) = rows(shop, "attempt", "list", "--job", "press/!1")
    assert attempt["outputs"] == {"pages": "12"}
    printed(shop, "attempt", "beat", "press/!1/1", code=4)


def test_with_a_given_time_no_record_has_the_time_of_the_machine(shop: Screen) -> None:
    at = ("--now", "2026-04-01T00:00:00Z")
    attempt = "press/!1/1"
    for words in (
        ("launch", "press"),
        ("tick",),
        ("worker", "put", "p1"),
        ("attempt", "claim", "--worker", "p1"),
        ("attempt", "beat", attempt),
        ("attempt", "end", attempt, "--status", "failed"),
        ("tick",),
        ("job", "clear", "press/!1"),
        ("job", "skip", "press/!1"),
        ("job", "reprocess", "press/!1"),
        ("process", "pause", "press"),
        ("gc",),
    ):
        shop.run(*words, *at)
    shown = [
        *printed(shop, "job", "show", "press/!1", *at, "--json").splitlines(),
        *printed(shop, "attempt", "show", attempt, *at, "--json").splitlines(),
        *printed(shop, "process", "show", "press", *at, "--json").splitlines(),
    ]
    times = re.findall(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "".join(shown))
    assert len(times) > 8
    assert {time[:10] for time in times} == {"2026-03-27", "2026-04-01"}, "deployed, and all other"


def test_inputs_and_outputs_come_from_files_too(shop: Screen) -> None:
    Path("in.json").write_text('{"paper": "a3", "copies": 2, "to": null}')
    printed(shop, "launch", "press", "--inputs", "in.json", "-i", "paper=a5")
    printed(shop, "tick")
    printed(shop, "worker", "put", "p1")
    (claimed,) = rows(shop, "attempt", "claim", "--worker", "p1")
    assert claimed["inputs"] == {"paper": "a5", "copies": "2", "to": "null"}
    Path("out.json").write_text('{"pages": [1, 2]}')
    end = ("attempt", "end", "press/!1/1", "--status", "succeeded", "--outputs", "out.json")
    printed(shop, *end, "--output", "rows=3")
    assert rows(shop, "attempt", "show", "press/!1/1")[0]["outputs"] == {"pages": "[1, 2]", "rows": "3"}


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        ("{paper: a3, copies: 007}", 0, {"paper": "a3", "copies": "007"}),
        ('{"paper": "a3", "copies": 7}', 0, {"paper": "a3", "copies": "7"}),
        ('{"paper": "a3",', 2, "standard input: Expecting property name enclosed in double quotes"),
        ("- a", 2, "standard input holds a list, not names with values"),
    ],
)
def test_inputs_are_read_from_standard_input(
    shop: Screen, monkeypatch: pytest.MonkeyPatch, text: str, code: int, expected: dict[str, str] | str
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    printed(shop, "launch", "press", "--inputs", "-", code=code)
    if isinstance(expected, str):
        assert expected in shop.err.getvalue()
        return
    printed(shop, "tick")
    printed(shop, "worker", "put", "p1")
    (claimed,) = rows(shop, "attempt", "claim", "--worker", "p1")
    assert claimed["inputs"] == expected


def test_a_process_that_was_paused_without_a_reason_shows_as_paused(shop: Screen) -> None:
    printed(shop, "process", "pause", "books")
    assert rows(shop, "process", "show", "books")[0]["paused"] == "no reason given"
    assert rows(shop, "process", "show", "clean")[0]["paused"] is None


def test_a_job_on_hold_gets_another_attempt_by_clear(shop: Screen) -> None:
    printed(shop, "launch", "press", "--now", "2026-04-01T00:00:00Z")
    printed(shop, "worker", "put", "p1")
    for minute in (0, 10):
        now = f"2026-04-01T00:{minute:02}:00Z"
        printed(shop, "tick", "--now", now)
        printed(shop, "attempt", "claim", "--worker", "p1", "--now", now)
        name = f"press/!1/{minute // 10 + 1}"
        printed(shop, "attempt", "end", name, "--status", "failed", "--explanation", "no paper", "--now", now)
        printed(shop, "tick", "--now", now)
    why = printed(shop, "job", "why", "press/!1", "--now", "2026-04-01T00:11:00Z")
    assert why == (
        "on hold since 2026-04-01T00:10:00Z: attempt 2 failed: no paper; "
        "scoopi job clear 'shop.press/!1' continues it\n"
    )
    printed(shop, "job", "clear", "press/!1")
    assert "attempt_made" in printed(shop, "tick", "--now", "2026-04-01T00:12:00Z")
    printed(shop, "job", "clear", "press/!1", code=4)


def test_a_job_is_skipped_once_and_reprocessed_when_it_is_over(shop: Screen) -> None:
    printed(shop, "launch", "press")
    assert "skipped" in printed(shop, "job", "skip", "press/!1")
    printed(shop, "job", "skip", "press/!1", code=4)
    assert "cannot skip shop.press/!1: it is skipped" in shop.err.getvalue()
    assert "embryo" in printed(shop, "job", "reprocess", "press/!1")
    printed(shop, "job", "reprocess", "press/!1", code=4)
    assert "attempt_made" in printed(shop, "tick")


def test_a_paused_process_creates_jobs_and_starts_none(shop: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOOPI_USER", "ann")
    printed(shop, "process", "pause", "books", "--reason", "audit", "--now", "2026-03-28T04:00:00Z")
    printed(shop, "tick", "--now", "2026-03-28T05:00:03Z")
    job = "books/@2026-03-28T05:00:00Z"
    assert printed(shop, "job", "why", job) == (
        "process shop.books was paused at 2026-03-28T04:00:00Z by ann: audit; "
        "scoopi process resume shop.books starts it again\n"
    )
    printed(shop, "process", "resume", "books")
    printed(shop, "process", "resume", "books", code=4)
    assert "attempt_made" in printed(shop, "tick", "--now", "2026-03-28T05:00:13Z")
    shown = printed(shop, "process", "show", "books")
    assert re.search(r"2026-03-28T04:00:00Z +paused +ann +\S+ +audit", shown)
    row = json.loads(printed(shop, "process", "show", "books", "--json"))
    assert [(each["change"], each["by"]) for each in row["changes"]][1:] == [
        ("paused", "ann"),
        ("resumed", "ann"),
    ]


def test_workers_are_listed_with_what_they_run_and_a_removed_one_gets_nothing(shop: Screen) -> None:
    printed(shop, "worker", "put", "p1", "--groups", "default,big", "--capacity", "3")
    printed(shop, "launch", "press")
    printed(shop, "tick")
    printed(shop, "attempt", "claim", "--worker", "p1")
    (worker,) = rows(shop, "worker", "list")
    assert (worker["groups"], worker["capacity"], worker["used"]) == ("default,big", 3.0, 1)
    printed(shop, "worker", "remove", "p1")
    assert "is lost" in printed(shop, "tick")


def test_a_registered_worker_claims_only_what_its_groups_may_run(shop: Screen) -> None:
    printed(shop, "worker", "put", "p1", "--groups", "big")
    printed(shop, "launch", "press")
    printed(shop, "tick")
    assert rows(shop, "attempt", "claim", "--worker", "p1") == []
    printed(shop, "worker", "put", "p1", "--groups", "big,default")
    (claimed,) = rows(shop, "attempt", "claim", "--worker", "p1")
    assert claimed["worker"] == "p1"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("worker put p1 --groups big,,x", 2, "needs names separated by commas, got 'big,,x'"),
        ("process show shop.book", 2, "did you mean shop.books?"),
        (
            "job why books/@2027-01-01T05:00:00Z --now 2026-04-01T00:00:00Z",
            2,
            "there is no job shop.books/@2027-01-01T05:00:00Z: its slot begins at 2027-01-01T05:00:00Z",
        ),
        ("job why books/tomorrow", 2, "is not a slot"),
        ("job why", 2, "the following arguments are required: job; see scoopi job why --help"),
        ("job why press", 2, "'press' is not the id of a job; write PROCESS/SLOT"),
        ("attempt show press/!9/1", 2, "there is no job shop.press/!9"),
        ("attempt claim --worker x", 2, "unknown worker x"),
        ("launch press -i copies", 2, "write -i NAME=VALUE"),
        ("launch press --inputs nowhere.json", 2, "nowhere.json: No such file or directory"),
        ("job list --since yesterday", 2, "--since: 'yesterday' is not an instant"),
        ("process interval books 5m", 2, "process shop.books has a trigger without an interval"),
        ("tick --now yesterday", 2, "--now: 'yesterday' is not an instant"),
        ("tick --state nowhere", 2, "there is no state of a scheduler in nowhere"),
        (
            "job list --state running",
            2,
            "running is a status of attempts: scoopi attempt list --status running",
        ),
        ("job", 2, "OPERATION"),
    ],
)
def test_a_wrong_name_or_argument_is_one_clear_error(
    shop: Screen, arguments: str, code: int, message: str
) -> None:
    assert shop.run(*arguments.split()) == code
    assert message in shop.err.getvalue()


def test_without_live_attempts_the_list_says_how_to_see_others(shop: Screen) -> None:
    assert printed(shop, "attempt", "list") == ""
    assert "no attempt is live; see those of a job with --job, --process or --status" in shop.err.getvalue()


def test_a_project_with_errors_is_not_deployed(shop: Screen) -> None:
    Path("jobs/shop.yml").write_text(SHOP.replace("retry: {max: 3}", "retry: 3"))
    assert shop.run("deploy", "jobs") == 3
    assert "jobs/shop.yml" in shop.err.getvalue()


def test_a_tick_beside_another_pass_says_so(shop: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Passes, "run", lambda self, now: None)
    assert printed(shop, "tick") == ""
    assert "another pass is running; it checks again before it ends\n" in shop.err.getvalue()


def test_a_state_of_a_newer_scoopi_ends_every_verb_with_code_5(shop: Screen) -> None:
    with State(Path("scheduler")) as state:
        state.store.change_pass(lambda old: changed(old, state_format=99))
    assert shop.run("job", "list") == 5
    assert "is of a newer Scoopi: format 99" in shop.err.getvalue()


def test_ticks_alone_find_that_a_worker_has_stopped_its_heartbeats(shop: Screen) -> None:
    printed(shop, "worker", "put", "p1")
    printed(shop, "worker", "beat", "p1")
    printed(shop, "launch", "press", "--now", "2026-04-01T00:00:00Z")
    printed(shop, "tick", "--now", "2026-04-01T00:00:00Z")
    (claimed,) = rows(shop, "attempt", "claim", "--worker", "p1", "--now", "2026-04-01T00:00:00Z")
    for second in (5, 10, 15):
        printed(shop, "tick", "--now", f"2026-04-01T00:00:{second:02}Z")
    assert rows(shop, "attempt", "show", str(claimed["attempt"]))[0]["worker"] == "p1"
    printed(shop, "tick", "--now", "2026-04-01T00:00:20Z")
    (worker,) = rows(shop, "worker", "list")
    assert worker["state"] == "lost"
    assert rows(shop, "attempt", "show", str(claimed["attempt"]))[0]["worker"] is None


def test_an_input_that_is_not_utf_8_is_an_error_of_usage(shop: Screen) -> None:
    assert shop.run("launch", "press", "-i", "paper=\udcff") == 2
    assert "a value cannot be stored" in shop.err.getvalue()


def test_a_pass_that_cannot_plan_everything_says_so_by_its_exit_code(shop: Screen) -> None:
    Path("jobs/late.yml").write_text(
        'processes: {late: {executes: external:x, trigger: {every: 1h, since: "9999-12-31T23:30:00Z"}}}'
    )
    assert shop.run("deploy", "jobs", "--now", "2026-03-27T12:00:00Z") == 0
    printed(shop, "tick", "--now", "2026-03-28T05:00:00Z", code=1)
    assert "the slots of late cannot be planned: OverflowError" in shop.err.getvalue()
    assert rows(shop, "job", "list")[0]["job"] == "shop.books/@2026-03-28T05:00:00Z"
    assert rows(shop, "process", "show", "late")[0]["error"]
