"""Operations: what all verbs of the scheduler share: names, arguments, the state, printed rows."""

from __future__ import annotations

import re
from pathlib import Path

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
        ("worker put ../p1", 2, "argument name: needs letters, digits, . _ and -"),
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
    shop: Shop, arguments: str, code: int, message: str
) -> None:
    assert shop.run(*arguments.split()) == code
    assert message in shop.err.getvalue()


def test_a_state_of_a_newer_scoopi_ends_every_verb_with_code_5(shop: Shop) -> None:
    with State(Path("scheduler")) as state:
        state.store.change_pass(lambda old: changed(old, state_format=99))
    assert shop.run("job", "list") == 5
    assert "is of a newer Scoopi: format 99" in shop.err.getvalue()


def test_with_a_given_time_no_record_has_the_time_of_the_machine(shop: Shop) -> None:
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
        *shop.printed("job", "show", "press/!1", *at, "--json").splitlines(),
        *shop.printed("attempt", "show", attempt, *at, "--json").splitlines(),
        *shop.printed("process", "show", "press", *at, "--json").splitlines(),
    ]
    times = re.findall(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "".join(shown))
    assert len(times) > 8
    assert {time[:10] for time in times} == {"2026-03-27", "2026-04-01"}, "deployed, and all other"
