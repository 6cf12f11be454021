"""The log of an attempt keeps its first and its last half, and can be read while it grows."""

from __future__ import annotations

from pathlib import Path

from scoopi.serve.work.attempt_log import AttemptLog, LogReader, log_end, log_parts


def text(folder: Path, limit: int) -> str:
    return b"".join(LogReader(folder, limit).read()).decode()


def test_a_short_log_is_kept_whole(tmp_path: Path) -> None:
    log = AttemptLog(tmp_path, 100)
    log.write(b"one\n")
    log.write(b"two\n")
    log.close()
    assert text(tmp_path, 100) == "one\ntwo\n"


def test_of_a_long_log_the_first_and_the_last_half_are_kept(tmp_path: Path) -> None:
    log = AttemptLog(tmp_path, 20)
    for number in range(100):
        log.write(f"{number:04}\n".encode())
    log.close()
    assert text(tmp_path, 20) == "0000\n0001\n\n… 480 bytes left out …\n0098\n0099\n"
    assert sum(path.stat().st_size for _, path in log_parts(tmp_path)) <= 30


def test_what_cannot_be_written_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    log = AttemptLog(folder, 20)
    log.write(b"0123456789")
    folder.rename(tmp_path / "away")
    log.write(b"lost")
    (tmp_path / "away").rename(folder)
    log.write(b"kept")
    log.close()
    assert text(folder, 20) == "0123456789kept"


def test_a_reader_that_follows_reads_each_byte_once(tmp_path: Path) -> None:
    log, reader, read = AttemptLog(tmp_path, 40), LogReader(tmp_path, 40), b""
    for number in range(20):
        log.write(f"{number:04}\n".encode())
        read += b"".join(reader.read())
    log.close()
    assert read.decode() == "".join(f"{number:04}\n" for number in range(20))
    assert b"".join(reader.read()) == b""


def test_the_log_of_an_attempt_that_is_resumed_is_continued(tmp_path: Path) -> None:
    for number in range(6):
        log = AttemptLog(tmp_path, 20)
        log.write(f"{number:04}\n".encode())
        log.close()
    assert text(tmp_path, 100) == "".join(f"{number:04}\n" for number in range(6))


def test_the_end_of_a_log_begins_behind_what_was_left_out(tmp_path: Path) -> None:
    assert log_end(tmp_path, 10) == (0, b"")
    log = AttemptLog(tmp_path, 20)
    for number in range(3):
        log.write(f"{number:04}\n".encode())
    assert log_end(tmp_path, 100) == (0, b"0000\n0001\n0002\n")
    assert log_end(tmp_path, 7) == (8, b"1\n0002\n")
    for number in range(3, 100):
        log.write(f"{number:04}\n".encode())
    log.close()
    assert log_end(tmp_path, 10) == (490, b"0098\n0099\n")
    before, data = log_end(tmp_path, 1000)
    assert (before + len(data), data[-5:]) == (500, b"0099\n")
    assert before > 20
