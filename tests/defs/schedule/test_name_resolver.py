"""Names of processes in other processes may leave the namespace out."""

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
