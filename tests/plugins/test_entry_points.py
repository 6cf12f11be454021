"""A plugin of an installed package is told from another version of it, and from an edited one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoopi.plugins.builtins import BUILTINS
from scoopi.plugins.entry_points import digest_now
from scoopi.plugins.plugin_finder import PluginFinder

ENTRY = "entry point scoopi.converters Shout"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with an installed package that offers a converter."""
    (tmp_path / "shouting.py").write_text(
        "class Shout:\n    def convert(self, value): return value.upper()\n"
    )
    install(tmp_path, "1.0")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("shouting", None)


def install(site: Path, version: str) -> None:
    info = site / "shouting-1.0.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: shouting\nVersion: {version}\n")
    (info / "entry_points.txt").write_text("[scoopi.converters]\nShout = shouting:Shout\n")


def digests() -> dict[str, str]:
    finder = PluginFinder([], BUILTINS)
    finder.find("converters", "Shout")
    return finder.digests()


def test_a_package_is_known_by_its_name_its_version_and_its_file(site: Path) -> None:
    found = digests()
    assert found[ENTRY] == "shouting 1.0 shouting:Shout"
    assert set(found) == {ENTRY, str(site / "shouting.py")}
    assert all(digest_now(name) == digest for name, digest in found.items())


def test_another_version_of_the_package_is_another_plugin(site: Path) -> None:
    before = digests()
    install(site, "1.1")
    assert digest_now(ENTRY) == "shouting 1.1 shouting:Shout"
    assert digests() != before


def test_an_edited_file_of_the_package_is_another_plugin(site: Path) -> None:
    before, file = digests(), site / "shouting.py"
    file.write_text(file.read_text() + "# edited\n")
    assert digest_now(str(file)) != before[str(file)]


def test_a_package_that_is_gone_has_no_digest(site: Path) -> None:
    digests()
    (site / "shouting-1.0.dist-info" / "entry_points.txt").unlink()
    (site / "shouting.py").unlink()
    assert digest_now(ENTRY) == digest_now(str(site / "shouting.py")) == ""
