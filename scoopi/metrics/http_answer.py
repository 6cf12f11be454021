"""HttpAnswer: a response of the metrics server, and the interface of what makes responses."""

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
class HttpAnswer:
    """A status, a content type and a body."""

    status: int
    kind: str
    body: bytes


class Answering(Protocol):
    """Makes the response to each path; callable from any thread."""

    @property
    def paths(self) -> Sequence[str]:
        """The paths, to be listed in messages."""

    def to(self, path: str) -> HttpAnswer:
        """The response to a path, which may have a query string."""


def text_answer(status: int, line: str) -> HttpAnswer:
    """A response of one line."""
    return HttpAnswer(status, TEXT, f"{line}\n".encode())


def json_answer(value: Any, status: int = 200) -> HttpAnswer:
    """A response in JSON, indented for reading."""
    return HttpAnswer(status, JSON, msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")


def health_answer(fault: str) -> HttpAnswer:
    """Whether the process is healthy: 500 with its fault, or 200."""
    return text_answer(500, fault) if fault else text_answer(200, "ok")


def readiness_answer(unready: str) -> HttpAnswer:
    """Whether the process is ready: 503 with the reason against it, or 200."""
    return text_answer(503, unready) if unready else text_answer(200, "ok")


def unknown_path(paths: Sequence[str]) -> HttpAnswer:
    """The response to any other path."""
    return text_answer(404, f"not found; the paths are {', '.join(paths)}")
