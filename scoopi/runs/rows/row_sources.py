"""RowSources: finds the rows that the `from` of locators names."""

from __future__ import annotations

import csv
import errno
import io
import tempfile
import weakref
from collections.abc import Iterable, Sequence

from scoopi.defs.locators.row_file import RowFile, is_stdin
from scoopi.defs.locators.row_source import RowSource
from scoopi.defs.scrape.checkers import Fault
from scoopi.errors import ScoopiError
from scoopi.fetch.file_client import FileFinder
from scoopi.runs.rows.defs_files import kept_stdin, path_of
from scoopi.runs.rows.query_rows import QueryLimits, query_rows
from scoopi.runs.rows.run_outputs import RunOutputs


class RowSources:
    """Finds the rows that the `from` of locators names.

    Definitions are read twice, for the check and for the run, which must see the same rows. So standard input
    and the rows of queries and runs are copied to a file without a name, which lasts as long as this object.

    Args:
        files: finds files that definitions name.
        runs: reads outputs of runs.
        limits: when a query is given up; when `is_stopped` returns true, the rest of standard input is, too.
    """

    def __init__(self, files: FileFinder, runs: RunOutputs, limits: QueryLimits | None = None) -> None:
        self._files = files
        self._limits = limits or QueryLimits()
        self._runs = runs
        self._found: dict[RowSource, RowFile | Fault] = {}

    def find(self, source: RowSource) -> RowFile | Fault:
        """Where the rows of a source can be read, or why they cannot."""
        if source not in self._found:
            try:
                self._found[source] = self._rows(source)
            except ScoopiError as error:
                what = f"{error.at}: {error.what}" if error.at else error.what
                self._found[source] = Fault(what, error.hint)
            except OSError as error:
                what = f"its rows cannot be read or kept: {error.strerror or error}"
                does = "free space in" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "check the folder"
                self._found[source] = Fault(what, f"{does} {tempfile.gettempdir()}, or set TMPDIR")
        return self._found[source]

    def _rows(self, source: RowSource) -> RowFile | Fault:
        if source.query:
            return self._kept(
                source.name, query_rows(source.database, source.query, self._files, self._limits)
            )
        if source.run:
            return self._kept(source.name, self._runs.rows(source))
        if is_stdin(source.file):
            kept = kept_stdin(self._limits.is_stopped)
            return kept if isinstance(kept, Fault) else RowFile(kept, source.file)
        return RowFile(self._files.find(source.file))

    def _kept(self, name: str, rows: Iterable[Sequence[str]]) -> RowFile:
        """Rows in a file without a name; the first one has the names of the columns."""
        kept = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the rows are in use
        text = io.TextIOWrapper(kept, encoding="utf-8", newline="")
        try:
            csv.writer(text, delimiter="\t", lineterminator="\n").writerows(rows)
        except BaseException:
            text.close()
            raise
        text.detach()
        weakref.finalize(self, kept.close)
        return RowFile(path_of(kept), name, ".tsv")
