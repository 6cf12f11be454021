"""Asking a metrics server, and reading what it says with Prometheus' own parser."""

from __future__ import annotations

import http.client
from dataclasses import dataclass

from prometheus_client.parser import text_string_to_metric_families

LIMIT_S = 60.0


@dataclass(frozen=True, slots=True)
class Said:
    """An answer over HTTP."""

    status: int
    kind: str
    text: str


def ask(port: int, path: str, method: str = "GET", host: str = "127.0.0.1", name: str = "") -> Said:
    """The answer; an OSError or HTTPException when there is none.

    Args:
        name: the Host header, if it is another than the host.
    """
    connection = http.client.HTTPConnection(host, port, timeout=LIMIT_S)
    try:
        connection.request(method, path, headers={"Host": name} if name else {})
        response = connection.getresponse()
        return Said(response.status, response.headers["Content-Type"], response.read().decode())
    finally:
        connection.close()


def samples(text: str) -> dict[str, float]:
    """Value by `name{label="value"}`, labels sorted."""
    found: dict[str, float] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f'{key}="{value}"' for key, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found
