"""RowsModule: what the report says about its run, how a shutdown is timed, and what the end of a run does."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from scoopi.appenders.segment_reader import SegmentReader
from scoopi.appenders.segment_writer import SegmentHeader, SegmentWriter
from scoopi.configs.groups import ClusterSettings
from scoopi.engine.run_completion import RunLimits
from scoopi.engine.run_reporter import EmptyEntries
from scoopi.engine.stop_time import STORE_SHARE, StopTime
from scoopi.metrics.node_counts import NodeCounts
from scoopi.model.report.counter_names import PAGES, PREFIX, ROWS, count_name
from scoopi.publishing.run_rows import RunPhases
from scoopi.runs.folders.node_folder import NodeFolder
from scoopi.runs.run_file import RunPlace
from scoopi.store.runs.run_record import RunRecord
from tests.bootstrap.wired_run import NODE, RUN, WiredRun


def test_the_report_names_the_run_and_the_commands_for_it(tmp_path: Path, opened: ExitStack) -> None:
    run = WiredRun(tmp_path, opened)
    place, folder = run.get(RunPlace), run.context.folder
    assert (place.run, place.folder, place.incarnation) == (folder.path.name, folder.path, RUN)
    assert (place.is_alone, place.was_over) == (True, False)
    assert place.resume.startswith("scoopi resume")
    assert place.retry.startswith("scoopi retry")
    assert place.definitions == str(tmp_path / "defs.yml")


def test_the_report_of_a_node_says_whether_it_came_to_the_end_of_the_run(
    tmp_path: Path, opened: ExitStack
) -> None:
    place = WiredRun(tmp_path, opened, is_on_nodes=True, was_over=True).get(RunPlace)
    assert (place.is_alone, place.was_over) == (False, True)


@pytest.mark.parametrize(
    ("is_on_nodes", "resumed", "whose"),
    [
        (False, False, "1 page"),
        (False, True, "1 page read since it was resumed"),
        (True, False, "1 page that this node has read"),
        (True, True, "1 page read since it was resumed"),
    ],
)
def test_what_was_not_found_is_said_of_the_pages_that_this_process_has_read(
    tmp_path: Path, opened: ExitStack, is_on_nodes: bool, resumed: bool, whose: str
) -> None:
    run = WiredRun(tmp_path, opened, is_on_nodes=is_on_nodes, resumed=resumed)
    counts = run.get(NodeCounts)
    counts.add_all({count_name(PAGES, "titles"): 1, count_name(ROWS, "titles"): 0}, PREFIX)
    sentences = " ".join(run.get(EmptyEntries).sentences())
    assert whose in sentences
    assert ("that this node" in sentences, "since it was" in sentences) == (
        "that this node" in whose,
        "since it was" in whose,
    )


def test_a_shutdown_gives_the_cluster_its_part_of_the_time(tmp_path: Path, opened: ExitStack) -> None:
    given: list[tuple[float, float]] = []
    settings = {"scoopi.shutdown.timeout": "100"}
    run = WiredRun(tmp_path, opened, settings, set_deadline=lambda end, left_s: given.append((end, left_s)))
    before = time.monotonic()
    run.get(StopTime).begin()
    ((end, left_s),) = given
    assert before + 100 * STORE_SHARE <= end <= time.monotonic() + 100 * STORE_SHARE
    assert left_s == pytest.approx(100 * (1 - STORE_SHARE))
    assert run.get(RunLimits).stop is run.get(StopTime)
    WiredRun(tmp_path, opened).get(StopTime).begin()  # on one machine nothing is given to anybody


@pytest.mark.parametrize(("is_on_nodes", "store_s"), [(False, 0.0), (True, 2.5)])
def test_a_cluster_that_does_not_answer_is_retried_as_long_as_the_settings_say(
    tmp_path: Path, opened: ExitStack, is_on_nodes: bool, store_s: float
) -> None:
    cluster = ClusterSettings(("127.0.0.1:1",), reconnect_timeout_ms=2500) if is_on_nodes else None
    limits = WiredRun(tmp_path, opened, is_on_nodes=is_on_nodes, cluster=cluster, limit=3).get(RunLimits)
    assert (limits.store_timeout_s, limits.pages.pages) == (store_s, 3)


class Retention:
    """Counts how often the time of a run's records begins."""

    def __init__(self) -> None:
        self.begun = 0

    def begin(self) -> None:
        self.begun += 1


@pytest.mark.parametrize("is_on_nodes", [True, False])
def test_the_end_of_a_clusters_run_is_noted_in_the_nodes_folder_and_its_records_expire(
    tmp_path: Path, opened: ExitStack, monkeypatch: pytest.MonkeyPatch, is_on_nodes: bool
) -> None:
    noted, retention = list[str](), Retention()
    monkeypatch.setattr(NodeFolder, "note_over", lambda _, run: noted.append(run))
    more: dict[str, Any] = {"retention": retention} if is_on_nodes else {}
    run = WiredRun(tmp_path, opened, is_on_nodes=is_on_nodes, **more)
    run.get(RunRecord).create(RUN)
    phases = run.get(RunPhases)
    phases.to_ending()
    phases.to_over()
    assert phases.is_over()
    assert (noted, retention.begun) == (([RUN], 1) if is_on_nodes else ([], 0))


def test_rows_go_to_the_segment_of_this_process(tmp_path: Path, opened: ExitStack) -> None:
    run = WiredRun(tmp_path, opened)
    writer = run.get(SegmentWriter)
    writer.open()
    writer.close()
    (segment,) = run.context.folder.segments.iterdir()
    assert segment.name == f"{NODE}.seg"
    assert SegmentReader(segment).header == SegmentHeader(RUN, NODE)
