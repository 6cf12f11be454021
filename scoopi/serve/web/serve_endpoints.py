"""ServeEndpoints: the HTTP responses of a `serve`: probes, metrics, and rows as the verbs print them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from urllib.parse import parse_qsl

from scoopi.errors import PeriodError, ScoopiError, UsageError
from scoopi.metrics.families import CONTENT_TYPE, text_of
from scoopi.metrics.http_response import (
    PROBES,
    HttpResponse,
    health_response,
    json_response,
    readiness_response,
    unknown_path,
)
from scoopi.serve.clock import now_utc
from scoopi.serve.rows import worker_row
from scoopi.serve.serve_health import ServeHealth
from scoopi.serve.services.job_service import JobService
from scoopi.serve.services.process_service import ProcessService
from scoopi.serve.state import State
from scoopi.serve.web.serve_metrics import schedule_metrics, serve_metrics
from scoopi.serve.workers.worker_name import dead_workers
from scoopi.version import __version__

MOST_ROWS = 1000
"""The most jobs in a response of `/api/jobs`; its field `more` is true if there are others."""
QueryValues = Mapping[str, str]


class ServeEndpoints:
    """Makes the HTTP responses of a `serve`, with one method for each path; all are read-only.

    Args:
        state: the records.
        health: health of the process.
        clock: returns the current time.
    """

    def __init__(self, state: State, health: ServeHealth, clock: Callable[[], datetime] = now_utc) -> None:
        self._state, self._health, self._clock = state, health, clock
        self._handlers: Mapping[str, tuple[Callable[[QueryValues], HttpResponse], tuple[str, ...]]] = {
            PROBES[0]: (self._healthz, ()),
            PROBES[1]: (self._readyz, ()),
            "/metrics": (self._metrics, ()),
            "/api/status": (self._status, ()),
            "/api/processes": (self._processes, ()),
            "/api/jobs": (self._jobs, ("process", "state", "limit")),
            "/api/attempts": (self._attempts, ("job", "process", "status")),
            "/api/why": (self._why, ("job",)),
            "/api/workers": (self._workers, ()),
        }
        self.paths = tuple(self._handlers)

    def response_to(self, path: str) -> HttpResponse:
        """Return the response to a path with its query string.

        The status is 404 for an unknown path, 400 for wrong parameters, and 503 if the store does not answer.
        """
        name, _, text = path.partition("?")
        if name not in self._handlers:
            return unknown_path(self.paths)
        handler, parameters = self._handlers[name]
        try:
            return handler(_query(text, parameters) if name.startswith("/api/") else {})
        except (UsageError, PeriodError) as error:
            return _refused(400, error)
        except ScoopiError as error:
            return _refused(503, error)

    def _healthz(self, query: QueryValues) -> HttpResponse:
        return health_response(self._health.fault())

    def _readyz(self, query: QueryValues) -> HttpResponse:
        return readiness_response(self._health.unready())

    def _metrics(self, query: QueryValues) -> HttpResponse:
        families = [*serve_metrics(self._health, self._state.passes)]
        # The figures of this process need no store, and matter most while it does not answer.
        with suppress(ScoopiError):
            families += schedule_metrics(self._state.observed(self._clock()))
        return HttpResponse(200, CONTENT_TYPE, text_of(families).encode())

    def _status(self, query: QueryValues) -> HttpResponse:
        return json_response(
            {
                "worker": self._health.worker,
                "version": __version__,
                "store": self._state.name,
                "fault": self._health.fault(),
                "unready": self._health.unready(),
                "seconds": round(self._health.seconds, 3),
                "bundle": self._state.current()[0] or None,
            }
        )

    def _processes(self, query: QueryValues) -> HttpResponse:
        return json_response({"processes": self._process_service().processes()})

    def _jobs(self, query: QueryValues) -> HttpResponse:
        limit = _limit(query)
        rows = self._job_service().jobs(query.get("process"), query.get("state"), limit + 1)
        return json_response({"jobs": rows[:limit], "more": len(rows) > limit})

    def _attempts(self, query: QueryValues) -> HttpResponse:
        given = (query.get(name) for name in ("job", "process", "status"))
        return json_response({"attempts": self._job_service().attempts.rows(*given)})

    def _why(self, query: QueryValues) -> HttpResponse:
        if "job" not in query:
            raise UsageError("the parameter job is missing", hint="/api/why?job=PROCESS/SLOT")
        return json_response(self._job_service().why(query["job"]))

    def _workers(self, query: QueryValues) -> HttpResponse:
        attempts = self._state.store.open_attempts()
        workers = self._state.store.workers().values()
        dead = dead_workers(self._state.folder, workers)
        return json_response({"workers": [worker_row(each, attempts, dead) for each in workers]})

    def _process_service(self) -> ProcessService:
        return ProcessService(self._state, self._clock())

    def _job_service(self) -> JobService:
        processes = self._process_service()
        return JobService(self._state, self._clock(), lambda name: processes.process(name).name)


def _query(text: str, parameters: tuple[str, ...]) -> QueryValues:
    query = dict(parse_qsl(text, keep_blank_values=True))
    for name in query:
        if name not in parameters:
            known = f"the parameters are {', '.join(parameters)}" if parameters else "there are none here"
            raise UsageError(f"unknown parameter {name}", hint=known)
    return query


def _limit(query: QueryValues) -> int:
    text = query.get("limit", str(MOST_ROWS))
    if not re.fullmatch(r"[0-9]{1,9}", text) or not 1 <= int(text) <= MOST_ROWS:
        raise UsageError(f"limit needs a whole number from 1 to {MOST_ROWS}, got {text!r}")
    return int(text)


def _refused(status: int, error: ScoopiError) -> HttpResponse:
    return json_response({"error": error.what, "hint": error.hint or None}, status)
