"""Clients that are slow on purpose never keep a probe from its answer."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest

from scoopi.metrics.listener import MOST_BYTES, MOST_CONNECTIONS, MOST_SCRAPES, Connection, Listener
from scoopi.metrics.node_endpoints import NodeEndpoints
from tests.metrics.asking import LIMIT_S, ask
from tests.metrics.conftest import FixedNode

Refused = Callable[[str], None]
_LONG_S = 600.0
_SHORT_S = 0.3
_A_BYTE_S = 0.02


@contextmanager
def _listening(node: FixedNode, host_timeout_s: float) -> Iterator[int]:
    with Listener("127.0.0.1", 0, NodeEndpoints(node), host_timeout_s) as listener:
        thread = threading.Thread(target=listener.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield int(listener.server_address[1])
        finally:
            listener.shutdown()
            thread.join(LIMIT_S)


@pytest.fixture
def node() -> FixedNode:
    return FixedNode()


@pytest.fixture
def clients() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def _client(stack: ExitStack, port: int) -> socket.socket:
    return stack.enter_context(socket.create_connection(("127.0.0.1", port), LIMIT_S))


@pytest.mark.parametrize("sent", [b"", b"G", b"GET /healthz HTTP/1.1\r\nHost: a\r\nX-"])
def test_clients_that_never_finish_their_request_do_not_keep_a_probe_out(
    node: FixedNode, clients: ExitStack, refused: Refused, sent: bytes
) -> None:
    with _listening(node, _LONG_S) as port:
        idle = [_client(clients, port) for _ in range(3 * MOST_CONNECTIONS)]
        for each in idle[-MOST_CONNECTIONS:]:
            each.sendall(sent)
        assert [ask(port, path).status for path in ("/healthz", "/readyz")] == [200, 200]
        assert idle[0].recv(1) == b"", "the oldest has made room"
    refused(f"slow request: {sent[:8]!r}")


@pytest.mark.parametrize(
    ("head", "piece"),
    [(b"", b"G"), (b"GET /healthz HTTP/1.1\r\n", b"X-More: 1\r\n"), (b"GET /healthz HTTP/1.1\r\nX: ", b"x")],
    ids=["request line", "header lines", "header"],
)
def test_a_request_that_comes_byte_by_byte_has_an_end(
    node: FixedNode, clients: ExitStack, refused: Refused, head: bytes, piece: bytes
) -> None:
    with _listening(node, _SHORT_S) as port:
        client = _client(clients, port)
        client.sendall(head)
        client.settimeout(_A_BYTE_S)
        for _ in range(round(LIMIT_S / _A_BYTE_S)):
            try:
                client.sendall(piece)
                ended = client.recv(1) == b""
            except TimeoutError:
                continue
            except OSError:
                ended = True
            assert ended, "it is not answered"
            break
        else:
            pytest.fail("the connection is still open")
        assert ask(port, "/healthz").status == 200
    refused(f"slowloris: {head[:16]!r}")


def test_a_request_of_many_bytes_is_read_no_further(refused: Refused) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sender = threading.Thread(target=theirs.sendall, args=(b"x" * (MOST_BYTES + 1),))
        sender.start()
        connection = Connection(ours, LIMIT_S)
        assert sum(map(len, iter(lambda: connection.read(4096), b""))) == MOST_BYTES
        sender.join(LIMIT_S)
    refused("endless request")


def test_half_closed_connections_are_given_back(
    node: FixedNode, clients: ExitStack, refused: Refused
) -> None:
    with _listening(node, _LONG_S) as port:
        for sent in (b"", b"GET /heal", b"GET /healthz HTTP/1.0\r\nX: y"):
            client = _client(clients, port)
            client.sendall(sent)
            client.shutdown(socket.SHUT_WR)
            while client.recv(4096):  # ended by the server, though there is time
                pass
        whole = _client(clients, port)
        whole.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
        whole.shutdown(socket.SHUT_WR)
        assert whole.recv(64).startswith(b"HTTP/1.0 200")
    refused("half-closed connections")


def test_scrapes_that_hang_leave_connections_to_probes(
    node: FixedNode, clients: ExitStack, refused: Refused
) -> None:
    hang, go_on, said = threading.Semaphore(0), threading.Event(), list[int]()

    def wait() -> None:
        hang.release()
        assert go_on.wait(LIMIT_S)

    node.during = wait
    with _listening(node, _LONG_S) as port:
        scrapes = [
            threading.Thread(target=lambda: said.append(ask(port, "/metrics").status))
            for _ in range(MOST_SCRAPES)
        ]
        for each in scrapes:
            each.start()
        assert all(hang.acquire(timeout=LIMIT_S) for _ in scrapes)
        idle = [_client(clients, port) for _ in range(MOST_CONNECTIONS)]
        assert ask(port, "/healthz").status == 200
        assert ask(port, "/metrics").status == 503
        go_on.set()
        for each in scrapes:
            each.join(LIMIT_S)
        assert said == [200] * MOST_SCRAPES, "what is being answered is not closed for others"
        assert idle[0].recv(1) == b""
    refused("hanging scrapes")


def test_an_answer_that_nobody_takes_has_an_end(refused: Refused) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        connection = Connection(ours, _SHORT_S)
        with pytest.raises(TimeoutError):
            sum(connection.write(b"x" * 65536) for _ in range(10_000))
    refused("an answer that nobody reads")
