"""Figures in the prose of guides are those of the program."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from scoopi.configs.registry import SETTINGS_BY_KEY
from scoopi.engine.job_seeder import FEW_READY, LOOK_AFTER, MANY_READY, MOST_MARKED, MOST_READY
from scoopi.engine.stop_time import STORE_SHARE, TASKS_SHARE
from scoopi.fetch.http_faults import TRANSIENT_STATUSES
from scoopi.mediator.task_mediator import MOST_AHEAD
from scoopi.mediator.workers.watchdog import FROZEN_S, SLOW_S
from scoopi.mediator.workers.worker_pool import WINDOW_LEAST, WINDOW_MOST, WINDOW_SECONDS
from scoopi.model.limits.retry_policy import MOST_FOR_A_NAME
from scoopi.model.robots import MOST_ROBOTS_BYTES, MOST_ROBOTS_REDIRECTS
from scoopi.politeness.host_health import ERRORS_FOR_REST, MOST_PAUSE_S, MOST_SLOWING, NAME_TIMEOUT_S
from scoopi.scheduler.gates import GATES
from scoopi.scheduler.placing.placement import PlacingGate
from scoopi.serve.gc.record_collector import KEPT_AT_LEAST
from scoopi.serve.passes import LATEST_S
from scoopi.store.cluster.member_majority import COPIES
from scoopi.store.jobs.job_store import LARGE
from scoopi.store.ports import RUN_MAPS
from tests.docs.markdown import Page

POLITENESS = Page("docs/politeness.md")
ARCHITECTURE = " ".join(Page("ARCHITECTURE.md").text.split())
UNITS_MS = {"ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000}
WORDS = {"a minute": 60.0, "five": 5, "ten times": 10.0, "half an hour": 1800.0, "an hour": 3600.0}


def amount(text: str) -> str | int:
    """A default as a guide or a setting writes it, comparable: durations in milliseconds."""
    number, _, unit = text.partition(" ")
    return int(number) * UNITS_MS[unit] if unit in UNITS_MS else {"yes": "true"}.get(text, text)


def test_the_defaults_of_politeness_are_those_of_the_settings() -> None:
    rows = POLITENESS.table("what", "default", "setting")
    assert len(rows) == 6
    for what, default, cell in rows:
        setting = SETTINGS_BY_KEY[re.findall(r"scoopi[\w.]+", cell)[0]]
        assert amount(default) == amount(f"{setting.default} {setting.unit}".strip()), what


@pytest.mark.parametrize(
    ("sentence", "figure"),
    [
        (r"doubles with each further error, up to ([\w ]+);", MOST_PAUSE_S),
        (r"After (\w+) errors in a row", ERRORS_FOR_REST),
        (r"gets a longer delay, up to ([\w ]+) the set one", MOST_SLOWING),
        (r"whose name has been unknown for (\d+) s", NAME_TIMEOUT_S),
    ],
)
def test_errors_slow_a_host_down_by_the_figures_of_the_program(sentence: str, figure: float) -> None:
    found = re.search(sentence, " ".join(POLITENESS.prose.split()))
    assert found
    assert WORDS.get(found[1]) == figure or found[1] == f"{figure:g}"


def test_the_limits_of_robots_txt_and_of_unknown_names_are_those_of_the_program() -> None:
    answers = dict(POLITENESS.table("answer", "what Scoopi does"))
    assert f"the first {MOST_ROBOTS_BYTES // 1024} KiB;" in answers["200"]
    assert answers["3xx"].startswith(f"follows up to {MOST_ROBOTS_REDIRECTS} redirects")
    failures = dict(Page("docs/retries.md").table("failure", ""))
    assert f"at most {MOST_FOR_A_NAME} attempts" in failures["the host's name is unknown"]


def test_the_statuses_that_are_tried_again_are_those_of_the_program() -> None:
    (row,) = [first for first, _ in Page("docs/retries.md").table("failure", "") if "status 408" in first]
    found = re.search(r"status ([\d, ]+), and (\d+) to (\d+)", row)
    assert found
    named = {int(status) for status in found[1].split(", ")} | set(range(int(found[2]), int(found[3]) + 1))
    assert named == TRANSIENT_STATUSES


@pytest.mark.parametrize(
    ("sentence", "figures"),
    [
        (r"only the first ([\d,]+) become jobs", [MOST_READY]),
        (
            r"once there are ([\d,]+) jobs, only the first ([\d,]+) of each further host",
            [MANY_READY, FEW_READY],
        ),
        (r"After each ([\d,]+) jobs the seeding node moves a mark", [LOOK_AFTER]),
        (r"With more than ([\d,]+) hosts the mark stays", [MOST_MARKED]),
        (
            r"gets ([\d.]+) s of work in advance, at least (\d+) jobs and at most (\d+)",
            [WINDOW_SECONDS, WINDOW_LEAST, WINDOW_MOST],
        ),
        (r"([\d,]+) jobs in all", [MOST_AHEAD]),
        (r"After ([\d.]+) s in one task, a worker", [SLOW_S]),
        (r"A check that comes ([\d.]+) s late", [FROZEN_S]),
        (r"running ones may finish until ([\d.]+) of", [TASKS_SHARE]),
        (r"once (\d+) % of the shutdown timeout", [100 * STORE_SHARE]),
        (r"the largest number ever seen is in (\d+) records", [COPIES]),
        (r"those of more than ([\d,]+) bytes", [LARGE]),
        (
            r"decided more than (half an hour) ago, and nothing is removed within (an hour)",
            [LATEST_S, KEPT_AT_LEAST.total_seconds()],
        ),
    ],
)
def test_a_figure_of_the_architecture_is_that_of_the_program(sentence: str, figures: list[float]) -> None:
    found = re.search(sentence, ARCHITECTURE)
    assert found
    assert [WORDS.get(text) or float(text.replace(",", "")) for text in found.groups()] == figures


def test_the_maps_of_the_architecture_are_those_of_a_run() -> None:
    found = re.search(r"The maps are (.*?)\. Docstrings", ARCHITECTURE)
    assert found
    named = re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", found[1]))
    assert sorted(named) == sorted(each.name for each in RUN_MAPS)


def test_the_gates_of_the_guide_are_those_of_the_program_in_their_order() -> None:
    rows = Page("docs/scheduling.md").table("gate", "open when")
    gates = [*(gate.__name__ for gate in GATES), *get_args(PlacingGate)]
    assert [name.strip("*") for name, _ in rows] == list(dict.fromkeys(gates))
