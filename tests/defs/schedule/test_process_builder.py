"""Keys of a process become its values; keys that do not go together are errors."""

from __future__ import annotations

from datetime import timedelta

import pytest

from scoopi.defs.yaml.findings import Severity
from tests.defs.schedule.project import Project


def test_a_process_without_a_trigger_is_manual(project: Project) -> None:
    process = project.process("executes: python:actions:load")
    assert (process.mode, process.trigger, process.overlap, process.history) == ("manual", None, "allow", 100)
    assert (process.executes.kind, process.executes.what) == ("python", ("actions:load",))


def test_a_process_with_a_trigger_is_freerun_and_reminds(project: Project) -> None:
    process = project.process(
        'executes: scrape:books#a,b\ntrigger: {cron: "0 6 * * *", timezone: Europe/Berlin}'
    )
    assert (process.mode, process.overlap, process.history) == ("freerun", "remind", 20)
    assert process.trigger is not None
    assert (process.trigger.slots, process.trigger.cron) == ("instants", "0 6 * * *")
    assert (process.executes.what, process.executes.groups) == (("books",), ("a", "b"))
    assert (process.retry.on_exhausted, process.retry.stale_after) == ("fail", None)


def test_a_process_with_a_qualifier_is_managed_and_gives_up_after_two_days(project: Project) -> None:
    process = project.process("executes: external:x\nqualifier: daily\ntrigger: {}\nretry: {max: 2}")
    assert (process.mode, process.overlap, process.history) == ("managed", "allow", None)
    assert process.trigger is not None
    assert (process.trigger.slots, process.trigger.every) == ("periods", timedelta(seconds=60))
    assert process.lag == timedelta(minutes=5)
    retry = process.retry
    assert (retry.max, retry.on_exhausted) == (2, "hold")
    assert (retry.stale_after, retry.give_up_after) == (timedelta(hours=1), timedelta(days=2))


def test_a_process_of_iterations_is_managed_and_has_no_lag(project: Project) -> None:
    process = project.process(
        'executes: external:x\ntrigger: {slots: iterations, cron: "@hourly"}\nlookback: 3'
    )
    assert (process.mode, process.lookback, process.lag) == ("managed", 3, timedelta(0))
    assert process.trigger is not None
    assert process.trigger.source == "cron"
    assert process.retry.stale_after is None


def test_a_command_keeps_its_words_and_its_exit_codes(project: Project) -> None:
    process = project.process(
        "executes: {command: [bin/load, '${ slot.key }'], exit_codes: {3: noop}, cwd: project}"
    )
    assert process.executes.what == ("bin/load", "${ slot.key }")
    assert (process.executes.exit_codes, process.executes.cwd) == ({3: "noop"}, "project")


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        ("mode: manual", "executes is missing"),
        ("executes: flow:a.b", "flow is not supported by this version"),
        ("executes: {operation: a.b}", "operation is not supported by this version"),
        ("executes: external:x\nremind_limit: 2h", "remind_limit needs overlap: remind"),
        ("executes: {command: [a], python: 'a:b'}", "executes names command and python"),
        ("executes: {cwd: work}", "executes names no executable"),
        ("executes: {scrape: books, exit_codes: {3: noop}}", "exit_codes does not go with scrape"),
        ("executes: {external: x, env: {A: b}}", "env does not go with external"),
        ("executes: 'python:load'", "executes: python is 'load'"),
        ("executes: external:x\nmode: manual\ntrigger: {every: 1m}", "a manual process has no trigger"),
        ("executes: external:x\nmode: freerun", "a freerun process needs a trigger"),
        ("executes: external:x\nmode: freerun\nqualifier: daily\ntrigger: {every: 1m}", "has no qualifier"),
        ("executes: external:x\ntrigger: {every: 1m}\ndepends_on: [other]", "depends on nothing"),
        ("executes: external:x\ntrigger: {every: 1m}\nmachine: continuous", "machine needs a qualifier"),
        ("executes: external:x\ntrigger: {every: 1m}\nlookback: 2", "lookback needs iterations"),
        ("executes: external:x\nqualifier: monthly\ntrigger: {}\ngrouping: 13", "grouping is 13"),
        ("- a", "a process is a mapping"),
        ("executes: 'command:bin/load x'", "a command is a list of words"),
        ("executes:", "executes has no value"),
        ("executes: 'scrap:books'", "executes is 'scrap:books'"),
        ("executes: external:x\nqualifier: yearly\ntrigger: {}\ngrouping: 2", "are grouped by at most 1"),
        ("executes: external:x\nqualifier: weekly\ntrigger: {}\nlag: 2h", "qualifier is 'weekly'"),
    ],
)
def test_keys_that_do_not_go_together_are_one_error_with_a_place(
    project: Project, keys: str, what: str
) -> None:
    (finding,) = [each for each in project.read_process(keys)[1].findings if each.severity is Severity.ERROR]
    assert what in finding.what
    assert finding.place.line >= 4
    assert finding.hint or finding.did_you_mean


@pytest.mark.parametrize("key", ["catchup: all", "catchup_window: 2h"])
@pytest.mark.parametrize(
    ("keys", "mode"),
    [("qualifier: daily\ntrigger: {}", "managed"), ("", "manual"), ("trigger: {every: 1h}", "")],
)
def test_what_is_caught_up_is_asked_of_fires_only(project: Project, key: str, keys: str, mode: str) -> None:
    _, report = project.read_process(f"executes: external:x\n{keys}\n{key}")
    name = key.partition(":")[0]
    expected = [f"{name} has no effect on a {mode} process, which misses no fires"] if mode else []
    assert [finding.what for finding in report.findings] == expected
    assert not report.errors


def test_a_window_of_what_is_not_caught_up_is_a_warning(project: Project) -> None:
    found = project.finding("executes: external:x\ntrigger: {every: 1h}\ncatchup: none\ncatchup_window: 2h")
    assert (found.severity, found.key) == (Severity.WARNING, "processes.p.catchup_window")
    assert "no effect with catchup: none" in found.what


@pytest.mark.parametrize("key", ["keep_former: 2", "output: rows"])
def test_keys_of_published_rows_have_no_effect_without_a_scrape(project: Project, key: str) -> None:
    (found,) = project.read_process(f"executes: external:x\n{key}")[1].findings
    name = key.partition(":")[0]
    assert found.what == f"{name} has no effect with external, which publishes no rows"
    assert found.severity is Severity.WARNING
    assert not project.read_process(f"executes: scrape:books\n{key}")[1].findings
