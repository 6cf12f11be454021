"""`scoopi version` prints the version of every component on stdout."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from typing import Any

import pytest

from scoopi import __version__
from scoopi.cli.verbs import version_verb as version


def test_version_shows_every_component(screen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> str:
        raise ImportError("no such library")

    monkeypatch.setitem(version.COMPONENTS, "pycurl", broken)
    assert screen.run("version") == 0
    shown = screen.out.getvalue()
    assert shown.startswith(f"scoopi        {__version__}\npython ")
    assert "pycurl        not usable: ImportError: no such library\n" in shown
    for name in ("lxml", "libxml2", "selectolax", "quickjs", "sqlite", "msgspec", "hazelcast"):
        [line] = [line for line in shown.splitlines() if line.startswith(f"{name} ")]
        assert line.split()[1][0].isdigit()


def test_version_hints_at_the_package_that_clusters_need(
    screen: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr(version, "installed_version", absent)
    screen.run("version")
    assert (
        'hazelcast     not installed; clusters need pip install "scoopi[cluster]"\n' in screen.out.getvalue()
    )
