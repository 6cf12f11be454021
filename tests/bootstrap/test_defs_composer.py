"""check_definitions: what only the settings, or the disk, let a check find."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.bootstrap.defs_composer import DefsComposer, check_definitions
from scoopi.defs.scrape.defs_checker import MOST_MISSING
from scoopi.plugins.builtins import BUILTINS
from scoopi.plugins.plugin_finder import PluginFinder
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.run_request import RunRequest

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
    (tmp_path / "one.html").touch()
    (tmp_path / "job.yml").write_text(DEFINITIONS.replace("FILE", f"folder/{name}"))
    report = check_definitions(RunRequest(tmp_path, overrides=settings, environ={}), strict=False)
    found = [each.sentence() for each in report.findings]
    assert found == ([found[0]] if is_found else [])
    assert not is_found or "is too long with the node's id; shorten it" in found[0]


def _with_pages(folder: Path, *urls: str, strict: bool = False) -> list[str]:
    locators = ", ".join(f'{{ name: one, url: "{url}" }}' for url in urls)
    text = DEFINITIONS.replace("FILE", "a.csv").replace('{ name: one, url: "/one.html" }', locators)
    (folder / "job.yml").write_text(text)
    report = check_definitions(RunRequest(folder, environ={}), strict)
    return [f"{each.severity} {each.sentence()}" for each in report.findings]


def test_a_page_that_is_not_there_is_a_warning_that_names_where_it_was_looked_for(tmp_path: Path) -> None:
    (tmp_path / "there.html").touch()
    (tmp_path / "folder").mkdir()
    absent = f"file://{tmp_path}/absent.html"
    found = _with_pages(tmp_path, "/there.html", "https://shop.example/", "/one.html", absent, "folder")
    begins = [each.partition("; ")[0] for each in found]
    key = "warning locatorGroups.page.locators"
    assert begins == [
        f"{key}[2].url: page /one.html: there is no such file",
        f"{key}[3].url: page {absent}: there is no such file",
        f"{key}[4].url: page folder: {tmp_path}/folder is a folder, not a file",
    ]
    assert str(tmp_path) in found[0]


def test_with_strict_a_missing_page_is_an_error(tmp_path: Path) -> None:
    (found,) = _with_pages(tmp_path, "/one.html", strict=True)
    assert found.startswith("error ")


def test_of_many_missing_pages_the_first_are_reported(tmp_path: Path) -> None:
    found = _with_pages(tmp_path, *(f"/p{number}.html" for number in range(MOST_MISSING + 5)))
    assert len(found) == MOST_MISSING
    assert "(further pages of this group were not checked)" in found[-1]


def test_a_run_does_not_look_for_its_pages_beforehand(tmp_path: Path) -> None:
    """What is missing is reported once, by the jobs that miss it."""
    _with_pages(tmp_path, "/one.html")
    configs = ConfigsComposer(RunRequest(tmp_path, environ={})).compose()
    composer = DefsComposer(configs, PluginFinder((), BUILTINS), tmp_path)
    assert composer.check(tmp_path)[1].findings == ()
