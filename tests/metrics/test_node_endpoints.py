"""What `/metrics` says is Prometheus' format, complete, and named by its conventions."""

from __future__ import annotations

import re

import msgspec
from prometheus_client.parser import text_string_to_metric_families

from scoopi.metrics.node_endpoints import exposition
from scoopi.metrics.node_view import JobsView
from tests.metrics.asking import samples
from tests.metrics.conftest import VIEW


def test_every_figure_of_the_node_is_reported() -> None:
    assert samples(exposition(VIEW)) == {
        'scoopi_node_info{node="n1",run="r1",version="0.1.0"}': 1,
        "scoopi_node_healthy": 1,
        "scoopi_node_ready": 1,
        "scoopi_node_uptime_seconds": 2.5,
        "scoopi_jobs_done_total": 7,
        "scoopi_jobs_failed_total": 1,
        "scoopi_jobs_skipped_total": 0,
        "scoopi_jobs_held": 3,
        "scoopi_jobs_left": 40,
        "scoopi_pages_total": 8,
        "scoopi_rows_committed_total": 90,
        "scoopi_committed_bytes_total": 4096,
        'scoopi_step_seconds_total{step="loader"}': 0.5,
        'scoopi_step_seconds_total{step="parser"}': 1.25,
        'scoopi_commit_seconds_bucket{le="0.05"}': 1,
        'scoopi_commit_seconds_bucket{le="0.25"}': 3,
        'scoopi_commit_seconds_bucket{le="+Inf"}': 3,
        "scoopi_commit_seconds_sum": 0.3,
        "scoopi_commit_seconds_count": 3,
        'scoopi_queue_length{queue="tasks"}': 5,
        'scoopi_queue_length{queue="workers"}': 4,
        'scoopi_queue_length{queue="appender"}': 2,
        "scoopi_requests_in_flight": 4,
        "scoopi_hosts_in_flight": 2,
        "scoopi_hosts_waiting": 3,
        "scoopi_workers": 2,
        "scoopi_workers_ready": 2,
        "scoopi_worker_crashes_total": 1,
        'scoopi_resident_memory_bytes{process="parent"}': 1000,
        'scoopi_resident_memory_bytes{process="workers"}': 2000,
    }


def test_a_family_is_described_once_and_named_by_its_kind() -> None:
    text = exposition(VIEW)
    families = list(text_string_to_metric_families(text))
    assert {family.type for family in families} == {"counter", "gauge", "histogram"}
    for family in families:
        # The parser takes `_total` off a counter's name, and keeps it where a counter has none.
        assert family.documentation, family.name
        assert re.fullmatch(r"scoopi_[a-z][a-z_]*[a-z]", family.name)
        assert all(s.name.endswith("_total") == (family.type == "counter") for s in family.samples)
    names = [line.split()[2] for line in text.splitlines() if line.startswith("# ")]
    assert [names[place] for place in range(0, len(names), 2)] == names[1::2], "HELP, then TYPE"
    assert len(set(names)) * 2 == len(names)
    assert text.endswith("\n")


def test_the_help_of_skipped_jobs_names_every_reason_to_skip_one() -> None:
    families = {family.name: family for family in text_string_to_metric_families(exposition(VIEW))}
    reasons = families["scoopi_jobs_skipped"].documentation
    assert all(word in reasons for word in ("robots.txt", "budget"))


def test_a_broken_node_and_an_idle_one_are_numbers_too() -> None:
    broken = samples(exposition(msgspec.structs.replace(VIEW, fault="gone", unready="gone")))
    waiting = samples(exposition(msgspec.structs.replace(VIEW, unready="not seeded")))
    assert (broken["scoopi_node_healthy"], broken["scoopi_node_ready"]) == (0, 0)
    assert (waiting["scoopi_node_healthy"], waiting["scoopi_node_ready"]) == (1, 0)


def test_what_is_not_known_is_left_out() -> None:
    assert "scoopi_jobs_left" not in exposition(msgspec.structs.replace(VIEW, jobs=JobsView(done=7)))
