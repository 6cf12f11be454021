"""Processes refer to each other by names, which may leave the namespace out; bad edges are errors."""

from __future__ import annotations

import pytest

from tests.defs.schedule.project import Project

TEXT = """
namespace: {space}
processes:
  a: {{executes: external:x, qualifier: daily, trigger: {{}}}}
  b:
    executes: external:x
    qualifier: daily
    trigger: {{}}
    depends_on: [{name}]
    probe: [{{job_done: {name}}}]
"""


@pytest.mark.parametrize("name", ["a", "one.a"])
def test_the_own_namespace_comes_first(project: Project, name: str) -> None:
    schedule, report = project.write(one=TEXT.format(space="one", name=name)).read()
    assert not report.findings
    process = schedule.processes["one.b"]
    assert process.depends_on[0].process == "one.a"
    assert process.probe[0].job_done is not None
    assert process.probe[0].job_done.process == "one.a"


def test_an_unknown_name_is_an_error_at_each_place(project: Project) -> None:
    _, report = project.write(one=TEXT.format(space="one", name="aa")).read()
    assert [(each.key, each.place.line, each.what, each.did_you_mean) for each in report.findings] == [
        ("processes.b.depends_on[0]", 9, "unknown process aa", "a"),
        ("processes.b.probe[0].job_done", 10, "unknown process aa", "a"),
    ]


DAILY = "executes: external:x, qualifier: daily"


@pytest.mark.parametrize(
    ("first", "second", "at", "what"),
    [
        ("depends_on: [b]", "depends_on: [a]", "b]", "processes wait for each other: a -> b -> a"),
        ("depends_on: [{process: a}]", "", "{process: a}", "a waits for itself"),
    ],
)
def test_a_cycle_is_one_error_at_an_edge(
    project: Project, first: str, second: str, at: str, what: str
) -> None:
    text = (
        f"processes:\n  a: {{{DAILY}, trigger: {{}}, {first}}}\n  b: {{{DAILY}, trigger: {{}}, {second}}}\n"
    )
    (found,) = project.write(jobs=text).read()[1].findings
    assert (found.what, found.hint) == (what, "remove one of the edges")
    assert found.line[found.place.column - 1 :].startswith(at)


def test_each_cycle_is_reported(project: Project) -> None:
    keys = "executes: external:x, trigger: {after: %s}"
    lines = [f"  {name}: {{{keys % other}}}" for name, other in ("ab", "ba", "cd", "de", "ec", "fa")]
    report = project.write(jobs="processes:\n" + "\n".join(lines)).read()[1]
    assert sorted(each.what for each in report.findings) == [
        "processes wait for each other: a -> b -> a",
        "processes wait for each other: c -> d -> e -> c",
    ]


@pytest.mark.parametrize(
    ("other", "theirs"),
    [
        ("trigger: {every: 1h}", "no periods"),
        ("qualifier: hourly, trigger: {}", "hourly periods"),
        ("trigger: {slots: iterations, source: after_completion}", "iterations"),
    ],
)
def test_a_process_of_periods_does_not_follow_one_with_other_slots(
    project: Project, other: str, theirs: str
) -> None:
    text = f"""
    processes:
      a: {{executes: external:x, {other}}}
      b: {{{DAILY}, trigger: {{after: [a]}}}}
    """
    (found,) = project.write(jobs=text).read()[1].findings
    assert found.what == f"b has daily periods, but a has {theirs}"
    assert (found.key, found.line[found.place.column - 1 :][:2]) == ("processes.b.trigger.after[0]", "a]")


def test_a_process_of_periods_follows_one_with_the_same(project: Project) -> None:
    text = f"processes: {{a: {{{DAILY}, trigger: {{}}}}, b: {{{DAILY}, trigger: {{after: a}}}}}}"
    assert project.write(jobs=text).read()[1].findings == ()


def test_an_edge_that_is_written_twice_is_an_error_at_the_second(project: Project) -> None:
    edges = "[{process: a, when_failed: skip}, {process: a, slot: previous}, {process: a, slot: 0}]"
    text = (
        f"processes:\n  a: {{{DAILY}, trigger: {{}}}}\n  b: {{{DAILY}, trigger: {{}}, depends_on: {edges}}}\n"
    )
    (found,) = project.write(jobs=text).read()[1].findings
    assert (found.what, found.hint) == ("b depends on the same slot of a twice", "keep one of them")
    assert found.line[found.place.column - 1 :].startswith("{process: a, slot: 0}")


def test_an_edge_with_an_invalid_slot_is_one_error(project: Project) -> None:
    text = f"processes: {{a: {{{DAILY}, trigger: {{}}, depends_on: [{{process: a, slot: next}}]}}}}"
    (found,) = project.write(jobs=text).read()[1].findings
    assert found.what == "slot is 'next'"
