"""Kinds of definitions give the rows of their loops in whole runs too, and Scrapy has a spider for each."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.benchmarks.kinds.__main__ import KINDS
from tests.benchmarks.measured_run import run_scoopi, served
from tests.benchmarks.peers.compare_kinds import workload_of, written_values


@pytest.mark.parametrize("kind", ["cards_records", "labels_contains", "scripter", "stopped_table"])
def test_a_run_over_a_kind_gives_the_rows_of_its_loop_for_each_page(kind: str, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    workload, values = workload_of(kind, pages, 2)
    with served(pages) as url:
        _, data = run_scoopi(workload, tmp_path / "run", url, workers="0")
    assert written_values(data.read_text().splitlines(), workload) == values + values


def test_pages_are_fewer_where_they_are_large(tmp_path: Path) -> None:
    assert workload_of("large_page", tmp_path, 6000)[0].pages == 149
    assert workload_of("links", tmp_path, 6000)[0].pages == 6000


def test_each_kind_has_a_spider() -> None:
    """The file needs Scrapy, which is installed in an environment of its own."""
    text = (Path(__file__).parent / "kinds_spider.py").read_text()
    written = text[text.index("KINDS = {") : text.index("\n}\n")]
    assert sorted(re.findall(r'^    "(\w+)":', written, re.MULTILINE)) == list(KINDS)
    assert Counter(KINDS).most_common(1)[0][1] == 1
