"""FileReception: a file is written as it arrives, and stops at the limits of its request."""

from __future__ import annotations

import errno
import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scoopi.fetch.downloads.file_reception import FileReception, LocalFaultError, disk_fault
from scoopi.fetch.downloads.partial_file import PartialFile
from scoopi.fetch.reception import OTHER_BYTES, STOP, BufferLimit
from scoopi.model.downloads import FileRequest

URL = "http://here.example/a.jpg"
ETAG = b'ETag: "v1"'
Receive = Callable[..., FileReception]


@pytest.fixture
def receive(tmp_path: Path) -> Iterator[Receive]:
    """Begins to receive a response to a request for the file at `tmp_path / "a"`."""
    opened: list[PartialFile] = []

    def begun(status: int, *headers: bytes, types: tuple[str, ...] = (), most: int = 100) -> FileReception:
        for former in opened:
            former.close()
        partial = PartialFile.open(FileRequest(URL, types, most), tmp_path / "a")
        assert partial is not None
        opened.append(partial)
        reception = FileReception(BufferLimit(1))
        reception.partial, reception.url = partial, URL
        for line in (b"HTTP/1.1 %d Answer" % status, *headers, b""):
            reception.take_header(line + b"\r\n")
        return reception

    yield begun
    for partial in opened:
        partial.close()


def refusal(reception: FileReception) -> str:
    """Why the file was rejected; the transfer ends for the same reason."""
    assert reception.refusal is not None
    assert reception.fault == reception.refusal.what
    return reception.fault


def test_a_file_is_on_the_disk_while_it_arrives(receive: Receive, tmp_path: Path) -> None:
    reception = receive(200, ETAG)
    written = []
    for piece in (b"rye ", b"bread"):
        assert reception.take_body(piece) is None
        written.append((tmp_path / "a").read_bytes())
    reception.finish_file()
    assert written == [b"rye ", b"rye bread"]
    assert (reception.fault, reception.refusal, reception.is_elsewhere) == ("", None, False)


def test_a_file_without_a_byte_is_one(receive: Receive, tmp_path: Path) -> None:
    reception = receive(200, b"Content-Length: 0")
    reception.finish_file()
    assert (reception.fault, (tmp_path / "a").read_bytes()) == ("", b"")


def test_the_rest_of_a_file_is_appended(receive: Receive, tmp_path: Path) -> None:
    receive(200, ETAG).take_body(b"rye ")
    reception = receive(206, b"Content-Range: bytes 4-8/9")
    assert reception.is_wanted
    assert reception.take_body(b"bread") is None
    reception.finish_file()
    assert (reception.fault, (tmp_path / "a").read_bytes()) == ("", b"rye bread")


def test_a_part_that_nobody_has_asked_for_is_an_error_like_any_other(
    receive: Receive, tmp_path: Path
) -> None:
    reception = receive(206, b"Content-Range: bytes 0-3/9")
    assert not reception.is_wanted
    assert reception.take_body(b"rye ") is None
    assert (tmp_path / "a").read_bytes() == b""


def test_a_part_that_begins_elsewhere_is_not_written(receive: Receive, tmp_path: Path) -> None:
    receive(200, ETAG).take_body(b"rye ")
    reception = receive(206, b"Content-Range: bytes 2-8/9")
    assert reception.take_body(b"e bread") == STOP
    assert (reception.is_elsewhere, reception.refusal) == (True, None)
    assert (tmp_path / "a").read_bytes() == b"rye "
    reception.reset()
    assert not reception.is_elsewhere, "another request may continue it"
    assert reception.partial is not None


@pytest.mark.parametrize("status", [404, 500])
def test_the_body_of_an_error_is_no_part_of_the_file(receive: Receive, tmp_path: Path, status: int) -> None:
    assert receive(status).take_body(b"no such file") is None
    assert (tmp_path / "a").read_bytes() == b""


def test_a_file_of_another_type_is_rejected_before_a_byte_is_written(
    receive: Receive, tmp_path: Path
) -> None:
    reception = receive(200, b"Content-Type: text/html", types=("image/*",))
    assert reception.take_body(b"<p>sign in") == STOP
    assert refusal(reception) == "the file is text/html, not image/*"
    assert (tmp_path / "a").read_bytes() == b""


def test_a_type_that_says_nothing_is_that_of_the_file_name(receive: Receive) -> None:
    reception = receive(200, b"Content-Type: application/octet-stream", types=("image/*",))
    assert reception.media_type == "image/jpeg"
    assert reception.take_body(b"rye") is None


def test_a_file_that_is_as_large_as_allowed_is_taken(receive: Receive) -> None:
    reception = receive(200, b"Content-Length: 9", most=9)
    assert reception.take_body(b"rye bread") is None
    reception.finish_file()
    assert reception.fault == ""


@pytest.mark.parametrize(("header", "pieces"), [(b"Content-Length: 10", 1), (b"Server: x", 2)])
def test_a_larger_file_is_rejected_at_once_if_it_says_so(
    receive: Receive, header: bytes, pieces: int
) -> None:
    reception = receive(200, header, most=9)
    answers = [reception.take_body(piece) for piece in (b"rye bread", b"s")[:pieces]]
    assert answers == [None] * (pieces - 1) + [STOP]
    assert refusal(reception) == "the file is larger than 9 bytes"


def test_a_part_counts_with_what_was_there_before(receive: Receive) -> None:
    receive(200, ETAG).take_body(b"rye ")
    reception = receive(206, b"Content-Range: bytes 4-9/10", b"Content-Length: 6", most=9)
    assert reception.take_body(b"breads") == STOP
    assert refusal(reception) == "the file is larger than 9 bytes"


def test_a_file_that_arrives_compressed_is_measured_and_written_plain(
    receive: Receive, tmp_path: Path
) -> None:
    coded = gzip.compress(b"rye bread" * 10)
    for most, fault in ((90, ""), (89, "the file is larger than 89 bytes")):
        reception = receive(200, b"Content-Encoding: gzip", most=most)
        reception.take_body(coded)
        reception.finish_file()
        assert reception.fault == fault
    receive(200, b"Content-Encoding: gzip").take_body(coded)
    assert (tmp_path / "a").read_bytes() == b"rye bread" * 10


def test_a_coding_that_enlarges_the_file_ends_at_a_limit_too(receive: Receive) -> None:
    reception = receive(200, b"Content-Encoding: gzip", most=9)
    coder = zlib.compressobj(wbits=31)
    head = coder.compress(b"rye") + coder.flush(zlib.Z_SYNC_FLUSH)
    assert reception.take_body(head) is None
    empty_block = b"\x00\x00\x00\xff\xff"
    room = 9 + OTHER_BYTES - len(head)
    assert reception.take_body(empty_block * (room // 5)) is None
    assert reception.take_body(empty_block) == STOP
    assert refusal(reception) == "the file is larger than 9 bytes"


@pytest.mark.parametrize("cut", [False, True])
def test_a_coding_that_is_broken_is_a_fault_that_may_pass(receive: Receive, cut: bool) -> None:
    reception = receive(200, b"Content-Encoding: gzip")
    reception.take_body(gzip.compress(b"rye bread")[:-9] if cut else b"no gzip at all")
    reception.finish_file()
    assert reception.fault.startswith("the file cannot be decoded as gzip: ")
    assert reception.refusal is None


def test_a_disk_that_is_full_is_a_fault_of_this_machine(
    receive: Receive, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int, data: memoryview) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    reception = receive(200)
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        assert reception.take_body(b"rye") == STOP
    assert refusal(reception) == "the file cannot be written: No space left on device"
    assert isinstance(reception.refusal, LocalFaultError)
    assert disk_fault(OSError("no disk")).what == "the file cannot be written: no disk"
