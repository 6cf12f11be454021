"""The definitions in the documentation pass the check, and are those of the examples that they show."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.app import check
from tests.docs.markdown import PAGES, ROOT, Page

README = Page("README.md")
FILES = [block.file for name in PAGES for block in Page(name).blocks("yaml")]
FOLDERS = (
    "demo",
    "shop",
    "bikes",
    "books",
    "changes",
    "cities",
    "concerts",
    "covers",
    "hourly",
    "jobs",
    "kites",
    "lamps",
    "library",
    "loaves",
    "offers",
    "outputs",
    "site",
)
FIRST = ROOT / "defs" / "examples" / "bookshop"


def test_every_definition_belongs_to_a_folder_that_is_checked() -> None:
    assert {file.partition("/")[0] for file in FILES} == {*FOLDERS}
    assert len(set(FILES)) == len(FILES)


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_definitions_of_the_documentation_pass_the_check_without_a_warning(
    folder: str, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(checkout)

    report = check(Path(folder), strict=True, environ={})

    assert report.findings == (), report.text()
    assert {*report.files} >= {file for file in FILES if file.startswith(f"{folder}/")}


def test_the_first_definition_is_that_of_the_first_example() -> None:
    first = next(block for block in README.blocks("yaml") if block.file.startswith("demo/"))
    lines = (FIRST / "books.yml").read_text().splitlines()

    assert first.lines[1:] == [line for line in lines if line.strip() and not line.startswith("#")]


def test_the_rows_of_the_first_definition_are_those_that_it_gives() -> None:
    shown, _ = README.blocks("text")

    assert (FIRST / "expected.txt").read_text() == shown.text
