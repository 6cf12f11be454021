"""BridgeBuildHook: a wheel has the compiled bridge, or is pure Python where it cannot be built."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from scoopi.parse.bridge.build_hook import BridgeBuildHook


class App:
    """Hatch's application, as far as the hook uses it."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def display_warning(self, text: str) -> None:
        self.warnings.append(text)


def hook_of(app: App, folder: Path) -> BridgeBuildHook:
    given: Any = app
    missing: Any = None
    return BridgeBuildHook(str(folder), {}, missing, missing, str(folder), "wheel", given)


def test_the_bridge_goes_into_the_wheel_of_this_platform_and_its_build_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = "import sys; open(sys.argv[sys.argv.index(chr(45) + chr(111)) + 1], chr(119)).close()"
    monkeypatch.setenv("CC", f"{sys.executable} -c '{write}'")
    app, data = App(), {"force_include": dict[str, str]()}
    wheel: dict[str, Any] = {**data}
    hook = hook_of(app, tmp_path)
    hook.initialize("standard", wheel)
    ((made, place),) = data["force_include"].items()
    assert Path(made).is_file()
    assert place == f"scoopi/parse/bridge/{Path(made).name}"
    assert (wheel["pure_python"], wheel["infer_tag"], app.warnings) == (False, True, [])
    hook.finalize("standard", wheel, "")
    assert not Path(made).exists()


def test_without_a_compiler_the_wheel_stays_pure_and_the_builder_is_warned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "/nowhere/cc")
    app, wheel = App(), dict[str, Any](force_include={})
    hook = hook_of(app, tmp_path)
    hook.initialize("standard", wheel)
    hook.finalize("standard", wheel, "")
    assert wheel == {"force_include": {}}
    (warning,) = app.warnings
    assert warning.startswith(
        "Without the compiled bridge (pages parse slower): /nowhere/cc cannot be started"
    )
