"""RunFile: writes `run.json`, this node's view of the run."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from scoopi.model.decoders import converted
from scoopi.model.report.causes import Cause
from scoopi.model.report.run_counts import (
    ChangeCounts,
    EntryTime,
    FieldFigures,
    FileCounts,
    JobCounts,
    LoadCounts,
    Retries,
)
from scoopi.model.report.run_report import ALREADY_OVER, RunReport, RunStatus
from scoopi.plugins.encoders.grid_format import GridFormat
from scoopi.synced_files import replace_synced
from scoopi.version import __version__

_METADATA = ".dist-info"


def report_of_unbegun(began: datetime, folder: Path, run: str = "") -> RunReport:
    """The report of a node that was stopped before it began the run: it has nothing to publish.

    Args:
        folder: the run's folder, or the output folder if the run has none yet.
    """
    now = datetime.now().astimezone()
    return RunReport(
        run=run,
        folder=str(folder),
        status=RunStatus.STOPPED,
        started=began,
        ended=now,
        seconds=(now - began).total_seconds(),
        jobs=JobCounts(left=None),
        publish_note="it was stopped before this node began",
    )


class RunView(msgspec.Struct, frozen=True):
    """The keys of `run.json`, in this order."""

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
    skipped: tuple[Cause, ...] = ()
    dropped: dict[str, int] = {}
    unmet: tuple[str, ...] = ()
    changes: dict[str, ChangeCounts] = {}
    retries: Retries = Retries()
    loads: dict[str, LoadCounts] = {}
    budgets: tuple[str, ...] = ()
    files: FileCounts = FileCounts()
    fields: tuple[FieldFigures, ...] = ()
    awaiting: tuple[str, ...] = ()
    time: dict[str, float] = {}
    tasks: dict[str, float] = {}
    slowest: tuple[EntryTime, ...] = ()
    definitions: str = ""
    grids: dict[str, GridFormat] = {}
    versions: dict[str, str] = {}

    @classmethod
    def of(
        cls, report: RunReport, incarnation: str, awaiting: tuple[str, ...], versions: dict[str, str]
    ) -> RunView:
        """What is written of a run that has ended.

        Args:
            incarnation: incarnation of the run.
            awaiting: nodes whose rows are still missing.
            versions: what the rows may depend on.
        """
        shared = _shared(report)
        return cls(**shared, incarnation=incarnation, awaiting=awaiting, time=report.times, versions=versions)

    def report_over(self, folder: Path) -> RunReport:
        """The report of a run that is over, from what was written about it."""
        over = {
            "folder": str(folder),
            "status": RunStatus.DONE,
            "ended": self.ended or datetime.now().astimezone(),
            "times": self.time,
            "publish_note": ALREADY_OVER,
        }
        return RunReport(**{**_shared(self), **over})


_SHARED = [name for name in RunView.__struct_fields__ if name in RunReport.__struct_fields__]


def _shared(of: RunView | RunReport) -> dict[str, Any]:
    """The values that both a report and its view have under the same name."""
    return {name: getattr(of, name) for name in _SHARED}


class RunPlace(msgspec.Struct, frozen=True):
    """Which run a node takes part in, and where its files are.

    Attributes:
        run: its id.
        folder: its folder.
        incarnation: incarnation of the run.
        definitions: path of the definitions, absolute.
        grids: output -> the format of its file, if that has rows of a grid.
        resume: the command that continues the run.
        retry: the command that runs its failed tasks again; empty if that cannot be done.
        was_over: whether the run was ending or over when this node joined, so that there is nothing to run.
        is_alone: whether it is a run on one machine.
    """

    run: str
    folder: Path
    incarnation: str
    resume: str
    was_over: bool = False
    is_alone: bool = False
    retry: str = ""
    definitions: str = ""
    grids: Mapping[str, GridFormat] = MappingProxyType({})


class RunFile:
    """Writes and reads `run.json`, this node's view of the run.

    The file is replaced by a rename, so that a reader always sees a complete one.

    Args:
        keeps_own: whether this node also keeps a copy in its hidden folder, since nodes may share the run's
            folder, whose file is that of the node that wrote last.
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
        for causes in (known["errors"], known["warnings"], known["skipped"]):
            for cause in causes:
                del cause["example"]["cause"]
                if cause["example"]["attempts"] == 1:
                    del cause["example"]["attempts"]
                if not cause["example"]["status"]:
                    del cause["example"]["status"]
                if causes is not known["warnings"] or cause["example"]["message"] == cause["cause"]:
                    del cause["example"]["message"]  # that of a warning holds its figures
        text = msgspec.json.format(msgspec.json.encode(known), indent=2) + b"\n"
        for path in self._paths:
            if view.ended is None:  # of a running run, which `resume` writes again
                self._temporary.write_bytes(text)
                self._temporary.replace(path)
            else:
                replace_synced(path, text, self._temporary)

    def finished(self, run: str, folder: Path) -> RunReport:
        """The report of a run that is over and that its cluster has forgotten.

        It has what the file says, or no figures if there is no file that can be read.
        """
        view, now = self.read(), datetime.now().astimezone()
        if view is None:
            return RunReport(run, str(folder), RunStatus.DONE, now, now, publish_note=ALREADY_OVER)
        return msgspec.structs.replace(view.report_over(folder), run=run)

    def read(self) -> RunView | None:
        """What this node wrote last; None if there is no file, or none that can be read."""
        try:
            known = msgspec.json.decode(self._paths[0].read_bytes())
            for cause in (*known["errors"], *known["warnings"], *known.get("skipped", ())):
                cause["example"] = {"message": cause["cause"], "cause": cause["cause"]} | cause["example"]
            return converted(known, RunView)
        except (OSError, msgspec.MsgspecError, KeyError, TypeError):
            return None


@cache
def versions() -> Mapping[str, str]:
    """Versions that the rows may depend on, by name; the first call takes a while."""
    packages = ("lxml", "selectolax", "pycurl", "quickjs-ng")
    return {
        "scoopi": __version__,
        "python": platform.python_version(),
        **{name: installed_version(name) for name in packages},
    }


def installed_version(package: str, path: Sequence[str] | None = None) -> str:
    """The version of an installed package, by the name of its metadata's folder.

    Importing `importlib.metadata` and parsing the metadata takes 20 ms; only a package that was installed
    without such a folder needs it.

    Args:
        path: folders to look in; those of `sys.path` by default.
    Raises:
        PackageNotFoundError: it is not installed.
    """
    begin = package.replace("-", "_") + "-"
    for folder in sys.path if path is None else path:
        with suppress(OSError):  # sys.path may name anything
            for name in os.listdir(folder or "."):
                if name.startswith(begin) and name.endswith(_METADATA):
                    return name[len(begin) : -len(_METADATA)]
    from importlib import metadata

    return metadata.version(package)
