"""The state of a `serve` is on a local disk, or refused."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from scoopi.errors import UsageError
from scoopi.serve.state_disk import ensure_local, file_system

MOUNTINFO = r"""
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:40 / /srv rw,relatime - nfs4 files:/srv rw,vers=4.2
31 30 8:2 / /srv/local rw,relatime shared:9 - xfs /dev/sdb1 rw
32 22 0:41 / /mnt/our\040files rw,relatime - cifs //box/files rw
33 22 0:42 / /over rw - nfs files:/over rw
34 22 8:3 / /over rw - ext4 /dev/sdc1 rw
"""


@pytest.fixture
def mounts(tmp_path: Path) -> Path:
    path = tmp_path / "mountinfo"
    path.write_text(MOUNTINFO.lstrip())
    return path


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/var/lib/scoopi", "ext4"),
        ("/srv/jobs/scheduler", "nfs4"),
        ("/srv/local/scheduler", "xfs"),
        ("/srvx", "ext4"),
        ("/mnt/our files/s", "cifs"),
        ("/over/s", "ext4"),
    ],
)
def test_the_deepest_and_last_mount_counts(mounts: Path, folder: str, kind: str) -> None:
    assert file_system(Path(folder), mounts) == kind


def test_a_network_file_system_is_refused_with_another_way(mounts: Path) -> None:
    ensure_local(Path("/srv/local/scheduler"), mounts)
    with pytest.raises(UsageError, match="network file system \\(nfs4\\)") as refused:
        ensure_local(Path("/srv/scheduler"), mounts)
    assert refused.value.at == "/srv/scheduler"
    assert "--store" in refused.value.hint


def test_without_a_list_of_mounts_nothing_is_refused(tmp_path: Path) -> None:
    ensure_local(tmp_path, tmp_path / "none")


@pytest.mark.parametrize("folder", ["/", "/proc", "/tmp"])
def test_the_type_is_that_of_the_system_s_own_program(folder: str) -> None:
    done = subprocess.run(["df", "--output=fstype", folder], capture_output=True, text=True, check=True)
    assert file_system(Path(folder)) == done.stdout.split()[1]
