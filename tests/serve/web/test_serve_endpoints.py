"""What a `serve` answers over HTTP: rows as verbs print them, metrics by convention, clear refusals."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scoopi.errors import StoreError
from scoopi.serve.services.job_service import JobService
from scoopi.serve.services.process_service import ProcessService
from scoopi.serve.state import State
from scoopi.serve.web.serve_endpoints import ServeEndpoints
from tests.metrics.asking import samples
from tests.serve.conftest import LATER


def json_at(endpoints: ServeEndpoints, path: str, status: int = 200) -> Any:
    answer = endpoints.response_to(path)
    assert (answer.status, answer.kind) == (status, "application/json"), answer.body
    return json.loads(answer.body)


def test_rows_are_those_of_the_verbs(shown_state: State, endpoints: ServeEndpoints) -> None:
    processes = ProcessService(shown_state, LATER)
    jobs = JobService(shown_state, LATER, lambda name: processes.process(name).name)
    job = "p/@2026-01-01T01:00:00Z"
    assert json_at(endpoints, "/api/processes") == {"processes": processes.processes()}
    assert json_at(endpoints, "/api/jobs") == {"jobs": jobs.jobs(), "more": False}
    assert len(json_at(endpoints, "/api/jobs?process=p")["jobs"]) == 2
    assert [row["job"] for row in json_at(endpoints, "/api/jobs?state=embryo")["jobs"]] == ["q/!1"]
    assert json_at(endpoints, "/api/attempts") == {"attempts": jobs.attempts.rows()}
    assert json_at(endpoints, f"/api/attempts?job={job}") == {"attempts": jobs.attempts.rows(job)}
    for query, names in (("process", ("p",)), ("status", ("pending", "canceling"))):
        for name in names:
            rows = jobs.attempts.rows(**{query: name})
            assert json_at(endpoints, f"/api/attempts?{query}={name}") == {"attempts": rows}
    assert json_at(endpoints, f"/api/why?job={job}") == jobs.why(job)
    assert [row["used"] for row in json_at(endpoints, "/api/workers")["workers"]] == [1]


def test_a_list_of_jobs_is_limited_and_says_so(endpoints: ServeEndpoints) -> None:
    found = json_at(endpoints, "/api/jobs?limit=2")
    assert (len(found["jobs"]), found["more"]) == (2, True)


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("/api/why", "the parameter job is missing"),
        ("/api/why?job=r/!1", "unknown process r"),
        ("/api/why?job=p/!9", "there is no job p/!9: none was launched with this number"),
        ("/api/jobs?limit=0", "limit needs a whole number from 1 to 1000, got '0'"),
        ("/api/jobs?limit=0000000001", "limit needs a whole number from 1 to 1000, got '0000000001'"),
        ("/api/jobs?limit=1e3", "limit needs a whole number from 1 to 1000, got '1e3'"),
        ("/api/jobs?state=done", "unknown state done"),
        ("/api/workers?job=x", "unknown parameter job"),
    ],
)
def test_a_wrong_question_gets_one_clear_error(endpoints: ServeEndpoints, path: str, what: str) -> None:
    assert json_at(endpoints, path, 400)["error"] == what


def test_an_unknown_path_names_the_paths(endpoints: ServeEndpoints) -> None:
    answer = endpoints.response_to("/api")
    assert answer.status == 404
    assert b"/api/jobs" in answer.body


def test_a_store_that_is_away_leaves_probes_and_the_figures_of_the_process(
    shown_state: State, endpoints: ServeEndpoints, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*args: object) -> None:
        raise StoreError("the database is away")

    for call in ("scan", "get"):
        monkeypatch.setattr(shown_state.store, call, away)
    assert json_at(endpoints, "/api/jobs", 503)["error"] == "the database is away"
    found = samples(endpoints.response_to("/metrics").body.decode())
    assert found["scoopi_serve_healthy"] == 1
    assert "scoopi_schedule_capacity" not in found
    assert [endpoints.response_to(path).status for path in ("/healthz", "/readyz")] == [200, 200]
