"""Keys of a trigger become its values; keys that do not go together are errors."""

from __future__ import annotations

import pytest

from scoopi.defs.yaml.findings import Severity
from tests.defs.schedule.project import Project


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        ("trigger: {every: 1m, cron: '@daily'}", "every and cron exclude each other"),
        ("trigger: {jitter: 1m}", "the trigger has no schedule"),
        ("trigger: {every: 1m, dialect: quartz}", "dialect needs cron"),
        ("trigger: {every: 1m, timezone: Europe/Berlin}", "timezone needs cron or at"),
        ("trigger: {every: 1m, source: cron}", "source needs iterations"),
        (
            "trigger: {cron: '0 6 * * *', slots: periods}",
            "slots: periods needs a",
        ),
        (
            "qualifier: daily\ntrigger: {slots: instants}",
            "does not go with a qualifier",
        ),
        ("trigger: {slots: iterations}", "iterations need a source"),
        ("trigger: {slots: iterations, source: cron}", "source: cron needs"),
        (
            "trigger: {slots: iterations, source: after_completion, at: ['8:30']}",
            "at does not go",
        ),
        ("trigger: {cron: '61 * * * *'}", "bad minute"),
        (
            "trigger: {cron: '*/5 * * * * ?', dialect: quartz, slots: iterations}",
            "cron fires more often than iterations can be numbered",
        ),
        ("trigger: {cron: '0 6 * * * ?'}", "6 fields, not 5"),
        ("trigger: {cron: '@dayly'}", "it is not a known short form"),
        ("trigger: {cron: '5'}", "it has 1 field, not 5"),
        ("trigger: {crn: '@daily'}", "unknown key crn"),
        (
            "trigger: {slots: iteration, source: cron, cron: '@daily'}",
            "slots is 'iteration'",
        ),
        (
            "trigger: {every: 1h, since: '2026-02-01T00:00:00Z', until: '2026-01-01T00:00:00Z'}",
            "until is not after since",
        ),
    ],
)
def test_keys_that_do_not_go_together_are_one_error_with_a_place(
    project: Project, keys: str, what: str
) -> None:
    found = project.read_process(f"executes: external:x\n{keys}")[1].findings
    (finding,) = [each for each in found if each.severity is Severity.ERROR]
    assert what in finding.what
    assert finding.place.line >= 5
    assert finding.hint or finding.did_you_mean


def test_a_managed_process_is_evaluated_once_a_minute_unless_its_trigger_says_so(project: Project) -> None:
    for keys, every_s in (("", 60), ("every: 10m", 600)):
        process = project.process(f"executes: external:x\nqualifier: daily\ntrigger: {{{keys}}}")
        assert process.trigger is not None
        assert process.trigger.every is not None
        assert (process.trigger.slots, process.trigger.every.total_seconds()) == ("periods", every_s)


def test_bounds_of_slots_that_come_from_elsewhere_have_no_effect(project: Project) -> None:
    found = project.finding(
        "executes: external:x\n"
        "trigger: {slots: iterations, source: 'python:actions:Source', since: '2026-01-01T00:00:00Z'}"
    )
    assert (found.severity, found.what) == (
        Severity.WARNING,
        "since has no effect on slots that come from another process or a class",
    )
