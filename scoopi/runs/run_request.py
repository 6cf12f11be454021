"""RunRequest: what the caller asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import IO

from scoopi.errors import UsageError
from scoopi.model.report.run_report import Progress

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")
"""Also `s3:/bucket`, which is what is left of an address that was a path for a while."""


def unheard(_: str) -> None:
    """What is told to nobody."""


def output_folder(output: str | PathLike[str]) -> Path:
    """The folder that somebody names with `--output`.

    Raises:
        UsageError: it is the address of something else, which would become a folder called `s3:`.
    """
    text = fspath(output)
    address = _ADDRESS.match(text)
    if address:
        hint = "name a folder of this machine; copy its files where you want them when the run is done"
        raise UsageError(f"--output {address[1]}://… is an address: rows cannot be written there", hint=hint)
    return Path(text)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A run to be begun, or gone on with.

    Attributes:
        defs: folder or file of definitions; None to go on with a run.
        run: the run to go on with: its folder, or its id under `output`; None for the newest unfinished.
            With definitions and a cluster: the name of the run to join.
        made_up: runs that are over, and whose rows this node has published since it was started.
        anew: rows of a run that the cluster has lost are put aside, and it is begun anew.
        output: the folder that holds the runs' folders.
        to_stdout: rows go to stdout, once, at the end; then `output` is the default one.
        stdout: as it was when the run was asked for, whatever is put in its place while plugins run.
        conf: a file of settings.
        overrides: settings given one by one.
        workers: as `scoopi.workers`; None leaves it to the settings.
        environ: the environment.
        watch: is told the progress.
        tell: is told what one who looks on should know at once, in a line.
        is_stopped: asked while others are waited for, before there is an engine to be cancelled.
    """

    defs: Path | None = None
    run: str | None = None
    made_up: frozenset[str] = frozenset()
    anew: bool = False
    output: Path = Path("output")
    to_stdout: bool = False
    stdout: IO[bytes] | None = None
    conf: Path | None = None
    overrides: Mapping[str, str] = field(default_factory=dict)
    workers: str | None = None
    environ: Mapping[str, str] = field(default_factory=dict)
    watch: Callable[[Progress], None] | None = None
    tell: Callable[[str], object] = unheard
    is_stopped: Callable[[], bool] = lambda: False

    def for_definitions(self, defs: Path | None) -> RunRequest:
        """A new run of these definitions.

        Raises:
            UsageError: there are none.
        """
        if defs is None:
            raise UsageError("no definitions were given", hint="name their folder")
        return replace(self, defs=defs)

    def after(self, run: str) -> RunRequest:
        """The same, by a node that has published its rows of a run which is over."""
        return replace(self, made_up=self.made_up | {run})

    def for_run(self, run: str | None) -> RunRequest:
        """Going on with a run."""
        return replace(self, defs=None, run=run)
