"""The examples: each gives exactly its expected rows, however many workers do it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from scoopi.app import check
from scoopi.model.report.run_report import RunReport, RunStatus
from tests.examples.example import EXAMPLES, ROOT, Example, examples, published

ALL = pytest.mark.parametrize("example", examples(), ids=lambda example: example.folder.name)
RICHEST = pytest.mark.parametrize(
    "example",
    [Example(EXAMPLES / "all-features"), Example(EXAMPLES / "links")],
    ids=lambda example: example.folder.name,
)


def _assert_as_expected(example: Example, report: RunReport) -> None:
    assert (report.status, report.errors, report.jobs.failed) == (RunStatus.DONE, (), 0)
    assert published(Path(report.folder)) == example.expected()


@ALL
@pytest.mark.parametrize("workers", [0, 2])
def test_an_example_gives_its_expected_rows(
    example: Example, workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where databases are made
    report = example.run(tmp_path, workers)
    _assert_as_expected(example, report)
    # Pages linked twice are read twice, unless `once: true`; so there are at least as many as files.
    files = [file for file in (example.folder / "pages").glob("**/*") if file.is_file()]
    assert report.pages >= len(files), "some page is never read"


@RICHEST
@pytest.mark.parametrize("workers", [1, 4])
def test_the_number_of_workers_changes_no_row(example: Example, workers: int, tmp_path: Path) -> None:
    _assert_as_expected(example, example.run(tmp_path, workers))


@ALL
def test_the_strict_check_finds_nothing_in_an_example(example: Example) -> None:
    report = check(example.folder, example.conf, strict=True, environ={})
    assert report.findings == (), report.text()


@ALL
def test_an_example_has_expected_rows_and_says_what_it_shows(example: Example) -> None:
    single, several = example.folder / "expected.txt", example.folder / "expected"
    assert single.is_file() != several.is_dir(), "either expected.txt or a folder expected"
    assert all(sum(rows.values()) for rows in example.expected().values())
    tops = [file.read_text(encoding="utf-8").partition("\n\n")[0] for file in example.folder.glob("*.yml")]
    assert any(top.startswith("# ") and len(top) > 200 for top in tops)
    assert f"| [{example.folder.name}](" in (EXAMPLES / "README.md").read_text(encoding="utf-8")


def test_the_examples_are_enough() -> None:
    assert len(examples()) >= 13


def test_the_xpath_twin_gives_the_rows_of_the_css_example() -> None:
    twin, original = Example(EXAMPLES / "xpath"), Example(EXAMPLES / "match-labels")
    assert twin.expected() == original.expected()


def test_a_second_run_updates_the_rows_of_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    example = Example(EXAMPLES / "sqlite-and-parquet")
    for _ in range(2):
        _assert_as_expected(example, example.run(tmp_path))

    with closing(sqlite3.connect("levels.db")) as database:
        rows = database.execute("SELECT gauge, day, metres, flood, readers FROM levels ORDER BY gauge, day")
        assert rows.fetchall() == [
            ("Lower gauge", "2026-03-01", 2.41, 0, None),
            ("Lower gauge", "2026-03-02", None, 0, None),
            ("Upper gauge", "2026-03-01", 1.3, 0, '["Ada","Ben"]'),
            ("Upper gauge", "2026-03-02", 4.05, 1, '["Ada"]'),
        ]


@pytest.mark.parametrize("name", ["quickstart", "all-features"])
def test_a_copied_example_runs_anywhere(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied = Example(tmp_path / "mine")
    shutil.copytree(EXAMPLES / name, copied.folder)
    monkeypatch.chdir(tmp_path)
    _assert_as_expected(copied, copied.run(tmp_path))


def test_the_quickstart_runs_as_a_newcomer_types_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scoopi", "defs/examples/quickstart", "--output", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "NO_COLOR": "1"},
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    run = (tmp_path / "latest").resolve()
    assert published(run) == Example(EXAMPLES / "quickstart").expected()


def test_a_second_run_reads_the_kept_pages(tmp_path: Path) -> None:
    example = _rivers(tmp_path)
    first = example.run(tmp_path)
    for page in (example.folder / "pages").iterdir():
        page.unlink()
    again = example.run(tmp_path, configs={"scoopi.runDateTimeText": "08-03-2026 07:59:59"})
    _assert_as_expected(example, first)
    _assert_as_expected(example, again)


def test_a_page_that_is_no_longer_live_is_loaded_again(tmp_path: Path) -> None:
    example = _rivers(tmp_path)
    example.run(tmp_path)
    page = example.folder / "pages" / "upperGauge.html"
    page.write_text(page.read_text(encoding="utf-8").replace("1.30", "1.99"), encoding="utf-8")
    week_later = example.run(tmp_path, configs={"scoopi.runDateTimeText": "08-03-2026 08:00:00"})
    rows = published(Path(week_later.folder))[""]
    assert rows["upperGauge|river|Mon|08-03-2026 08:00:00|1.99"] == 1
    assert rows["lowerGauge|river|Mon|08-03-2026 08:00:00|2.41"] == 1


def _rivers(folder: Path) -> Example:
    """A copy of the example `persistence`, so that its pages can be changed."""
    example = Example(folder / "rivers")
    shutil.copytree(EXAMPLES / "persistence", example.folder)
    return example
