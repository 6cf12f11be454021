"""A node uses the cores and the memory that its control group allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.configs.configs import Configs
from scoopi.configs.groups import BrowserSettings, WorkerSettings, node_groups
from scoopi.configs.machine import cores, memory_bound, memory_limit


def groups_in(folder: Path, own: str, **limits: str) -> int | None:
    """The limit of a process in the group `own`; a group's `memory.max` by its path, `_` for `/`."""
    for name, limit in limits.items():
        group = folder / "cgroup" / name.strip("_").replace("_", "/")
        group.mkdir(parents=True, exist_ok=True)
        (group / "memory.max").write_text(f"{limit}\n")
    (folder / "own").write_text(own)
    return memory_limit(folder / "own", folder / "cgroup")


def test_the_least_limit_around_the_process_counts(tmp_path: Path) -> None:
    own = "1:name=systemd:/\n0::/pods/pod/scoopi\n"
    assert groups_in(tmp_path, own, pods="900", pods_pod="300", pods_pod_scoopi="max") == 300


def test_a_container_that_sees_its_group_as_the_root_has_its_limit(tmp_path: Path) -> None:
    assert groups_in(tmp_path, "0::/\n", _="512") == 512


@pytest.mark.parametrize("own", ["", "0::/\n", "4:memory:/pods\n", "0::/../elsewhere\n"])
def test_without_a_limit_nothing_bounds_a_worker(tmp_path: Path, own: str) -> None:
    assert groups_in(tmp_path, own, _="max") is None


def test_a_system_without_control_groups_has_no_limit(tmp_path: Path) -> None:
    assert memory_limit(tmp_path / "missing", tmp_path) is None


def test_the_limit_is_divided_among_the_workers_their_parent_and_one_more_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(node_groups, "memory_limit", lambda: 1 << 30)
    for workers, parts in (("2", 4), ("6", 8), ("0", 3)):
        settings = WorkerSettings.of(Configs.from_composed({"scoopi.workers": workers}))
        assert settings.memory_bytes == (1 << 30) // parts
    monkeypatch.setattr(node_groups, "memory_limit", lambda: None)
    assert WorkerSettings.of(Configs.from_composed({})).memory_bytes is None


def test_limits_of_both_versions_of_control_groups_bound_browsers(tmp_path: Path) -> None:
    own = "4:memory,hugetlb:/pods/pod\n0::/\n"
    assert groups_in(tmp_path, own, _="900") == 900
    for name, limit in (("", 1 << 63), ("pods", 800), ("pods/pod", 1000)):
        folder = tmp_path / "cgroup" / "memory" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "memory.limit_in_bytes").write_text(f"{limit}\n")
    assert memory_bound(tmp_path / "own", tmp_path / "cgroup") == 800
    (tmp_path / "cgroup" / "memory.max").write_text("700\n")
    assert memory_bound(tmp_path / "own", tmp_path / "cgroup") == 700
    assert memory_bound(tmp_path / "missing", tmp_path) is None


@pytest.mark.parametrize(
    ("bound_mb", "browsers", "memory_mb"),
    [(64_000, 2, 2048), (4096, 2, 1024), (1500, 1, 750), (400, 1, 512)],
)
def test_browsers_share_half_of_the_memory(bound_mb: int, browsers: int, memory_mb: int) -> None:
    found = BrowserSettings().within(bound_mb)
    assert (found.browsers, found.memory_mb) == (browsers, memory_mb)


def test_a_container_limit_bounds_the_cores(tmp_path: Path) -> None:
    file = tmp_path / "cpu.max"
    file.write_text("50000 100000\n")
    assert cores(file) == 1
    file.write_text("max 100000\n")
    assert cores(file) == cores(tmp_path / "missing")
