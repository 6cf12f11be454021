"""Answers: the responses of the metrics server, by path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec

from scoopi.metrics.exposition import CONTENT_TYPE, exposition
from scoopi.metrics.node_view import Watched

TEXT = "text/plain; charset=utf-8"
PROBES = ("/healthz", "/readyz")
PATHS = (*PROBES, "/metrics", "/api/status")


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, a content type and a body."""

    status: int
    kind: str
    body: bytes


class Answers:
    """One method for each path; all are read-only."""

    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        pages = (self._healthz, self._readyz, self._metrics, self._status)
        self._pages: Mapping[str, Callable[[], Answer]] = dict(zip(PATHS, pages, strict=True))

    def to(self, path: str) -> Answer:
        """The response to a path; a query string is ignored."""
        page = self._pages.get(path.partition("?")[0])
        if page is None:
            return _text(404, f"not found; the paths are {', '.join(PATHS)}")
        return page()

    def _healthz(self) -> Answer:
        fault = self._watched.fault()
        return _text(500, fault) if fault else _text(200, "ok")

    def _readyz(self) -> Answer:
        unready = self._watched.unready()
        return _text(503, unready) if unready else _text(200, "ok")

    def _metrics(self) -> Answer:
        return Answer(200, CONTENT_TYPE, exposition(self._watched.view()).encode())

    def _status(self) -> Answer:
        body = msgspec.json.format(msgspec.json.encode(self._watched.view()), indent=2)
        return Answer(200, "application/json", body + b"\n")


def _text(status: int, line: str) -> Answer:
    return Answer(status, TEXT, f"{line}\n".encode())
