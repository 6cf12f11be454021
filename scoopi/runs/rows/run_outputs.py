"""RunOutputs: reads the rows that a finished run has written."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from scoopi.defs.locators.row_file import COMPRESSIONS, RowFile
from scoopi.defs.locators.row_source import RowSource
from scoopi.errors import DefsError
from scoopi.model.report.run_report import RunStatus
from scoopi.model.text.shown import did_you_mean
from scoopi.outputs.extras import ensure_libraries
from scoopi.outputs.formats.written_rows import READABLE, SEEKABLE, written_rows
from scoopi.outputs.output_spec import HELD, file_of_node
from scoopi.outputs.target import parse_target
from scoopi.plugins.encoders.grid_format import GridFormat
from scoopi.runs.folders.run_state import HIDDEN
from scoopi.runs.run_file import RunFile, RunView

_NAMES = "name its folder, its id, `latest`, or its definitions"
_DATABASES = ("sqlite:", "postgresql:", "postgres:")
_COPIED_AT_ONCE = 1 << 20
_SHOWN = 100
"""The most characters of a name in a message."""


class RunOutputs:
    """Reads the rows that a finished run has written.

    Args:
        output: the folder that holds the runs' folders.
    """

    def __init__(self, output: Path) -> None:
        self._output = output

    def rows(self, source: RowSource) -> Iterator[Sequence[str]]:
        """The names of the columns of an output, then the values of each row.

        Raises:
            DefsError: there is no such run, it is not finished, or it has no such file.
        """
        try:
            found, grid = self._found(source)
        except OSError as error:  # such as a name that is too long, or a folder without rights
            named = f"{source.output[:_SHOWN]} of the run {source.run[:_SHOWN]}"
            raise DefsError(f"{named} cannot be looked up: {error.strerror}", hint=_NAMES) from None
        yield from _records(found, source.output) if grid is None else _of_grid(found, grid)

    def _found(self, source: RowSource) -> tuple[list[Path], GridFormat | None]:
        """The files of an output, and their format if they are those of a grid."""
        run = self._run(source.run)
        view = _view(run)
        if view is None or view.status != RunStatus.DONE:
            what = f"the run {run} is not finished" + (f": it is {view.status}" if view else "")
            raise DefsError(what, hint=f"wait for it, or continue it with `scoopi resume {run}`")
        if view.awaiting:
            what = f"rows of {', '.join(view.awaiting)} are not published yet in the run {run}"
            raise DefsError(what, hint="start these nodes again")
        nodes = sorted(each.name for each in (run / HIDDEN).iterdir() if each.is_dir())
        named = [source.output, *(file_of_node(source.output, node) for node in nodes)]
        found = [run / name for name in named if (run / name).is_file()]
        if not found:
            raise _missing(run, source.output)
        return found, view.grids.get(source.output)

    def _run(self, named: str) -> Path:
        """The folder of a run."""
        for path in (Path(named), self._output / named):
            if (path / HIDDEN).is_dir():
                return path.resolve()
        definitions = Path(named).absolute()
        if not definitions.exists():
            raise DefsError(f"there is no run {named} in {self._output}", hint=_NAMES)
        runs = [(view.ended, run) for run, view in self._finished() if view.definitions == str(definitions)]
        if not runs:
            what = f"no run of {named} in {self._output} is finished"
            raise DefsError(what, hint=f"run it with `scoopi {named}`, or name another folder with --output")
        return max(runs, key=lambda each: (each[0] is not None, each))[1]

    def _finished(self) -> Iterator[tuple[Path, RunView]]:
        for run in self._output.glob("[!.]*"):
            view = None if run.is_symlink() else _view(run)
            if view is not None and view.status == RunStatus.DONE:
                yield run.resolve(), view


def _records(files: list[Path], output: str) -> Iterator[Sequence[str]]:
    """The columns, then the records of the files of all nodes, in the format of the output."""
    target = parse_target(output)
    ensure_libraries(target)
    columns: Sequence[str] = ()
    for path in files:
        rows = _written(path, target.format) if target.format in READABLE else _delimited(path)
        found = next(rows, columns)
        if found and not columns:
            columns = found
            yield columns
        if found != columns:
            what = f"{path.name} has other columns than {files[0].name}"
            raise DefsError(what, hint="run the definitions again")
        yield from rows
    if not columns:
        what = f"{output} has no records, and so does not name its columns"
        raise DefsError(what, hint="let the run write a .csv file, too, which has them without records")


def _delimited(path: Path) -> Iterator[Sequence[str]]:
    file = RowFile(path)
    yield file.columns()
    yield from file.rows()


def _written(path: Path, format_name: str) -> Iterator[Sequence[str]]:
    """The rows of a file, which is read in the form that Scoopi writes."""
    rows = RowFile(path, suffix=".txt")
    known: tuple[type[Exception], ...] = (ValueError, *rows.errors())
    try:
        with rows.opened() as file:
            if format_name not in SEEKABLE or path.suffix not in COMPRESSIONS:
                yield from written_rows(format_name, file)
                return
            with tempfile.TemporaryFile() as plain:
                shutil.copyfileobj(file, plain, _COPIED_AT_ONCE)
                plain.seek(0)
                yield from written_rows(format_name, plain)
    except known as error:
        raise _other(path, error) from None


def _of_grid(files: list[Path], grid: GridFormat) -> Iterator[Sequence[str]]:
    if not grid.columns:
        what = f"{files[0].name} has rows of tasks with different columns, or of a plugin"
        raise DefsError(what, hint="let one task write a file of its own")
    yield grid.columns
    for path in files:
        try:
            yield from grid.rows(RowFile(path, suffix=".txt").lines())
        except ValueError as error:
            raise _other(path, error) from None


def _other(path: Path, error: Exception) -> DefsError:
    return DefsError(f"the file is not as the run has written it: {error}", at=str(path))


def _view(run: Path) -> RunView | None:
    return RunFile(run, run / HIDDEN).read()


def _missing(run: Path, output: str) -> DefsError:
    if (run / f"{output}{HELD}").exists():
        what = f"{output} of the run {run.name} is held back, as its records are not as expected"
        return DefsError(what, hint=f"look at {run}/{output}{HELD}, and run it again")
    known = sorted(each.name for each in run.iterdir() if each.is_file() and each.name != "run.json")
    hint = did_you_mean(output, known, f"it has {', '.join(known) or 'no files'}")
    if "://" in output and not output.startswith(_DATABASES):
        hint = "it was uploaded: let the run write a file, too, or download it and write `from: FILE`"
    elif ":" in output:
        hint = "write { database: …, query: … } for a table"
    return DefsError(f"the run {run.name} has no output {output}", hint=hint)
