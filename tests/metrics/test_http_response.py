"""The responses of probes, of rows and of unknown paths."""

from __future__ import annotations

from scoopi.metrics.http_response import (
    JSON,
    TEXT,
    HttpResponse,
    health_response,
    json_response,
    readiness_response,
    unknown_path,
)


def test_a_fault_and_a_reason_have_different_statuses() -> None:
    assert health_response("") == readiness_response("") == HttpResponse(200, TEXT, b"ok\n")
    assert health_response("stuck") == HttpResponse(500, TEXT, b"stuck\n")
    assert readiness_response("starting") == HttpResponse(503, TEXT, b"starting\n")


def test_json_is_indented_and_ends_its_line() -> None:
    assert json_response({"a": 1}, 400) == HttpResponse(400, JSON, b'{\n  "a": 1\n}\n')


def test_an_unknown_path_names_the_paths() -> None:
    assert unknown_path(["/a", "/b"]) == HttpResponse(404, TEXT, b"not found; the paths are /a, /b\n")
