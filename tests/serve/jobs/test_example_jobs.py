"""The example project of the scheduler, and the first steps of its documentation, do what they say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.docs.markdown import Page
from tests.serve.serving import Serving

EXAMPLE = Path(__file__).parents[3] / "defs/jobs"
NOW = "2026-03-27T12:30:00Z"


@pytest.fixture
def bakery(serving: Serving) -> Serving:
    """The example is deployed; its delivery is retried at once."""
    shutil.copytree(EXAMPLE, serving.folder / "jobs", dirs_exist_ok=True)
    path = serving.folder / "jobs/bakery.yml"
    path.write_text(path.read_text().replace("delay: 30s", "delay: 0s"))
    return serving


def test_the_example_project_scrapes_reports_and_archives(bakery: Serving) -> None:
    bakery.run("deploy", "jobs")
    bakery.run("launch", "prices")
    bakery.run("launch", "archive", "-i", "name=week")
    bakery.run("process", "backfill", "takings", "--from", "2026011200", "--to", "2026011800")
    bakery.until_idle()
    prices = bakery.attempt("prices/!1/1")
    assert prices["status"] == "succeeded", prices["explanation"]
    assert prices["outputs"]["rows"] == 3
    assert bakery.attempt("report/!1/1")["outputs"]["text"].startswith("3 prices since 20")
    assert bakery.attempt("archive/!1/1")["outputs"] == {"archive": "week.tar"}
    published = bakery.read("output/bakery.prices/!1/flour.csv").splitlines()
    assert "Rye, wholemeal" in published[1]
    days = [bakery.attempt(f"takings/D:202601{day}00/1")["outputs"] for day in range(12, 19)]
    assert days == [{"date": f"2026-01-{day}"} for day in range(12, 19)]


def test_a_delivery_that_fails_is_on_hold_until_it_is_cleared(bakery: Serving) -> None:
    bakery.run("deploy", "jobs")
    disk = bakery.folder / "disk"
    bakery.run("launch", "deliver", "-i", f"to={disk}")
    bakery.until_idle()
    (why,) = bakery.rows("job", "why", "deliver/!1")
    assert (why["gate"], why["attempts"]) == ("error", 2)
    assert f"{disk} is not there" in str(why["reason"])
    disk.mkdir()
    bakery.run("job", "clear", "deliver/!1")
    bakery.until_idle()
    assert (disk / "delivery.txt").read_text() == "fresh bread"


def test_an_hour_that_was_missed_is_caught_up_once_and_the_report_follows(bakery: Serving) -> None:
    bakery.run("deploy", "jobs", "--now", "2026-03-27T09:30:00Z")
    made = [row for row in bakery.rows("tick", "--now", NOW) if row["decision"] == "job_made"]
    prices = [row["job"] for row in made if str(row["job"]).startswith("bakery.prices/")]
    assert prices == ["bakery.prices/@2026-03-27T12:00:00Z"]


def test_the_first_five_minutes_from_an_empty_folder(serving: Serving) -> None:
    page = Page("docs/scheduling.md")
    for block in page.blocks("yaml", "python"):
        if block.file:
            serving.write(block.file.removeprefix("jobs/"), block.text)
    session = next(iter(page.blocks("console"))).text.splitlines()
    commands = [line.removeprefix("$ ") for line in session if line.startswith("$ ")]
    assert len(commands) > 5
    for command in commands:
        serving.run(*command.replace("'", "").split()[1:])
    (row,) = serving.rows("job", "why", "shop.clean/!1")
    assert row["state"] == "processed"
    assert "cleaned 42 books" in serving.run("attempt", "log", "shop.clean/!1/1")


def test_the_schedule_of_the_readme_runs_its_scrape(serving: Serving) -> None:
    readme = Page("README.md")
    (schedule,) = [block for block in readme.blocks("yaml") if block.file.startswith("hourly/")]
    (serving.folder / "hourly").mkdir()
    (serving.folder / schedule.file).write_text(schedule.text)
    serving.run("new", "hourly/books")
    serving.run("deploy", "hourly")
    serving.run("launch", "prices")
    serving.until_idle()
    prices = serving.attempt("prices/!1/1")
    assert prices["status"] == "succeeded", prices["explanation"]
    assert prices["outputs"]["rows"] == 3
    assert len(serving.rows("process", "next", "prices", "-n", "3")) == 3
