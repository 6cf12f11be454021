"""check_definitions: what only the settings let a check find."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.bootstrap.checking import check_definitions
from scoopi.bootstrap.run_request import RunRequest

DEFINITIONS = """\
locatorGroups:
  page: { locators: [ { name: one, url: "/one.html" } ] }
taskGroups:
  page:
    task:
      dataDef: titles
      steps:
        css:
          appender:
            class: DataAppender
            previous: filter
            next: end
            plugins:
              - plugin: { name: f, class: FileAppender, file: FILE, plugins: [ plugin: { name: c, class: CsvEncoder } ] }
dataDefs:
  titles:
    query: { block: "body", selector: "h1" }
    items: [ item: { name: title, value: title } ]
"""  # noqa: E501


@pytest.mark.parametrize(
    ("length", "settings", "is_found"),
    [
        (255, {}, False),
        (246, {"scoopi.cluster.addresses": "127.0.0.1"}, False),
        (247, {"scoopi.cluster.addresses": "127.0.0.1"}, True),
        (245, {"scoopi.cluster.addresses": "127.0.0.1", "scoopi.cluster.node": "tenletters"}, True),
        (247, {"scoopi.cluster.node": "tenletters"}, False),
    ],
)
def test_a_name_that_is_too_long_with_that_of_its_node_is_an_error(
    tmp_path: Path, length: int, settings: dict[str, str], is_found: bool
) -> None:
    name = "x" * (length - 4) + ".csv"
    (tmp_path / "job.yml").write_text(DEFINITIONS.replace("FILE", f"folder/{name}"))
    report = check_definitions(RunRequest(tmp_path, overrides=settings, environ={}), strict=False)
    found = [each.sentence() for each in report.findings]
    assert found == ([found[0]] if is_found else [])
    assert not is_found or "is too long a name with that of its node; shorten it" in found[0]
