"""The metrics of a `serve` say what the schedule has and what the process did, by Prometheus' conventions."""

from __future__ import annotations

from datetime import timedelta

from prometheus_client.parser import text_string_to_metric_families

from scoopi.model.schedule.schedule_records import WorkerRecord
from scoopi.serve.serve_health import ServeHealth
from scoopi.serve.services.process_service import ProcessService
from scoopi.serve.state import State
from scoopi.serve.web.serve_endpoints import ServeEndpoints
from scoopi.serve.workers.worker_name import home_of
from tests.metrics.asking import samples
from tests.serve.conftest import HOURLY, NOW, Deployed


def test_metrics_have_the_figures_of_the_schedule_and_of_the_process(endpoints: ServeEndpoints) -> None:
    found = samples(endpoints.response_to("/metrics").body.decode())
    assert found['scoopi_serve_info{version="0.1.0",worker="host "1""}'] == 1
    assert found["scoopi_pass_seconds_count"] == 2
    assert found["scoopi_pass_writes_total"] > 0
    assert found['scoopi_attempts_ended_total{process="p",status="failed"}'] == 1
    assert found['scoopi_schedule_jobs{process="p",state="in_progress"}'] == 2
    assert found['scoopi_schedule_jobs{process="q",state="embryo"}'] == 1
    assert found['scoopi_schedule_attempts{process="p",status="running"}'] == 1
    assert found['scoopi_schedule_attempts{process="p",status="waiting"}'] == 1
    assert found["scoopi_schedule_oldest_due_seconds"] == 0, "that of q is not due yet"
    assert found['scoopi_schedule_workers{state="running"}'] == 1
    assert found["scoopi_schedule_capacity"] == 3
    assert found["scoopi_schedule_capacity_used"] == 1


def test_each_metric_is_described_and_named_by_its_kind(endpoints: ServeEndpoints) -> None:
    for family in text_string_to_metric_families(endpoints.response_to("/metrics").body.decode()):
        assert family.documentation, family.name
        assert all(s.name.endswith("_total") == (family.type == "counter") for s in family.samples)


def test_the_oldest_due_job_has_an_age_until_it_has_an_attempt(deployed: Deployed) -> None:
    state = deployed(HOURLY)
    ProcessService(state, NOW).launch("q", {})
    endpoints = ServeEndpoints(state, ServeHealth(), lambda: NOW + timedelta(seconds=90))
    assert (
        samples(endpoints.response_to("/metrics").body.decode())["scoopi_schedule_oldest_due_seconds"] == 90
    )


def test_what_the_last_pass_could_not_plan_is_counted_by_process(deployed: Deployed) -> None:
    state = deployed(
        'processes: {p: {executes: external:x, trigger: {every: 1h, since: "9999-12-31T23:30:00Z"}}}'
    )
    state.passes.run(NOW)
    endpoints = ServeEndpoints(state, ServeHealth(), lambda: NOW)
    assert samples(endpoints.response_to("/metrics").body.decode())['scoopi_pass_faults{process="p"}'] == 1
    assert endpoints.response_to("/api/processes").status == 200


def test_a_serve_that_was_killed_on_this_machine_is_lost_at_once(
    shown_state: State, endpoints: ServeEndpoints
) -> None:
    home = home_of(shown_state.folder)
    assert shown_state.store.write(None, WorkerRecord(worker="k", incarnation="1", capacity=4.0, home=home))
    found = samples(endpoints.response_to("/metrics").body.decode())
    assert found['scoopi_schedule_workers{state="lost"}'] == 1
    assert found["scoopi_schedule_capacity"] == 3
