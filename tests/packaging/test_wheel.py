"""What is in the wheels, and what they say of themselves."""

from __future__ import annotations

import email
import sysconfig
import tomllib
import zipfile
from email.message import Message
from pathlib import Path

from scoopi.version import __version__
from tests.packaging.installed import ROOT, Installed

COMPILED = f"scoopi/parse/bridge/_bridge{sysconfig.get_config_var('EXT_SUFFIX')}"


def names(installed: Installed) -> set[str]:
    with zipfile.ZipFile(installed.wheel) as wheel:
        return set(wheel.namelist())


def read(installed: Installed, name: str) -> str:
    with zipfile.ZipFile(installed.wheel) as wheel:
        return wheel.read(f"scoopi-{__version__}.dist-info/{name}").decode()


def metadata(installed: Installed) -> Message:
    return email.message_from_string(read(installed, "METADATA"))


def project() -> dict[str, object]:
    project: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    return project


def sources() -> set[str]:
    """All that belongs to the package: what is not made."""
    files = (path for path in (ROOT / "scoopi").rglob("*") if path.is_file())
    kept = (path for path in files if path.parent.name != "__pycache__" and path.suffix != ".so")
    return {str(path.relative_to(ROOT)) for path in kept}


def test_the_wheel_holds_the_package_and_nothing_else(installed: Installed) -> None:
    compiled = {COMPILED} if installed.backend == "compiled" else set()
    assert {name for name in names(installed) if ".dist-info/" not in name} == sources() | compiled


def test_the_wheel_holds_the_types_and_the_scripts(installed: Installed) -> None:
    scripts = {str(path.relative_to(ROOT)) for path in (ROOT / "scoopi" / "script").glob("*.js")}
    assert scripts
    assert names(installed) >= scripts | {"scoopi/py.typed"}


def test_a_wheel_with_the_bridge_is_of_its_platform_one_without_of_any(installed: Installed) -> None:
    with_bridge = installed.backend == "compiled"
    assert (COMPILED in names(installed)) is with_bridge
    assert f"Root-Is-Purelib: {str(not with_bridge).lower()}" in read(installed, "WHEEL").splitlines()
    assert installed.wheel.name.endswith("-none-any.whl") is not with_bridge


def test_the_entry_point_is_scoopi(installed: Installed) -> None:
    assert read(installed, "entry_points.txt").split() == [
        "[console_scripts]",
        "scoopi",
        "=",
        "scoopi.__main__:program",
    ]


def test_the_wheel_says_what_the_project_says(installed: Installed) -> None:
    reported, said = metadata(installed), project()
    assert (reported["Name"], reported["Version"]) == ("scoopi", __version__)
    assert reported["Requires-Python"] == said["requires-python"] == ">=3.11"
    assert reported["License-Expression"] == "Apache-2.0"
    extras, dependencies = said["optional-dependencies"], said["dependencies"]
    assert isinstance(extras, dict)
    assert isinstance(dependencies, list)
    assert reported.get_all("Provides-Extra") == sorted(extras)
    needed = [line for line in reported.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert len(needed) == len(dependencies)


def test_hazelcast_is_asked_for_by_extras_alone(installed: Installed) -> None:
    lines = [line for line in metadata(installed).get_all("Requires-Dist", []) if "hazelcast" in line]
    assert {line.partition("; ")[2] for line in lines} == {"extra == 'cluster'", "extra == 'all'"}


def test_the_license_is_in_the_wheel(installed: Installed) -> None:
    assert metadata(installed).get_all("License-File") == ["LICENSE"]
    assert read(installed, "licenses/LICENSE") == Path(ROOT / "LICENSE").read_text(encoding="utf-8")
