"""RunRequest: what the caller asks for."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Literal

from scoopi.errors import UsageError
from scoopi.model.inputs import NO_INPUTS, Inputs
from scoopi.model.report.progress import Progress
from scoopi.model.text.shown import as_utf8
from scoopi.runs.rows.query_rows import no_stop

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")
"""Also `s3:/bucket`, which `s3://bucket` becomes once it was read as a path."""


def ignore_notice(_: str) -> None:
    """A `notify` that shows nothing."""


def output_folder(output: str | PathLike[str]) -> Path:
    """The folder that `--output` names.

    Raises:
        UsageError: it is an address such as `s3://bucket`, which would become a folder called `s3:`; or its
            path, or that of the current folder, is not UTF-8, and records of a run cannot hold it.
    """
    text = fspath(output)
    address = _ADDRESS.match(text)
    if address:
        hint = "name a folder of this machine; copy its files where you want them when the run is done"
        raise UsageError(f"--output {address[1]}://… is an address: rows cannot be written there", hint=hint)
    for kind, path in (("current", os.getcwd()), ("output", text)):
        if as_utf8(path) != path:
            hint = "rename it, or use another one"
            raise UsageError(f"the path of the {kind} folder is not UTF-8", at=as_utf8(path), hint=hint)
    return Path(text)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A run to start or to resume.

    Attributes:
        defs: folder or file of definitions; None to resume a run.
        run: the run to resume: its folder, or its id under `output`; None for the newest unfinished one.
            With definitions and a cluster: the name of the run to join.
        failed: empty, or the failed tasks of the run are run again, too. Unless `run` names the run:
            `finished` for the newest finished one; `unfinished` for the newest unfinished one, or the newest
            finished one if there is none.
        published: runs that are over and whose rows this process has published.
        discard_lost: if the cluster has lost the run, move its existing rows aside and start it again.
        output: the folder that holds the runs' folders.
        to_stdout: whether rows go to stdout, once, at the end; then `output` is the default folder.
        stdout: standard output as it was when the run was requested; plugins may replace it.
        inputs: what the definitions' `%{input.NAME}` stand for; of a run to resume, what they must have been.
        conf: a file of settings.
        overrides: settings given one by one: key -> value as text.
        workers: as `scoopi.workers`; None leaves it to the settings.
        limit: number of pages after which the run ends; None for all.
        environ: the environment.
        watch: called with the progress.
        notify: called with one-line notices for the user.
        is_stopped: polled while the node waits for others, before there is an engine to cancel.
        interrupting: a context manager that calls its argument, from another thread, if the run is cancelled
            during the `with` block.
    """

    defs: Path | None = None
    run: str | None = None
    failed: Literal["", "unfinished", "finished"] = ""
    published: frozenset[str] = frozenset()
    discard_lost: bool = False
    output: Path = Path("output")
    to_stdout: bool = False
    stdout: IO[bytes] | None = None
    inputs: Inputs = NO_INPUTS
    conf: Path | None = None
    overrides: Mapping[str, str] = field(default_factory=dict)
    workers: str | None = None
    environ: Mapping[str, str] = field(default_factory=dict)
    watch: Callable[[Progress], None] | None = None
    notify: Callable[[str], object] = ignore_notice
    limit: int | None = None
    is_stopped: Callable[[], bool] = lambda: False
    interrupting: Callable[[Callable[[], object]], AbstractContextManager[object]] = no_stop

    def for_definitions(self, defs: Path | None) -> RunRequest:
        """Return the request for a new run of these definitions.

        Raises:
            UsageError: there are none.
        """
        if defs is None:
            raise UsageError("no definitions were given", hint="name their folder")
        return replace(self, defs=defs)

    def after(self, run: str) -> RunRequest:
        """Return the request with an earlier run added to `published`, as its rows were published."""
        return replace(self, published=self.published | {run})

    def for_run(self, run: str | None, failed: Literal["", "unfinished", "finished"] = "") -> RunRequest:
        """Return the request to resume a run.

        Args:
            run, failed: see the attributes.
        """
        return replace(self, defs=None, run=run, failed=failed)
