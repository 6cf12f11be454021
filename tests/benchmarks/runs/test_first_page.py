"""The benchmark of the first page measures a run that reads its pages."""

from __future__ import annotations

import json
import time
from pathlib import Path

from tests.benchmarks.runs.first_page import PAGES, first_page_ms


def test_the_first_page_is_asked_for_within_a_run_that_reads_all(tmp_path: Path) -> None:
    began = time.monotonic()
    milliseconds = first_page_ms(tmp_path / "run", workers=2)
    whole = (time.monotonic() - began) * 1000
    (report,) = (tmp_path / "run" / "output").glob("[!l]*/run.json")
    said = json.loads(report.read_text())
    assert said["jobs"]["done"] == PAGES, said
    assert 0 < milliseconds < whole
