"""RunFile: writes `run.json`, this node's view of the run."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from scoopi.model.report.causes import Cause
from scoopi.model.report.run_report import JobCounts
from scoopi.version import __version__


class RunView(msgspec.Struct, frozen=True):
    """What `run.json` says, its keys in this order (design, "Output")."""

    run: str
    incarnation: str
    status: str
    started: datetime
    ended: datetime | None = None
    jobs: JobCounts = JobCounts()
    pages: int = 0
    rows: dict[str, int] = {}
    errors: tuple[Cause, ...] = ()
    warnings: tuple[Cause, ...] = ()
    awaiting: tuple[str, ...] = ()
    time: dict[str, float] = {}
    versions: dict[str, str] = {}


class RunFile:
    """Replaced by a rename, so that a reader always sees a whole one.

    Args:
        keeps_own: several nodes may share the folder, whose file is that of the node that wrote last;
            each keeps its own view in its hidden folder.
    """

    def __init__(self, folder: Path, node_folder: Path, keeps_own: bool = False) -> None:
        self._paths = [node_folder / "run.json"] * keeps_own + [folder / "run.json"]
        self._temporary = node_folder / "run.json.tmp"

    def write(self, view: RunView) -> None:
        """Replace the file.

        Raises:
            OSError: it cannot be written.
        """
        known: dict[str, Any] = msgspec.to_builtins(view)
        for causes in (known["errors"], known["warnings"]):
            for cause in causes:
                del cause["example"]["cause"]
                if causes is known["errors"] or cause["example"]["message"] == cause["cause"]:
                    del cause["example"]["message"]  # that of a warning holds its figures
        text = msgspec.json.format(msgspec.json.encode(known), indent=2) + b"\n"
        for path in self._paths:
            self._temporary.write_bytes(text)
            self._temporary.replace(path)

    def read(self) -> RunView | None:
        """The file as this node wrote it last; None when there is none that can be read."""
        try:
            known = msgspec.json.decode(self._paths[0].read_bytes())
            for cause in (*known["errors"], *known["warnings"]):
                cause["example"] = {"message": cause["cause"], "cause": cause["cause"]} | cause["example"]
            return msgspec.convert(known, RunView)
        except (OSError, msgspec.MsgspecError, KeyError, TypeError):
            return None


@cache
def versions() -> Mapping[str, str]:
    """What the rows may depend on; looking it up takes a while the first time."""
    from importlib import metadata

    return {
        "scoopi": __version__,
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in ("lxml", "selectolax", "pycurl", "quickjs-ng")},
    }
