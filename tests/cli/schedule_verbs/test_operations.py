"""Operations: what all verbs of the scheduler share: names, arguments, the state, printed rows."""

from __future__ import annotations

import re
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Self

import pytest

from scoopi.scheduler.decisions import changed
from scoopi.serve.state import State
from tests.cli.schedule_verbs.conftest import Shop


def test_lists_of_a_row_are_printed_as_text(shop: Shop) -> None:
    assert re.search(r"^window +-$", shop.printed("process", "show", "books"), re.MULTILINE)
    shop.printed("worker", "put", "p1")
    shop.printed("launch", "press")
    shop.printed("tick")
    assert re.search(r"^nodes +-$", shop.printed("attempt", "show", "press/!1/1"), re.MULTILINE)
    row = shop.rows("process", "show", "books")[0]
    assert row["window"] == []


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("process next books -n -1", 2, "argument -n: needs a whole number from 1, got '-1'"),
        ("worker put ../p1", 2, "argument NAME: needs letters, digits, . _ and -"),
        ("serve --name ../p1", 2, "argument --name: needs letters, digits, . _ and -"),
        ("worker put p1 --capacity -1", 2, "argument --capacity: needs a number from 0, got '-1'"),
        ("attempt claim --worker p1 --limit 0", 2, "argument --limit: needs a whole number from 1"),
        ("worker put p1 --groups big,,x", 2, "needs names separated by commas, got 'big,,x'"),
        ("process show shop.book", 2, "did you mean shop.books?"),
        (
            "job why books/@2027-01-01T05:00:00Z --now 2026-04-01T00:00:00Z",
            2,
            "there is no job shop.books/@2027-01-01T05:00:00Z: its slot begins at 2027-01-01T05:00:00Z",
        ),
        ("job why books/tomorrow", 2, "is not a slot"),
        ("job why", 2, "the following arguments are required: JOB; see scoopi job why --help"),
        ("job why press", 2, "'press' is not the id of a job; write PROCESS/SLOT"),
        ("attempt show press/!9/1", 2, "there is no job shop.press/!9"),
        ("attempt claim --worker x", 2, "unknown worker x"),
        ("launch press -i copies", 2, "write -i NAME=VALUE"),
        ("launch press --inputs nowhere.json", 2, "nowhere.json: No such file or directory"),
        ("job list --since yesterday", 2, "--since: 'yesterday' is not an instant"),
        ("process interval books 5m", 2, "process shop.books has a trigger without an interval"),
        ("tick --now yesterday", 2, "--now: 'yesterday' is not an instant"),
        ("launch press --after tomorrow", 2, "--after: 'tomorrow' is not an instant; write RFC 3339"),
        ("tick --state nowhere", 2, "there is no state of a scheduler in nowhere"),
        (
            "job list --state running",
            2,
            "running is a status of attempts: scoopi attempt list --status running",
        ),
        ("job", 2, "OPERATION"),
        ("job list extra", 2, "unknown argument extra; see scoopi job list --help"),
        ("process backfill books --form 2026-01-01", 2, "unknown option --form; did you mean --from?"),
        ("period shift", 2, "PERIOD, COUNT; see scoopi period shift --help"),
        ("period parse D:2011010100 x", 2, "unknown argument x; see scoopi period parse --help"),
    ],
)
def test_a_wrong_name_or_argument_is_one_clear_error(
    shop: Shop, arguments: str, code: int, message: str
) -> None:
    assert shop.run(*arguments.split()) == code
    assert message in shop.err.getvalue()


def test_a_state_of_a_newer_scoopi_ends_every_verb_with_code_5(shop: Shop) -> None:
    with State(Path("scheduler")) as state:
        state.store.change_scheduler(lambda old: changed(old, state_format=99))
    assert shop.run("job", "list") == 5
    assert "is of a newer Scoopi: format 99" in shop.err.getvalue()


class NoClock(datetime):
    """The machine's clock, which must not be read."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        raise AssertionError("the machine's clock was read")


COMMANDS = """
    deploy jobs --dry-run
    launch press
    launch press --after 2026-04-01T01:00:00Z
    tick
    worker put p1
    worker beat p1
    attempt claim --worker p1
    attempt beat press/!1/1
    attempt list
    attempt end press/!1/1 --status failed
    tick
    job why press/!1
    job clear press/!1
    tick
    attempt claim --worker p1
    job cancel press/!1
    attempt end press/!1/2 --status canceled
    tick
    job reprocess press/!1
    job skip press/!1
    job list --since 1h
    process pause press --reason audit
    process resume press
    process next books
    process list
    process backfill books --from 2026-03-26 --to 2026-03-27
    process backfill books --list
    process backfill books --cancel b1
    group list
    worker list
    worker drain p1
    worker remove p1
    gc --dry-run
    gc
"""


def test_with_a_given_time_no_verb_reads_the_clock_and_no_record_has_its_time(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoopi.cli.schedule_verbs.operations.datetime", NoClock)
    monkeypatch.setattr("scoopi.serve.clock.datetime", NoClock)
    at = ("--now", "2026-04-01T00:00:00Z")
    for words in COMMANDS.strip().splitlines():
        shop.printed(*words.split(), *at)
    shown = [
        shop.printed(*words, *at, "--json")
        for words in (
            ("job", "show", "press/!1"),
            ("job", "list"),
            ("attempt", "list", "--job", "press/!1"),
            ("process", "show", "press"),
            ("process", "show", "books"),
        )
    ]
    times = re.findall(r"\d{4}-\d\d-\d\dT[\d:.]+Z", re.sub(r"@[^\"]*", "", "".join(shown)))
    assert len(times) > 30
    assert {time[:10] for time in times} == {"2026-03-27", "2026-04-01"}, "deployed, and all other"


@pytest.mark.parametrize("state", ["file", "file/below"])
def test_a_state_that_cannot_be_a_folder_is_an_error_of_usage(shop: Shop, state: str) -> None:
    Path("file").touch()
    assert shop.run("deploy", "jobs", "--state", state) == 2
    assert f"{state} cannot be the folder of the scheduler's state: " in shop.err.getvalue()


def test_a_damaged_state_says_what_to_do_about_a_scheduler(shop: Shop) -> None:
    Path("other").mkdir()
    Path("other/state.db").write_text("junk" * 100)
    assert shop.run("job", "list", "--state", "other") == 5
    assert "the scheduler's store cannot be used: file is not a database" in shop.err.getvalue()
    assert "restore a copy, or move it away and deploy the project again" in shop.err.getvalue()
    assert "run's folder" not in shop.err.getvalue()
