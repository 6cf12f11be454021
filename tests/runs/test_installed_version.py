"""installed_version: the version that an installed package has, found without importlib.metadata."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from scoopi.runs.run_file import installed_version, versions


@pytest.mark.parametrize("package", ["lxml", "selectolax", "pycurl", "quickjs-ng"])
def test_the_version_of_a_package_is_that_of_its_metadata(package: str) -> None:
    assert installed_version(package) == metadata.version(package) == versions()[package]


def test_the_first_folder_with_the_package_counts(tmp_path: Path) -> None:
    for number, name in enumerate(
        ("quickjs-9.dist-info", "quickjs_ng-1.2.dist-info", "quickjs_ng-3.dist-info")
    ):
        (tmp_path / str(number) / name).mkdir(parents=True)
    path = [str(tmp_path / "missing"), *(str(tmp_path / str(number)) for number in range(3))]
    assert installed_version("quickjs-ng", path) == "1.2"


def test_a_package_without_such_a_folder_is_asked_for_its_metadata(tmp_path: Path) -> None:
    assert installed_version("lxml", [str(tmp_path)]) == metadata.version("lxml")
    with pytest.raises(metadata.PackageNotFoundError):
        installed_version("not-installed-anywhere", [str(tmp_path)])
