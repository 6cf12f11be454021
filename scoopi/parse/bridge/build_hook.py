"""BridgeBuildHook: adds the compiled bridge to the wheel, or leaves the wheel pure if it cannot be built."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_PLACE = "scoopi/parse/bridge"


def _builder() -> ModuleType:
    """The module `build.py`, loaded by path, as the package cannot be imported yet."""
    spec = importlib.util.spec_from_file_location("bridge_build", Path(__file__).with_name("build.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class BridgeBuildHook(BuildHookInterface[Any]):
    """Adds the compiled bridge to the wheel if it can be built; else the wheel is pure Python.

    Configured in pyproject.toml under `tool.hatch.build.targets.wheel.hooks.custom`.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the bridge into the wheel; for an editable install, beside its sources.

        If it cannot be built, shows a warning, and the wheel stays pure Python.

        Args:
            version: `editable` or `standard`.
            build_data: hatch's data of the wheel; changed in place.
        """
        builder = _builder()
        try:
            if version == "editable":
                builder.build()
                return
            self._folder = tempfile.TemporaryDirectory(prefix="scoopi-bridge-")
            made = builder.build(Path(self._folder.name))
        except builder.BridgeUnavailableError as error:
            self.app.display_warning(f"Without the compiled bridge (pages parse slower): {error}")
            return
        build_data["force_include"][str(made)] = f"{_PLACE}/{made.name}"
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder with the compiled bridge."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()
