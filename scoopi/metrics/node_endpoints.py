"""NodeEndpoints: the HTTP responses of a node: probes, metrics and status."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from scoopi.metrics.families import CONTENT_TYPE, Family, by, one, text_of
from scoopi.metrics.http_response import (
    PROBES,
    HttpResponse,
    health_response,
    json_response,
    readiness_response,
    unknown_path,
)
from scoopi.metrics.node_view import NodeView, Watched


def exposition(view: NodeView) -> str:
    """All metrics in the text format of Prometheus; unknown values are omitted."""
    return text_of([*_state(view), *_work(view), *_commits(view), *_waiting(view), *_process(view)])


def _state(view: NodeView) -> Iterator[Family]:
    info = Family("scoopi_node_info", "gauge", "Run, node and version of this process.")
    info.add(1, {"run": view.run, "node": view.node, "version": view.version})
    yield info
    yield one("scoopi_node_healthy", "gauge", "1 while the node is healthy.", int(not view.fault))
    yield one("scoopi_node_ready", "gauge", "1 while the node works on its run.", int(not view.unready))
    yield one("scoopi_node_uptime_seconds", "gauge", "Seconds since the node started.", view.seconds)


def _work(view: NodeView) -> Iterator[Family]:
    yield one("scoopi_jobs_done_total", "counter", "Jobs that this process finished.", view.jobs.done)
    yield one("scoopi_jobs_failed_total", "counter", "Jobs that failed in this process.", view.jobs.failed)
    text = "Jobs that this process skipped, because of robots.txt or a budget."
    yield one("scoopi_jobs_skipped_total", "counter", text, view.jobs.skipped)
    yield one("scoopi_jobs_held", "gauge", "Jobs that this node has taken and not finished.", view.jobs.held)
    if view.jobs.left is not None:
        yield one("scoopi_jobs_left", "gauge", "Jobs of the run that are not finished.", view.jobs.left)
    yield one("scoopi_pages_total", "counter", "Pages loaded.", view.pages)
    yield one("scoopi_rows_committed_total", "counter", "Rows committed.", view.rows)
    yield one("scoopi_committed_bytes_total", "counter", "Bytes of committed frames.", view.bytes)
    steps = {step: view.steps[step] for step in sorted(view.steps)}
    yield by(
        "scoopi_step_seconds_total", "counter", "Seconds spent in a step, by all workers.", "step", steps
    )


def _commits(view: NodeView) -> Iterator[Family]:
    family = Family("scoopi_commit_seconds", "histogram", "Duration of group commits.")
    for bound in sorted(view.commits.most):
        family.add(view.commits.most[bound], {"le": repr(bound)}, "_bucket")
    family.add(view.commits.count, {"le": "+Inf"}, "_bucket")
    family.add(view.commits.seconds, suffix="_sum")
    family.add(view.commits.count, suffix="_count")
    yield family


def _waiting(view: NodeView) -> Iterator[Family]:
    queues = {"tasks": view.queues.tasks, "workers": view.queues.workers, "appender": view.queues.appender}
    yield by("scoopi_queue_length", "gauge", "Jobs in a queue of this node.", "queue", queues)
    yield one(
        "scoopi_requests_in_flight", "gauge", "Requests that wait for their response.", view.hosts.requests
    )
    yield one("scoopi_hosts_in_flight", "gauge", "Hosts with requests in flight.", view.hosts.in_flight)
    yield one("scoopi_hosts_waiting", "gauge", "Hosts with waiting jobs.", view.hosts.waiting)


def _process(view: NodeView) -> Iterator[Family]:
    yield one("scoopi_workers", "gauge", "Running workers.", view.workers.running)
    yield one("scoopi_workers_ready", "gauge", "Workers that accept jobs.", view.workers.ready)
    yield one("scoopi_worker_crashes_total", "counter", "Crashes of workers.", view.workers.crashes)
    memory = {"parent": view.memory.parent, "workers": view.memory.workers}
    text = "Resident memory of the parent, and of its worker processes together."
    yield by("scoopi_resident_memory_bytes", "gauge", text, "process", memory)


class NodeEndpoints:
    """Makes the HTTP responses of a node, with one method for each path; all are read-only."""

    paths = (*PROBES, "/metrics", "/api/status")

    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        handlers = (self._healthz, self._readyz, self._metrics, self._status)
        self._handlers: Mapping[str, Callable[[], HttpResponse]] = dict(
            zip(self.paths, handlers, strict=True)
        )

    def response_to(self, path: str) -> HttpResponse:
        """The response to a path; a query string is ignored."""
        handler = self._handlers.get(path.partition("?")[0])
        return unknown_path(self.paths) if handler is None else handler()

    def _healthz(self) -> HttpResponse:
        return health_response(self._watched.fault())

    def _readyz(self) -> HttpResponse:
        return readiness_response(self._watched.unready())

    def _metrics(self) -> HttpResponse:
        return HttpResponse(200, CONTENT_TYPE, exposition(self._watched.view()).encode())

    def _status(self) -> HttpResponse:
        return json_response(self._watched.view())
