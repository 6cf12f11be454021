"""The rows of a slot appear at once, exactly once, and a crash between two steps loses none of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from scoopi.serve.work.publication import Publication, complete_all, last_rows, published


class CrashError(BaseException):
    """Stands for the end of the process."""


def rows(folder: Path, text: str) -> list[Path]:
    folder.mkdir(exist_ok=True)
    path = folder / f"{text}.txt"
    path.write_text(text)
    (folder / "data.txt").unlink(missing_ok=True)
    path.rename(folder / "data.txt")
    return [folder / "data.txt"]


def published_text(output: Path, name: str = "!1") -> str:
    path = output / name / "data.txt"
    return path.read_text() if path.exists() else ""


def test_former_versions_are_numbered_and_kept_up_to_a_limit(tmp_path: Path) -> None:
    output = tmp_path / "output"
    for number in range(1, 5):
        Publication(output, "!1", 2).publish(rows(tmp_path / "run", str(number)), f"p/!1/{number}", number)
    assert [published_text(output, name) for name in ("!1", "!1~1", "!1~2", "!1~3")] == ["4", "", "2", "3"]
    Publication(output, "!1", 0).complete()
    assert sorted(path.name for path in output.iterdir()) == ["!1"]


def test_an_attempt_that_publishes_again_changes_nothing(tmp_path: Path) -> None:
    output = tmp_path / "output"
    for text in ("a", "b"):
        Publication(output, "!1", 5).publish(rows(tmp_path / "run", text), "p/!1/1", 1)
    assert published_text(output) == "a"
    assert published(output / "!1") == ("p/!1/1", 1)
    assert not (output / "!1~1").exists()


def test_an_attempt_of_a_job_that_was_created_again_publishes(tmp_path: Path) -> None:
    output = tmp_path / "output"
    for created in ("2026", "2026", "2027"):
        files = rows(tmp_path / "run", created)
        Publication(output, "!1", 5).publish(files, "p/!1/1", 1, created)
    assert published_text(output) == "2027"
    assert published_text(output, "!1~1") == "2026"
    assert not (output / "!1~2").exists()


def test_the_rows_of_the_slot_that_was_published_last_are_counted(tmp_path: Path) -> None:
    output = tmp_path / "output"
    assert last_rows(output) is None
    for slot, count in (("#2", 7), ("#1", 3)):
        Publication(output, slot, 0).publish(rows(tmp_path / "run", slot), f"p/{slot}/1", count)
    os.utime(output / "#2" / ".attempt.json", (1, 1))
    assert last_rows(output) == 3


@pytest.mark.parametrize("step", range(3))
def test_after_a_crash_at_any_rename_the_new_rows_are_there_once_and_the_former_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    output = tmp_path / "output"
    Publication(output, "!1", 1).publish(rows(tmp_path / "run", "old"), "p/!1/1", 1)
    files = rows(tmp_path / "run", "new")
    crash_after(monkeypatch, step)
    with pytest.raises(CrashError):
        Publication(output, "!1", 1).publish(files, "p/!1/2", 1)
    monkeypatch.undo()
    complete_all(output, 1)
    assert published_text(output) == ("old" if step == 0 else "new")
    Publication(output, "!1", 1).publish(files, "p/!1/2", 1)
    assert (published_text(output), published_text(output, "!1~1")) == ("new", "old")
    assert sorted(path.name for path in output.iterdir()) == ["!1", "!1~1"]


def crash_after(monkeypatch: pytest.MonkeyPatch, renames: int) -> None:
    """Let the process end instead of the next rename after some."""
    rename: Callable[[Path, Path], Path] = Path.rename
    left = [renames]

    def crashing(path: Path, target: Path) -> Path:
        if not left[0]:
            raise CrashError
        left[0] -= 1
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", crashing)


def test_rows_are_on_disk_before_their_folder_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    fsync, rename = os.fsync, Path.rename

    def noted_sync(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        fsync(descriptor)

    def noted_rename(path: Path, target: Path) -> Path:
        synced.append(f"{path.name} -> {target.name}")
        return rename(path, target)

    def no_link(source: Path, target: Path) -> None:
        raise OSError

    files = rows(tmp_path / "run", "a")
    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(os, "link", no_link)  # the output folder is on another file system
    monkeypatch.setattr(Path, "rename", noted_rename)
    Publication(tmp_path / "output", "!1", 5).publish(files, "p/!1/1", 1)
    assert synced == [
        "data.txt", ".attempt.json", ".!1.part", ".!1.part -> !1.new", "!1.new -> !1", "output"
    ]  # fmt: skip
