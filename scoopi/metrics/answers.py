"""Answers: the responses of the metrics server, by path; figures in the text format of Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from scoopi.metrics.node_view import NodeView, Watched

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
TEXT = "text/plain; charset=utf-8"
PROBES = ("/healthz", "/readyz")
PATHS = (*PROBES, "/metrics", "/api/status")


class _Family:
    """One metric: its HELP and TYPE lines, then its samples."""

    def __init__(self, name: str, kind: str, text: str) -> None:
        self._name = name
        self.lines = [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]

    def add(self, value: float, labels: Mapping[str, str] | None = None, suffix: str = "") -> None:
        pairs = ",".join(f'{key}="{text.translate(_ESCAPES)}"' for key, text in (labels or {}).items())
        self.lines.append(
            f"{self._name}{suffix}{{{pairs}}} {value!r}" if pairs else f"{self._name}{suffix} {value!r}"
        )


def exposition(view: NodeView) -> str:
    """The text of all metrics; unknown figures are omitted."""
    families = [*_state(view), *_work(view), *_commits(view), *_waiting(view), *_process(view)]
    return "".join(f"{line}\n" for family in families for line in family.lines)


def _one(name: str, kind: str, text: str, value: float) -> _Family:
    family = _Family(name, kind, text)
    family.add(value)
    return family


def _by(name: str, kind: str, text: str, label: str, values: Mapping[str, float]) -> _Family:
    family = _Family(name, kind, text)
    for key, value in values.items():
        family.add(value, {label: key})
    return family


def _state(view: NodeView) -> Iterator[_Family]:
    info = _Family("scoopi_node_info", "gauge", "Which run, node and version this is.")
    info.add(1, {"run": view.run, "node": view.node, "version": view.version})
    yield info
    yield _one("scoopi_node_healthy", "gauge", "1 while the node is healthy.", int(not view.fault))
    yield _one("scoopi_node_ready", "gauge", "1 while the node works on its run.", int(not view.unready))
    yield _one("scoopi_node_uptime_seconds", "gauge", "Seconds since the start of the node.", view.seconds)


def _work(view: NodeView) -> Iterator[_Family]:
    yield _one("scoopi_jobs_done_total", "counter", "Jobs that this process finished.", view.jobs.done)
    yield _one("scoopi_jobs_failed_total", "counter", "Jobs that failed in this process.", view.jobs.failed)
    text = "Jobs that robots.txt disallows, skipped by this process."
    yield _one("scoopi_jobs_skipped_total", "counter", text, view.jobs.skipped)
    yield _one("scoopi_jobs_held", "gauge", "Jobs that this node has taken and not finished.", view.jobs.held)
    if view.jobs.left is not None:
        yield _one("scoopi_jobs_left", "gauge", "Jobs of the run that are not finished.", view.jobs.left)
    yield _one("scoopi_pages_total", "counter", "Pages loaded.", view.pages)
    yield _one("scoopi_rows_committed_total", "counter", "Rows committed.", view.rows)
    yield _one("scoopi_committed_bytes_total", "counter", "Bytes of committed frames.", view.bytes)
    steps = {step: view.steps[step] for step in sorted(view.steps)}
    yield _by(
        "scoopi_step_seconds_total", "counter", "Seconds spent in a step, by all workers.", "step", steps
    )


def _commits(view: NodeView) -> Iterator[_Family]:
    family = _Family("scoopi_commit_seconds", "histogram", "How long a group commit takes.")
    for bound in sorted(view.commits.most):
        family.add(view.commits.most[bound], {"le": repr(bound)}, "_bucket")
    family.add(view.commits.count, {"le": "+Inf"}, "_bucket")
    family.add(view.commits.seconds, suffix="_sum")
    family.add(view.commits.count, suffix="_count")
    yield family


def _waiting(view: NodeView) -> Iterator[_Family]:
    queues = {"tasks": view.queues.tasks, "workers": view.queues.workers, "appender": view.queues.appender}
    yield _by("scoopi_queue_length", "gauge", "Jobs in a queue of this node.", "queue", queues)
    yield _one(
        "scoopi_requests_in_flight", "gauge", "Requests that wait for their response.", view.hosts.requests
    )
    yield _one("scoopi_hosts_in_flight", "gauge", "Hosts with requests in flight.", view.hosts.in_flight)
    yield _one("scoopi_hosts_waiting", "gauge", "Hosts with waiting jobs.", view.hosts.waiting)


def _process(view: NodeView) -> Iterator[_Family]:
    yield _one("scoopi_workers", "gauge", "Running workers.", view.workers.running)
    yield _one("scoopi_workers_ready", "gauge", "Workers that accept jobs.", view.workers.ready)
    yield _one("scoopi_worker_crashes_total", "counter", "Crashes of workers.", view.workers.crashes)
    memory = {"parent": view.memory.parent, "workers": view.memory.workers}
    text = "Resident memory of the parent, and of its worker processes together."
    yield _by("scoopi_resident_memory_bytes", "gauge", text, "process", memory)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A status, a content type and a body."""

    status: int
    kind: str
    body: bytes


class Answers:
    """Makes the responses of the metrics server, one method for each path; all are read-only."""

    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        pages = (self._healthz, self._readyz, self._metrics, self._status)
        self._pages: Mapping[str, Callable[[], HttpAnswer]] = dict(zip(PATHS, pages, strict=True))

    def to(self, path: str) -> HttpAnswer:
        """The response to a path; a query string is ignored."""
        page = self._pages.get(path.partition("?")[0])
        if page is None:
            return _text(404, f"not found; the paths are {', '.join(PATHS)}")
        return page()

    def _healthz(self) -> HttpAnswer:
        fault = self._watched.fault()
        return _text(500, fault) if fault else _text(200, "ok")

    def _readyz(self) -> HttpAnswer:
        unready = self._watched.unready()
        return _text(503, unready) if unready else _text(200, "ok")

    def _metrics(self) -> HttpAnswer:
        return HttpAnswer(200, CONTENT_TYPE, exposition(self._watched.view()).encode())

    def _status(self) -> HttpAnswer:
        body = msgspec.json.format(msgspec.json.encode(self._watched.view()), indent=2)
        return HttpAnswer(200, "application/json", body + b"\n")


def _text(status: int, line: str) -> HttpAnswer:
    return HttpAnswer(status, TEXT, f"{line}\n".encode())
