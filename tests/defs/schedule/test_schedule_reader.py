"""Projects of several files: namespaces, names, cycles, and the scrapes that processes execute."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest

from scoopi.defs.schedule.schedule_reader import is_project, read_schedule
from scoopi.defs.yaml.findings import Finding, Severity
from scoopi.defs.yaml.report import Report
from scoopi.model.place import Place
from scoopi.model.schedule.job_changes import SlotState
from scoopi.model.schedule.schedule_records import AttemptStatus
from tests.defs.schedule.project import Project

SHOP = """
namespace: shop
processes:
  books:
    executes: "scrape:books"
    trigger: {cron: "0 6 * * *", timezone: Europe/Berlin}
    retry: {max: 3, delay: 10m}
  clean: {executes: "python:actions:clean", trigger: {after: books}}
"""


def whats(report: Report) -> list[str]:
    return [finding.what for finding in report.findings]


def test_names_are_qualified_by_the_namespace_of_their_file(project: Project) -> None:
    (project.folder / "books").mkdir(parents=True)
    schedule, report = project.write(shop=SHOP).read()
    assert not report.findings
    assert list(schedule.processes) == ["shop.books", "shop.clean"]
    trigger = schedule.processes["shop.clean"].trigger
    assert trigger is not None
    assert trigger.after == ("shop.books",)
    assert project.checked == [project.folder / "books"]


def test_files_of_a_scrape_are_left_to_it(project: Project) -> None:
    project.write(shop="processes: {a: {executes: external:x}}", defs="locatorGroups: {}\ndataDefs: {}")
    schedule, report = project.read()
    assert not report.findings
    assert list(schedule.processes) == ["a"]


def test_findings_of_a_scrape_are_in_the_same_report(project: Project) -> None:
    (project.folder / "books").mkdir(parents=True)
    fault = Finding(Severity.ERROR, Place("books/b.yml", 3, 1), "dataDefs", "no block")
    project.scrape_report = Report((fault,), ("books/b.yml",))
    _, report = project.write(shop=SHOP).read()
    assert fault in report.errors
    assert "books/b.yml" in report.files


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            "processes: {a: {executes: external:x}}\ndataDefs: {}",
            "processes of the scheduler and dataDefs of a scrape",
        ),
        ("process: {a: {executes: external:x}}", "unknown section process"),
        ("processes: {a: {executes: external:x}}\nsetings: {}", "unknown section setings"),
        ("processes: {a: {executes: external:x}}\ntrees: {a: {}}", "trees is not supported by this version"),
        ("processes: [a]", "processes is not a mapping"),
        ("processes: {1a: {executes: external:x}}", "'1a' is not a valid name of a process"),
        ("processes: {a.b: {executes: external:x}}", "'a.b' is not a valid name of a process"),
        ("namespace: 'a b'\nprocesses: {a: {executes: external:x}}", "namespace is not a dotted name"),
        (
            "processes: {a: {executes: external:x}, A: {executes: external:x}}",
            "process A is defined as a, too",
        ),
        ("processes: {a: {executes: external:x, trigger: {after: a}}}", "a waits for itself"),
        ("processes: {a: {executes: 'scrape:boks'}}", "does not exist"),
        ("processes: {a: {executes: 'scrape:../../etc'}}", "is outside of the project"),
        pytest.param(f"processes: {{a: {{executes: 'scrape:{'b' * 300}'}}}}", "does not exist", id="long"),
        ('processes: {a: {executes: "scrape:a\\0b"}}', "scrape has a NUL character"),
        ('processes: {a: {executes: {command: [sh], env: {A: "a\\0b"}}}}', "env.A has a NUL character"),
        ("processes: {a: {executes: external:x, trigger: {after: b}}}", "unknown process b"),
        (
            "x-e: &x external:x\nprocesses: {a: {executes: *x, trigger: {after: b}},"
            " b: {executes: *x, trigger: {after: a}}}",
            "processes wait for each other",
        ),
        ("settings: {every: 10}\nprocesses: {a: {executes: external:x}}", "every is '10'"),
        ("namespace: a", "the project has no processes"),
    ],
)
def test_a_mistake_is_one_error_with_its_place(project: Project, text: str, what: str) -> None:
    _, report = project.write(shop=text).read()
    (found,) = report.errors
    assert what in found.what
    assert found.place.file


def test_a_name_of_two_namespaces_needs_its_namespace(project: Project) -> None:
    one, other = (
        f"namespace: {name}\nprocesses: {{load: {{executes: external:x}}}}" for name in ("de", "fr")
    )
    after = "namespace: it\nprocesses: {a: {executes: external:x, trigger: {after: load}}}"
    _, report = project.write(one=one, other=other, after=after).read()
    assert whats(report) == ["load may be de.load or fr.load"]


def test_settings_of_several_files_are_one_and_none_is_given_twice(project: Project) -> None:
    one = "settings: {every: 20s, gc: {retention: {jobs: 10d}}, history_start: '2026010100'}"
    two = "settings: {max_new_slots: 5}\nprocesses: {a: {executes: external:x}}"
    schedule, report = project.write(one=one, two=two).read()
    assert not report.errors
    settings = schedule.settings
    assert (settings.every, settings.max_new_slots) == (timedelta(seconds=20), 5)
    assert settings.gc.retention.jobs == timedelta(days=10)
    assert settings.gc.retention.events == timedelta(days=7)
    assert settings.history_start == datetime(2026, 1, 1, tzinfo=UTC)
    _, report = project.write(three="settings: {every: 30s}").read()
    assert "setting every is given twice" in whats(report)


def test_an_earlier_slot_of_each_other_is_not_a_cycle(project: Project) -> None:
    text = """
    processes:
      a: {executes: external:x, qualifier: daily, trigger: {}, depends_on: [{process: b, slot: previous}]}
      b: {executes: external:x, qualifier: daily, trigger: {}, depends_on: [a]}
    """
    schedule, report = project.write(jobs=text).read()
    assert not report.findings
    assert schedule.processes["a"].depends_on[0].slot == -1


@pytest.mark.parametrize(
    ("keys", "other", "message"),
    [
        ("qualifier: daily, trigger: {}, depends_on: [b]", "", "p has periods, but b has none"),
        ("qualifier: daily, trigger: {}, probe: [{job_done: b}]", "", "p has periods, but b has none"),
        (
            "qualifier: daily, trigger: {}, depends_on: [b]",
            "trigger: {slots: iterations, source: after_completion}",
            "p has periods, but b has iterations",
        ),
        (
            "trigger: {slots: iterations, source: after_completion}, depends_on: [b]",
            "qualifier: daily, trigger: {}",
            "p has iterations, but b has periods",
        ),
        ("qualifier: hourly, trigger: {}, depends_on: [b]", "qualifier: daily, trigger: {}", None),
        (
            "qualifier: daily, trigger: {}, depends_on: [{process: b, slot: -1}]",
            "qualifier: hourly, trigger: {}",
            "p waits for one hourly period of b, not for all",
        ),
        ("depends_on: [b]", "qualifier: daily, trigger: {}", None),
    ],
)
def test_a_dependency_without_a_slot_to_wait_for_is_reported(
    project: Project, keys: str, other: str, message: str | None
) -> None:
    text = f"""
    processes:
      p: {{executes: external:x, {keys}}}
      b: {{executes: external:x, {other}}}
    """
    _, report = project.write(jobs=text).read()
    assert whats(report) == ([message] if message else [])


def test_a_file_of_flows_is_left_out_with_a_warning(project: Project) -> None:
    project.write(jobs="processes: {a: {executes: external:x}}")
    (project.folder / "books").mkdir()
    (project.folder / "books/refresh.sl").write_text("flow: {name: refresh}\n")
    (found,) = project.read()[1].findings
    assert (found.severity, found.place.file) == (Severity.WARNING, str(project.folder / "books/refresh.sl"))
    assert "hold flows" in found.what


def test_a_missing_folder_is_reported(project: Project) -> None:
    _, report = project.read()
    assert whats(report) == ["there is no such file or folder"]


def test_a_project_differs_from_definitions_by_its_sections(project: Project) -> None:
    assert not is_project(project.folder)
    project.write(defs="locatorGroups: {}\n# processes: none\n")
    assert not is_project(project.folder)
    project.write(shop=SHOP)
    assert is_project(project.folder)
    assert is_project(project.folder / "shop.yml")
    assert not is_project(project.folder / "defs.yml")


@pytest.mark.parametrize(
    ("text", "is_schedule"),
    [
        ("Processes: {}", True),
        ("process: {}", True),
        ("locatorGroup: {}", False),
        ("settings: {}", True),
        ("locatorGroups: {}\nprocess: {}", False),
        ("notes: {}", False),
    ],
)
def test_a_misspelt_section_of_the_scheduler_is_one_of_its_own(
    project: Project, text: str, is_schedule: bool
) -> None:
    project.write(jobs=text)
    assert is_project(project.folder) is is_schedule


def test_a_scrape_is_checked_with_the_inputs_of_its_process(project: Project) -> None:
    keys = """
        executes: scrape:books
        inputs: {town: oslo, day: "${ slot.key }", token: "${env:TOKEN}"}
    """
    assert project.read_process(keys)[1].findings == ()
    (inputs,) = project.inputs
    assert inputs.giver == "process p"
    assert {name: inputs.values[name] for name in ("town", "day", "token", "slot.start")} == {
        "town": "oslo",
        "day": "1",
        "token": "${env:TOKEN}",
        "slot.start": "1",
    }
    assert inputs.groups == ()
    assert inputs.assumed == {"day", "slot.key", "slot.start", "slot.end", "start_id", "end_id"}


def test_a_scrape_is_checked_once_for_each_selection_of_groups(project: Project) -> None:
    (project.folder / "books").mkdir(parents=True)
    executed = ("books", "books#list", "books#list, news", "books#list,news")
    text = "\n".join(f"  p{n}: {{executes: 'scrape:{what}'}}" for n, what in enumerate(executed))
    _, report = project.write(shop=f"processes:\n{text}\n").read()
    assert report.findings == ()
    assert [inputs.groups for inputs in project.inputs] == [(), ("list",), ("list", "news")]


@pytest.mark.parametrize("via", ["mail ops", "python:m", "bin/mail", "[]", "['python:m:f', x]", "{a: b}"])
def test_a_target_of_notify_is_a_function_or_a_command_as_a_list(project: Project, via: str) -> None:
    found = project.finding(f"executes: external:x\nnotify: [{{when: [failed], via: {via}}}]")
    assert (found.severity, found.key) == (Severity.ERROR, "processes.p.notify[0].via")
    assert "python:module:function, or a command as a list of words" in found.hint


EVENTS = (*get_args(AttemptStatus), *get_args(SlotState), "missed", "deadline", "stuck")


def test_all_statuses_of_attempts_and_states_of_jobs_may_be_notified(project: Project) -> None:
    rule = f"notify: [{{when: [{', '.join(dict.fromkeys(EVENTS))}], via: [bin/mail]}}]"
    (project.folder / "bin").mkdir(parents=True)
    (project.folder / "bin" / "mail").touch(0o755)
    schedule, report = project.write(shop=f"processes: {{p: {{executes: 'external:x', {rule}}}}}").read()
    assert report.findings == ()
    assert {*schedule.processes["p"].notify[0].when} == {*EVENTS}


DOCUMENTS = """
    namespace: berlin
    processes:
      prices: {executes: "external:x", trigger: {every: 1h}}
    ---
    namespace: paris
    processes:
      prices: {executes: "external:x", trigger: {after: berlin.prices}}
    ---
"""


def test_each_document_of_a_file_has_its_own_namespace(project: Project) -> None:
    schedule, report = project.write(shops=DOCUMENTS).read()
    assert not report.findings
    assert list(schedule.processes) == ["berlin.prices", "paris.prices"]


@pytest.mark.parametrize(
    ("written", "place", "what"),
    [
        ("\n---\nprocesses: {b: {executes: external:x, mod: manual}}", "4:39", "unknown key mod"),
        ("\n---\nprocesses: {a: {executes: external:x}}", "4:13", "process a is defined twice"),
        ("\n---\ndataDefs: {}", "4:1", "the file has processes of the scheduler and dataDefs of a scrape"),
        ("\n---\n- a", "4:1", "the file holds a list, not definitions"),
        ("\n---\nprocesses: {b: *base}", "4:16", "this alias names an anchor that is not defined"),
    ],
)
def test_a_finding_stands_at_its_line_whatever_the_document(
    project: Project, written: str, place: str, what: str
) -> None:
    first = "processes:\n  a: &base {executes: external:x}"
    _, report = project.write(jobs=f"{first}{written}").read()
    (found,) = report.findings
    assert (f"{found.place.line}:{found.place.column}", found.what) == (place, what)


def test_a_setting_of_two_documents_is_given_twice(project: Project) -> None:
    first = "processes: {a: {executes: external:x}}\nsettings: {every: 5s}"
    _, report = project.write(jobs=f"{first}\n---\nsettings: {{every: 9s}}\n").read()
    assert whats(report) == ["setting every is given twice"]


def test_a_key_that_is_written_twice_is_an_error_even_with_the_same_value(project: Project) -> None:
    text = "processes:\n  a:\n    executes: external:x\n    mode: manual\n    mode: manual\n"
    (found,) = project.write(jobs=text).read()[1].errors
    assert found.what == "mode is written twice, with the same value"
    assert (found.place.line, found.also.line) == (5, 4)


@pytest.mark.parametrize(
    ("trigger", "found"),
    [
        (
            '{every: 1h, until: "2026-01-01T00:00:00Z"}',
            ["until has passed, so the process gets no further slots"],
        ),
        ('{every: 1h, until: "2026-01-02T00:00:01Z"}', []),
        (
            '{after: other, until: "2026-01-01T00:00:00Z"}',
            ["until has no effect on slots that come from another process or a class"],
        ),
        (
            '{slots: iterations, source: "python:actions:Source", since: "2026-01-01T00:00:00Z"}',
            ["since has no effect on slots that come from another process or a class"],
        ),
    ],
)
def test_a_trigger_that_has_ended_and_bounds_without_effect_are_warnings(
    project: Project, trigger: str, found: list[str]
) -> None:
    other = "processes:\n  other: {executes: external:x}\n"
    project.write(jobs=f"{other}  p: {{executes: external:x, trigger: {trigger}}}\n")
    now = datetime(2026, 1, 2, tzinfo=UTC)
    _, report = read_schedule(project.folder, None, now)
    assert [finding.what for finding in report.warnings] == found
    assert not report.errors
    assert {finding.place.line for finding in report.warnings} <= {3}
    if "passed" in "".join(found):
        assert [finding.key for finding in report.warnings] == ["processes.p.trigger.until"]
        assert not read_schedule(project.folder, None)[1].warnings, "a deployed project"
