"""The example project of the scheduler does what its comments say."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.serve.serving import Serving

EXAMPLE = Path(__file__).parents[2] / "defs/jobs"


def test_the_example_project_scrapes_reports_and_archives(serving: Serving) -> None:
    shutil.copytree(EXAMPLE, serving.folder / "jobs", dirs_exist_ok=True)
    serving.run("deploy", "jobs")
    serving.run("launch", "prices")
    serving.run("launch", "archive", "-i", "name=week")
    serving.until_idle()
    prices = serving.attempt("prices/!1/1")
    assert prices["status"] == "succeeded"
    rows = prices["outputs"]["rows"]
    assert rows > 0
    assert serving.attempt("report/!1/1")["outputs"]["text"].startswith(f"{rows} prices since 20")
    assert serving.attempt("archive/!1/1")["outputs"] == {"archive": "week.tar"}
    assert serving.read("output/bakery.prices/!1/data.txt")
