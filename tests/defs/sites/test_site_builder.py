"""`sites` in definitions and conf files: known keys and hosts only, and no credential in plain text."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.bootstrap.defs_checks import as_compared
from scoopi.defs.scrape.checkers import Checkers
from tests.defs.written import DATA, PLACES, TASKS, Outcome, check_in

CHECKERS = Checkers(host_pattern=as_compared)


def outcome(folder: Path, sites: str) -> Outcome:
    return check_in(folder, {"defs.yml": PLACES + TASKS + DATA, "s.yml": sites}, checkers=CHECKERS)


def test_blocks_hold_the_values_with_their_lines(tmp_path: Path) -> None:
    checked = outcome(
        tmp_path,
        """\
        sites:
          "*.Bücher.example":
            delay: 0250
            headers: { Accept-Language: de }
        """,
    )
    assert checked.found == []
    (block,) = checked.definitions.sites
    assert block.pattern == "*.xn--bcher-kva.example"
    assert block.values == {"delay_ms": 250, "headers": {"Accept-Language": "de"}}
    lines = {field: at.rpartition("/")[2] for field, at in block.origins.items()}
    assert lines == {"delay_ms": "s.yml:3", "headers.Accept-Language": "s.yml:4"}


@pytest.mark.parametrize(
    ("block", "found"),
    [
        ("dely: 5", 's.yml:3:5: error sites."a.example": unknown key dely; did you mean delay?'),
        (
            "parallelism: 0",
            's.yml:3:18: error sites."a.example".parallelism: parallelism is 0, but must be 1 to 1000; '
            "correct it, or remove it",
        ),
        (
            "headers: { Host: b }",
            's.yml:3:16: error sites."a.example".headers."Host": '
            "the header Host is set by Scoopi for each request; remove it",
        ),
        (
            "headers: { a b: c }",
            's.yml:3:16: error sites."a.example".headers."a b": '
            "'a b' is not the name of a header; remove it",
        ),
        (
            "headers: { X-Token: abc }",
            's.yml:3:25: error sites."a.example".headers."X-Token": the header X-Token contains a '
            "credential in plain text; set it in the environment, and write ${env:X_TOKEN}",
        ),
        (
            "headers: { X-Trace: '0123456789abcdef0123456789abcdef' }",
            's.yml:3:25: error sites."a.example".headers."X-Trace": the header X-Trace contains a '
            "credential in plain text; set it in the environment, and write ${env:X_TRACE}",
        ),
        (
            'headers: { X-Id: "Bearer ${env:T}" }',
            's.yml:3:22: error sites."a.example".headers."X-Id": ${env:…} must be the whole value of the '
            "header X-Id; set it in the environment, and write ${env:X_ID}",
        ),
    ],
)
def test_what_is_wrong_has_a_place_and_a_hint(tmp_path: Path, block: str, found: str) -> None:
    assert outcome(tmp_path, f"sites:\n  a.example:\n    {block}\n").found == [found]


def test_two_entries_for_the_same_hosts_are_better_one(tmp_path: Path) -> None:
    sites = 'sites:\n  "*.Shop.example": { delay: 5 }\n  "*.shop.example": { parallelism: 2 }\n'
    checked = outcome(tmp_path, sites)
    assert checked.found == [
        's.yml:3:3: warning sites."*.shop.example": another entry stands for the same hosts '
        "(see s.yml:2:3); put the keys of both into one"
    ]
    assert [block.values for block in checked.definitions.sites] == [{"delay_ms": 5}, {"parallelism": 2}]


@pytest.mark.parametrize("pattern", ["http://a.example/", "a..example", "a.example:99999", "[::1", "a b"])
def test_what_no_host_is_called_is_an_error(tmp_path: Path, pattern: str) -> None:
    (found,) = outcome(tmp_path, f'sites:\n  "{pattern}": {{ delay: 5 }}\n').found
    assert found.startswith(f's.yml:2:3: error sites."{pattern}": ')
    assert found.endswith('; write a host, as in "*.example.org" or "example.org:8080"')


def test_a_credential_in_clear_is_not_shown_in_the_report(tmp_path: Path) -> None:
    checked = outcome(tmp_path, "sites:\n  a.example: { headers: { Authorization: CANARY, a b: c } }\n")
    assert len(checked.found) == 2
    assert "CANARY" not in checked.report.text() + checked.report.json()


def test_retries_of_a_site_are_numbers_with_their_lines(tmp_path: Path) -> None:
    checked = outcome(tmp_path, 'sites: { "*": { retry: { attempts: 8, maxDelay: 500 } } }')
    assert checked.found == []
    (block,) = checked.definitions.sites
    assert block.values == {"retry": {"attempts": 8, "maxDelay": 500}}
    assert [*block.origins] == ["retry.attempts", "retry.maxDelay"]


@pytest.mark.parametrize(
    ("retry", "found"),
    [
        ("{ attempts: 0 }", "attempts is 0, but must be 1 to 100"),
        ("{ jitter: 101 }", "jitter is 101, but must be 0 to 100"),
        ("{ attemps: 3 }", "attempts"),
        ("5", "retry"),
    ],
)
def test_a_wrong_retry_is_reported(tmp_path: Path, retry: str, found: str) -> None:
    checked = outcome(tmp_path, f'sites: {{ "*": {{ retry: {retry} }} }}')
    assert len(checked.found) == 1
    assert found in str(checked.found[0])


def test_a_first_wait_above_the_longest_one_is_reported(tmp_path: Path) -> None:
    assert outcome(tmp_path, "sites: { a.example: { retry: { delay: 9, maxDelay: 9 } } }").found == []
    assert outcome(tmp_path, "sites: { a.example: { retry: { delay: 9, maxDelay: 8 } } }").found == [
        's.yml:1:39: warning sites."a.example".retry.delay: delay is 9, but no wait is longer than '
        "maxDelay, 8; raise maxDelay, or lower delay"
    ]
