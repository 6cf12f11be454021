"""`live`: kept rows serve as long as nothing that shapes them has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.workspace import Workspace
from tests.site.misbehaving_site import MisbehavingSite

DEFINITIONS = """\
locatorGroups:
  page: { locators: [ { name: one, url: "/one.html" } ] }
taskGroups:
  page: { live: P1W, task: { dataDef: titles, steps: STEPS } }
dataDefs:
  titles:
    query: { block: "//body", selector: "//h1" }
    items: [ item: { name: title, value: title } ]
    dims: [ item: { name: none, script: "configs.getConfig('scoopi.fact.blank.replaceWith')" } ]
"""
PLAIN = """\
locatorGroups:
  page: { locators: [ { name: one, url: "/one.html" } ] }
taskGroups:
  page: { live: P1W, task: { dataDef: titles } }
dataDefs:
  titles:
    query: { block: "body", selector: "h2" }
    items: [ item: { name: title, selector: "h1" } ]
"""


@pytest.fixture
def defs(workspace: Workspace) -> Path:
    """A page beside its definitions, which lie in a folder of their own."""
    (workspace.folder / "one.html").write_text("<h1>whole <b>text</b></h1>")
    folder = workspace.folder / "defs"
    folder.mkdir()
    return folder / "job.yml"


def rows_of(workspace: Workspace, defs: Path, output: str, *words: object) -> list[str]:
    ended = workspace.scoopi("run", defs, "--workers", 0, "--output", output, *words)
    assert ended.code == 0, ended.err
    return list(workspace.rows(output))


def test_rows_are_read_again_when_a_setting_that_shapes_them_has_changed(
    workspace: Workspace, defs: Path
) -> None:
    defs.write_text(PLAIN)
    assert rows_of(workspace, defs, "first") == ["one|page|whole|not found"]
    words = ("-D", "scoopi.fact.notFound.replaceWith=none")
    assert rows_of(workspace, defs, "second", *words) == ["one|page|whole|none"]


def test_rows_are_read_again_when_a_script_may_see_another_setting(workspace: Workspace, defs: Path) -> None:
    defs.write_text(DEFINITIONS.replace("STEPS", "xpath"))
    assert rows_of(workspace, defs, "first") == ["one|page|title|-|whole text"]
    words = ("-D", "scoopi.fact.blank.replaceWith=none")
    assert rows_of(workspace, defs, "second", *words) == ["one|page|title|none|whole text"]


def test_rows_are_read_again_in_another_language_of_selectors(workspace: Workspace, defs: Path) -> None:
    text = PLAIN.replace('block: "body", selector: "h2"', 'block: "body", selector: "h1"')
    defs.write_text(text.replace("dataDef: titles", "dataDef: titles, steps: css"))
    assert rows_of(workspace, defs, "first") == ["one|page|whole|whole"]
    defs.write_text(text.replace("dataDef: titles", "dataDef: titles, steps: xpath"))
    assert rows_of(workspace, defs, "second") == ["one|page|null|not found"]


def test_rows_are_kept_when_nothing_that_shapes_them_has_changed(workspace: Workspace, defs: Path) -> None:
    defs.write_text(PLAIN)
    kept = "scoopi.runDateTimeText=2020-01-01T00:00:00.000+0000"
    rows_of(workspace, defs, "first", "-D", kept)
    files = {file: file.read_bytes() for file in (workspace.folder / "data").rglob("data-*")}
    rows_of(workspace, defs, "second", "-D", kept, "-D", "scoopi.parser.plain=true")
    assert {file: file.read_bytes() for file in (workspace.folder / "data").rglob("data-*")} == files != {}


def test_a_stale_page_that_its_server_has_not_changed_is_used_again(
    workspace: Workspace, defs: Path, site: MisbehavingSite
) -> None:
    defs.write_text(PLAIN.replace("/one.html", site.url("etag")).replace('"h1"', '"p"'))
    weeks = ("2020-01-01", "2020-01-03", "2020-01-09", "2020-01-15")
    for number, day in enumerate(weeks):
        words = ("-D", f"scoopi.runDateTimeText={day}T00:00:00.000+0000")
        assert rows_of(workspace, defs, f"run{number}", *words) == ["one|page|Brot, Käse und Öl|not found"]
    pages = [seen.status for seen in site.log.all() if seen.path.startswith("/bad/")]
    assert pages == [200, 304], "the answer of the third run serves the fourth one too"
