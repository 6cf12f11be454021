"""The metrics server answers probes whatever else it is asked, and never more than it can."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Iterator

import pytest

from scoopi.configs.groups import MetricsSettings
from scoopi.errors import RunError
from scoopi.metrics.listener import MOST_CONNECTIONS
from scoopi.metrics.metrics_server import MetricsServer
from scoopi.metrics.node_endpoints import NodeEndpoints
from tests.metrics.asking import LIMIT_S, ask
from tests.metrics.conftest import FixedNode


@pytest.fixture
def port(node: FixedNode) -> Iterator[int]:
    """Of a server that watches `node`."""
    with MetricsServer(MetricsSettings(enable=True, port=0), NodeEndpoints(node)) as server:
        assert server.address is not None
        yield server.address[1]


def test_health_is_the_fault_and_readiness_the_reason_against_it(node: FixedNode, port: int) -> None:
    assert [(said := ask(port, path)).status for path in ("/healthz", "/readyz")] == [200, 200]
    assert said.text == "ok\n"
    node.waits_for = "the run is not seeded yet"
    assert ask(port, "/healthz").status == 200
    assert (ask(port, "/readyz").status, ask(port, "/readyz").text) == (503, "the run is not seeded yet\n")
    node.broken = "the thread appender has ended"
    assert (ask(port, "/healthz").status, ask(port, "/healthz").text) == (
        500,
        "the thread appender has ended\n",
    )


def test_metrics_and_status_show_the_same(port: int) -> None:
    metrics, status = ask(port, "/metrics?x=1"), ask(port, "/api/status")
    assert metrics.kind == "text/plain; version=0.0.4; charset=utf-8"
    assert "\nscoopi_rows_committed_total 90\n" in metrics.text
    assert status.kind == "application/json"
    reported = json.loads(status.text)
    assert (reported["rows"], reported["jobs"]["left"], reported["commits"]["most"]) == (
        90,
        40,
        {"0.05": 1, "0.25": 3},
    )


def test_a_name_of_a_stranger_that_leads_here_is_refused(node: FixedNode, port: int) -> None:
    for path in ("/api/status", "/healthz", "/nowhere"):
        refused = ask(port, path, name="evil.example:9010")
        assert (refused.status, refused.kind) == (421, "text/plain; charset=utf-8")
    assert refused.text == (
        "this server is not evil.example: use localhost, or add the name to scoopi.metrics.server.names "
        "(serve: --http-name)\n"
    )
    assert ask(port, "/healthz", name="localhost:9010").status == 200
    settings = MetricsSettings(enable=True, port=0, names="jobs.example, status.example")
    with MetricsServer(settings, NodeEndpoints(node)) as server:
        assert server.address is not None
        names = ("jobs.example", "status.example:80", "evil.example")
        assert [ask(server.address[1], "/healthz", name=name).status for name in names] == [200, 200, 421]


def test_other_paths_and_methods_are_refused(port: int) -> None:
    missing = ask(port, "/metricz")
    assert missing.status == 404
    assert "/metrics" in missing.text
    assert ask(port, "/metrics", "POST").status == 501
    head = ask(port, "/metrics", "HEAD")
    assert (head.status, head.text) == (200, "")


def test_an_error_while_answering_is_one_answer(
    node: FixedNode, port: int, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> None:
        raise ValueError("inside")

    node.during = broken
    assert ask(port, "/metrics").status == 500
    assert ask(port, "/healthz").status == 200
    assert [record.getMessage() for record in caplog.records] == ["metrics: no answer to /metrics"]


def test_probes_are_answered_while_a_scrape_waits(node: FixedNode, port: int) -> None:
    waits, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        waits.set()
        assert go_on.wait(LIMIT_S)

    node.during = wait
    said: list[int] = []
    scrape = threading.Thread(target=lambda: said.append(ask(port, "/metrics").status))
    scrape.start()
    assert waits.wait(LIMIT_S)
    assert ask(port, "/healthz").status == 200
    go_on.set()
    scrape.join(LIMIT_S)
    assert said == [200]


def test_connections_are_bounded_and_free_again_when_closed(port: int) -> None:
    first, *idle = [
        socket.create_connection(("127.0.0.1", port), LIMIT_S) for _ in range(MOST_CONNECTIONS + 1)
    ]
    for each in idle:
        each.sendall(b"GET /healthz")
    assert first.recv(64) == b"", "the oldest makes room for the newest"
    for each in idle:
        each.sendall(b" HTTP/1.0\r\n\r\n")
    assert all(each.recv(64).startswith(b"HTTP/1.0 200") for each in idle)
    for each in (first, *idle):
        each.close()
    assert ask(port, "/healthz").status == 200


def test_a_port_in_use_is_reported_with_its_setting(node: FixedNode) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        server = MetricsServer(MetricsSettings(enable=True, port=taken), NodeEndpoints(node))
        with pytest.raises(RunError) as caught, server:
            pass
    assert str(caught.value) == (
        f"scoopi.metrics.server.port: the metrics server cannot listen on 127.0.0.1 port {taken}: "
        "Address already in use; choose another port (0 for a free one) or scoopi.metrics.server.host"
    )


def test_a_host_that_is_none_is_reported_too(node: FixedNode) -> None:
    server = MetricsServer(MetricsSettings(enable=True, port=0, host="192.0.2.1"), NodeEndpoints(node))
    with pytest.raises(RunError, match=r"192\.0\.2\.1 port 0"), server:
        pass


def test_a_port_that_the_system_chose_is_logged_for_all_to_see(
    node: FixedNode, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        caplog.at_level(logging.INFO, "scoopi"),
        MetricsServer(MetricsSettings(enable=True, port=0), NodeEndpoints(node)) as server,
    ):
        assert server.address is not None
        port = server.address[1]
    with (
        caplog.at_level(logging.INFO, "scoopi"),
        MetricsServer(MetricsSettings(enable=True, port=port), NodeEndpoints(node)),
    ):
        pass
    line = f"metrics: http://127.0.0.1:{port} answers /healthz /readyz /metrics /api/status"
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (logging.WARNING, line),
        (logging.INFO, line),
    ]


def test_after_its_end_nothing_listens_and_no_thread_is_left(node: FixedNode) -> None:
    threads = set(threading.enumerate())
    with MetricsServer(MetricsSettings(enable=True, port=0), NodeEndpoints(node)) as server:
        _, port = server.address or ("", 0)
    assert server.address is None
    with pytest.raises(ConnectionRefusedError):
        ask(port, "/healthz")
    assert set(threading.enumerate()) <= threads


def test_it_does_nothing_unless_enabled(node: FixedNode) -> None:
    threads = set(threading.enumerate())
    with MetricsServer(MetricsSettings(), NodeEndpoints(node)) as server:
        assert server.address is None
        assert set(threading.enumerate()) <= threads
