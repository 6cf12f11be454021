"""A project is packed reproducibly, without what does not belong to it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from scoopi.errors import DamagedBundleError, DefsError
from scoopi.serve import bundle


def project(folder: Path) -> Path:
    (folder / "books").mkdir(parents=True)
    (folder / "shop.yml").write_text("processes: {}")
    (folder / "books/books.yml").write_text("dataDefs: {}")
    (folder / "load.sh").write_text("#!/bin/sh\n")
    (folder / "load.sh").chmod(0o755)
    return folder


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_equal_files_have_an_equal_hash_whatever_their_times_and_place(tmp_path: Path) -> None:
    one, other = project(tmp_path / "one"), project(tmp_path / "other")
    os.utime(other / "shop.yml", (1, 1))
    assert bundle.pack(one) == bundle.pack(other)
    (other / "shop.yml").write_text("processes: {a: b}")
    assert bundle.pack(one)[0] != bundle.pack(other)[0]


def test_an_unpacked_project_has_the_files_and_the_right_to_execute(tmp_path: Path) -> None:
    name, data = bundle.pack(project(tmp_path / "jobs"))
    folder = bundle.unpack(name, data, tmp_path / "bundles")
    assert names(folder) == ["books/books.yml", "load.sh", "shop.yml"]
    assert os.access(folder / "load.sh", os.X_OK)
    assert bundle.unpack(name, b"", tmp_path / "bundles") == folder


def test_a_project_is_on_disk_before_its_folder_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, data = bundle.pack(project(tmp_path / "jobs"))
    bundles, synced = tmp_path / "bundles", set[str]()

    def noted(descriptor: int) -> None:
        assert not (bundles / name).exists()
        synced.add(Path(f"/proc/self/fd/{descriptor}").readlink().name)

    monkeypatch.setattr(os, "fsync", noted)
    folder = bundle.unpack(name, data, bundles)
    assert synced > {"books", *(path.name for path in folder.rglob("*"))}


def test_hidden_files_output_links_and_ignored_files_stay_outside(tmp_path: Path) -> None:
    jobs = project(tmp_path / "jobs")
    for name in (
        ".git/config",
        "output/r/data.csv",
        "scheduler/state.db",
        "__pycache__/a.pyc",
        "big/x.bin",
        "a.tmp",
    ):
        path = jobs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (jobs / "link").symlink_to("/etc/passwd")
    (jobs / ".scoopiignore").write_text("# large files\nbig\n*.tmp\n")
    name, data = bundle.pack(jobs)
    folder = bundle.unpack(name, data, tmp_path / "bundles")
    assert names(folder) == ["books/books.yml", "load.sh", "shop.yml"]


def test_a_project_above_the_limit_is_refused_with_its_largest_files(tmp_path: Path) -> None:
    jobs = project(tmp_path / "jobs")
    (jobs / "dump.bin").write_bytes(bytes(bundle.MOST_BYTES))
    for number in range(12):
        (jobs / f"part{number:02}.bin").write_bytes(bytes(10_000 + number))
    with pytest.raises(DefsError) as error:
        bundle.pack(jobs)
    assert "dump.bin (32.0 MiB)" in str(error.value)
    assert re.findall(r"part\d\d", str(error.value)) == [f"part{n:02}" for n in range(11, 2, -1)], (
        "ten in all"
    )
    assert ".scoopiignore" in error.value.hint


def test_a_damaged_bundle_is_not_unpacked(tmp_path: Path) -> None:
    name, data = bundle.pack(project(tmp_path / "jobs"))
    with pytest.raises(DamagedBundleError, match="damaged"):
        bundle.unpack("0" * len(name), data, tmp_path / "bundles")
    assert not (tmp_path / "bundles" / ("0" * len(name))).exists()
    for damaged in (data[: len(data) // 2], b"", b"no zstd", data[:9] + bytes([data[9] ^ 255]) + data[10:]):
        with pytest.raises(DamagedBundleError, match="damaged"):
            bundle.unpack(name, damaged, tmp_path / "bundles")
    assert [*(tmp_path / "bundles").iterdir()] == []
