"""read_request_figures: how a run has treated its hosts, from the log files of its nodes on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scoopi.errors import RunError, UsageError
from scoopi.model.report.request_figures import RunRequestFigures
from scoopi.politeness.request_log import PREFIX, SUFFIX, read_logs
from scoopi.runs.folders.run_state import HIDDEN


def read_request_figures(names: Sequence[str], output: Path) -> RunRequestFigures:
    """The figures of a run; also while it is running.

    Args:
        names: the folder of a run, or its id in the output folder; empty for the newest run there. For a run
            of a cluster, the folders of all nodes that have their own: each logs only its own requests.
        output: the output folder.
    Raises:
        UsageError: there is no such run.
        RunError: its files cannot be read.
    """
    folders = list(dict.fromkeys(_folder(name, output) for name in names or (None,)))
    folder = folders[0]
    try:
        files = sorted({file for each in folders for file in (each / HIDDEN).rglob(f"{PREFIX}*{SUFFIX}")})
        nodes = tuple(sorted({file.parent.name for file in files}))
        return RunRequestFigures(str(folder), len(files), nodes, read_logs(files))
    except (OSError, ValueError, IndexError) as error:
        hint = "the figures are lost; the run itself does not need them"
        raise RunError(f"the log of requests cannot be read: {error}", at=str(folder), hint=hint) from error


def _folder(name: str | None, output: Path) -> Path:
    if name is not None:
        for folder in (Path(name), output / name):
            if (folder / HIDDEN).is_dir():
                return folder
        raise UsageError(f"there is no run {name}", hint=f"name a folder in {output}")
    runs = (path.parent for path in output.glob(f"[!.]*/{HIDDEN}") if not path.parent.is_symlink())
    newest = max(runs, key=lambda path: path.stat().st_mtime, default=None)
    if newest is None:
        raise UsageError(f"there is no run in {output}", hint="name the run's folder, or give --output DIR")
    return newest
