"""The test server itself: what the other tests take for granted of it."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
from pathlib import Path

from tests.server.request_log import RequestLog, Seen
from tests.server.server import Server


def ask(server: Server, path: str, number: int = 0) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(server.host(number), timeout=60)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_pages_of_a_folder_are_served(server: Server, pages: Path) -> None:
    (pages / "sub").mkdir()
    (pages / "sub" / "cheese.html").write_bytes(b"<p>Brie")
    assert ask(server, "/sub/cheese.html?page=2") == (200, b"<p>Brie")
    assert ask(server, "/sub/none.html")[0] == 404
    assert ask(server, "/../conftest.py")[0] == 404


def test_pages_of_a_callable_are_served() -> None:
    with Server(lambda path: path.encode() if path != "/none" else None) as server:
        assert ask(server, "/a?b=c") == (200, b"/a?b=c")
        assert ask(server, "/none")[0] == 404


def test_a_file_that_a_callable_does_not_find_is_status_404(tmp_path: Path) -> None:
    with Server(lambda path: (tmp_path / "robots.txt").read_bytes()) as server:
        assert ask(server, "/robots.txt")[0] == 404


def test_each_address_is_a_host_of_its_own_in_the_log(server: Server) -> None:
    ask(server, "/a", 0)
    ask(server, "/b", 1)
    assert server.log.hosts() == {server.host(0), server.host(1)}
    assert server.log.paths(server.host(1)) == ["/b"]


def test_a_slow_answer_does_not_hold_up_others(server: Server) -> None:
    waiting = threading.Thread(target=ask, args=(server, "/bad/slow?ms=400"))
    waiting.start()
    while not server.log.all():
        pass
    ask(server, "/quick")
    waiting.join(60)
    slow, quick = server.log.all()
    assert quick.ended is not None
    assert slow.ended is not None
    assert quick.ended < slow.ended
    assert slow.ended - slow.started >= 0.39
    assert server.log.most_in_flight() == 2


def test_gaps_and_requests_in_flight_are_counted_from_the_log() -> None:
    log = RequestLog()
    for started, ended in ((1.0, 2.0), (1.5, 1.75), (3.0, None)):
        log.add(Seen("h:1", "/", b"", 1, started, ended))
    log.add(Seen("other:1", "/", b"", 2, 1.6, 1.7))
    assert log.gaps("h:1") == [0.5, 1.5]
    assert log.most_in_flight("h:1") == 2
    assert log.most_in_flight() == 3


def test_a_server_that_ends_cuts_what_hangs(pages: Path) -> None:
    with Server(pages) as server:
        connection = http.client.HTTPConnection(server.host(), timeout=60)
        connection.request("GET", "/bad/never-answers")
        while not server.log.all():
            pass
    try:
        answered = connection.getresponse().status
    except (http.client.HTTPException, OSError):
        answered = 0
    finally:
        connection.close()
    assert answered == 0


def test_the_stand_alone_server_shows_its_port_and_its_log(pages: Path) -> None:
    (pages / "a.html").write_bytes(b"A")
    command = [sys.executable, "-m", "tests.server", "--root", str(pages)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            port = int(process.stdout.readline())
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("GET", "/a.html")
            assert connection.getresponse().read() == b"A"
            connection.request("GET", "/log")
            entries = json.loads(connection.getresponse().read())
            connection.close()
        finally:
            process.terminate()
        assert process.wait(60) == 0
    assert [(seen["path"], seen["status"], seen["connection"]) for seen in entries] == [("/a.html", 200, 1)]
    assert entries[0]["started"] <= entries[0]["ended"]
