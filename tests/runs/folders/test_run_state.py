"""NodeFile: the newest run of a folder, what its hidden folder holds, and its lock."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

import msgspec
import pytest

from scoopi.errors import RunError, UsageError
from scoopi.runs.folders.run_state import (
    HIDDEN,
    STATE_FILE,
    STORE_FILE,
    NodeFile,
    folder_of_run,
    make_private,
    newest_run,
    node_folder_of,
    not_a_run,
    read_state,
    take_lock,
    unreadable,
)


def node_folder(path: Path, file: str = STATE_FILE) -> Path:
    node = path / HIDDEN / "node"
    node.mkdir(parents=True)
    (node / file).write_bytes(msgspec.json.encode(NodeFile("run", "machine", over=True)))
    return node


def test_a_run_is_known_by_its_records(tmp_path: Path) -> None:
    assert node_folder_of(tmp_path / "none") is None
    (tmp_path / "file").write_text("")
    assert node_folder_of(tmp_path / "file") is None
    (tmp_path / "empty" / HIDDEN / "node").mkdir(parents=True)
    assert node_folder_of(tmp_path / "empty") is None
    for name, file in (("one", STATE_FILE), ("two", STORE_FILE)):
        assert node_folder_of(tmp_path / name) is None
        assert node_folder(tmp_path / name, file) == node_folder_of(tmp_path / name)


def test_the_newest_run_has_the_last_name(tmp_path: Path) -> None:
    assert newest_run(tmp_path) is None
    for name in ("20260101-000000-aaaa", "20260102-000000-aaaa", ".20260103-000000-aaaa"):
        node_folder(tmp_path / name)
    (tmp_path / "20260104-000000-aaaa").mkdir()
    (tmp_path / "latest").symlink_to(tmp_path / "20260101-000000-aaaa")
    assert newest_run(tmp_path) == tmp_path / "20260102-000000-aaaa"


def test_of_runs_of_one_second_the_newest_is_the_one_whose_folder_was_made_last(tmp_path: Path) -> None:
    for name, made_ns in (
        ("20260101-000000-bbbb", 5),
        ("20260101-000000-aaaa", 9),
        ("20260101-000000-cccc", 2),
    ):
        node_folder(tmp_path / name)
        os.utime(tmp_path / name / HIDDEN, ns=(made_ns, made_ns))
    assert newest_run(tmp_path) == tmp_path / "20260101-000000-aaaa"


def test_a_run_is_found_by_its_folder_or_by_its_id_in_the_output_folder(tmp_path: Path) -> None:
    node_folder(run := tmp_path / "20260101-000000-aaaa")
    assert folder_of_run(str(run), tmp_path / "output") == run
    assert folder_of_run(run.name, tmp_path) == run
    with pytest.raises(UsageError, match="there is no such run"):
        folder_of_run("latest", tmp_path)


def test_what_is_not_a_run_names_a_run_that_it_holds(tmp_path: Path) -> None:
    assert not_a_run(tmp_path).hint == "name a folder under the output"
    node_folder(tmp_path / "20260101-000000-aaaa")
    assert not_a_run(tmp_path).hint == f"name a run in it, such as {tmp_path / '20260101-000000-aaaa'}"


def test_the_state_is_read_or_its_damage_is_named(tmp_path: Path) -> None:
    node = node_folder(tmp_path)
    assert read_state(node) == NodeFile("run", "machine", over=True)
    (node / STATE_FILE).write_bytes(b"{")
    with pytest.raises(RunError, match="the run's state cannot be read: it is damaged"):
        read_state(node)
    (node / STATE_FILE).unlink()
    with pytest.raises(RunError, match="the run's state cannot be read: No such file") as raised:
        read_state(node)
    assert raised.value.at == str(node / STATE_FILE)


def test_a_missing_right_has_another_hint_than_damage(tmp_path: Path) -> None:
    refused = unreadable("store", tmp_path, PermissionError(errno.EACCES, "Permission denied", "a/store.db"))
    assert (refused.at, refused.hint) == ("a/store.db", "give this user the right to read and write it")
    assert "restore this one" in unreadable("store", tmp_path, OSError(errno.EIO, "I/O error")).hint


def test_others_cannot_look_into_the_hidden_folder(tmp_path: Path) -> None:
    make_private(tmp_path / "run" / HIDDEN)
    make_private(tmp_path / "run" / HIDDEN)
    assert (tmp_path / "run" / HIDDEN).stat().st_mode & 0o077 == 0


def test_a_lock_is_held_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lock").write_text("")
    first, second = (os.open(tmp_path / "lock", os.O_RDWR) for _ in range(2))
    assert take_lock(first, tmp_path)
    assert not take_lock(second, tmp_path)
    os.close(first)
    assert take_lock(second, tmp_path, wait=True)

    def refuses(handle: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuses)
    with pytest.raises(RunError, match="the volume does not support file locks: No locks available"):
        take_lock(second, tmp_path)
    os.close(second)
