"""HttpResponse: a response of the metrics server; Endpoints: the interface of what makes responses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

TEXT = "text/plain; charset=utf-8"
JSON = "application/json"
PROBES = ("/healthz", "/readyz")
"""Paths that are answered without waiting for the store or the disk."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A status, a content type and a body."""

    status: int
    kind: str
    body: bytes


class Endpoints(Protocol):
    """Makes the response to each path; callable from any thread."""

    @property
    def paths(self) -> Sequence[str]:
        """The paths, to be listed in messages."""

    def response_to(self, path: str) -> HttpResponse:
        """The response to a path, which may have a query string."""


def text_response(status: int, line: str) -> HttpResponse:
    """A response of one line."""
    return HttpResponse(status, TEXT, f"{line}\n".encode())


def json_response(value: Any, status: int = 200) -> HttpResponse:
    """A response in JSON, indented for reading."""
    return HttpResponse(status, JSON, msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")


def health_response(fault: str) -> HttpResponse:
    """Whether the process is healthy: 500 with its fault, or 200."""
    return text_response(500, fault) if fault else text_response(200, "ok")


def readiness_response(unready: str) -> HttpResponse:
    """Whether the process is ready: 503 with the reason against it, or 200."""
    return text_response(503, unready) if unready else text_response(200, "ok")


def unknown_path(paths: Sequence[str]) -> HttpResponse:
    """The response to any other path."""
    return text_response(404, f"not found; the paths are {', '.join(paths)}")
