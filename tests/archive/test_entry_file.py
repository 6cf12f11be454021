"""EntryFile: a head that can be read alone, and a body, whole or not at all."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from scoopi.archive.entry_file import FIRST_READ_BYTES, TEMPORARY, WRITE_TRIES, EntryFile


class Note(msgspec.Struct, frozen=True):
    """Metadata for the tests."""

    text: str


FILES = EntryFile(Note)
BODY = b"body " * 100


@pytest.mark.parametrize("length", [0, 10, 2 * FIRST_READ_BYTES])
def test_a_head_of_any_length_and_a_body_come_back(tmp_path: Path, length: int) -> None:
    file, note = tmp_path / "folder" / "a", Note("x" * length)
    FILES.write(file, note, BODY)
    assert FILES.read_meta(file) == note
    assert FILES.read(file) == (note, BODY)
    assert [each.name for each in file.parent.iterdir()] == ["a"]


def test_an_absent_file_has_neither_head_nor_body(tmp_path: Path) -> None:
    assert FILES.read_meta(tmp_path / "a") is None
    assert FILES.read(tmp_path / "a") is None


def test_a_damaged_body_leaves_the_head_readable(tmp_path: Path) -> None:
    file = tmp_path / "a"
    FILES.write(file, Note("x"), BODY)
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert FILES.read_meta(file) == Note("x")
    assert FILES.read(file) is None


def test_a_file_of_another_kind_of_metadata_is_absent(tmp_path: Path) -> None:
    class Number(msgspec.Struct, frozen=True):
        number: int

    EntryFile(Number).write(tmp_path / "a", Number(1), BODY)
    assert FILES.read_meta(tmp_path / "a") is None


@pytest.mark.parametrize("times", [WRITE_TRIES - 1, WRITE_TRIES])
def test_a_folder_that_others_delete_is_created_again_a_few_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    file, left, replace = tmp_path / "folder" / "a", [None] * times, Path.replace

    def deleted_before(path: Path, target: Path) -> Path:
        if left:
            left.pop()
            shutil.rmtree(path.parent)
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", deleted_before)
    if times < WRITE_TRIES:
        FILES.write(file, Note("x"), BODY)
        assert FILES.read(file) == (Note("x"), BODY)
    else:
        with pytest.raises(FileNotFoundError):
            FILES.write(file, Note("x"), BODY)


def test_a_failed_write_keeps_the_old_file_and_leaves_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a"
    FILES.write(file, Note("old"), BODY)

    def full(path: Path, content: bytes) -> int:
        with path.open("wb") as opened:
            opened.write(content[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        FILES.write(file, Note("new"), BODY)
    assert FILES.read_meta(file) == Note("old")
    assert not [each for each in tmp_path.iterdir() if each.name.startswith(TEMPORARY)]
