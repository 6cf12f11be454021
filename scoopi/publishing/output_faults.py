"""OutputFaults: checks the outputs of tasks that read records, before a run begins."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from scoopi.defs.records.download_language import path_fault_of_nodes
from scoopi.defs.scrape.checkers import Fault
from scoopi.errors import AppenderError, DefsError, StoreError
from scoopi.model.records import RecordSchema
from scoopi.model.scrape.task_def import OutputDef
from scoopi.model.text.file_path import is_object
from scoopi.outputs.extras import ensure_libraries, ensure_store
from scoopi.outputs.output_spec import OutputSpec
from scoopi.outputs.target import Target, parse_target
from scoopi.publishing.row_tables import RowTables


class OutputFaults:
    """Checks the outputs of tasks that read records, before a run begins.

    Remembers the outputs of all tasks, because tasks that write to the same output need the same columns.

    Args:
        table_folder: the folder that paths of SQLite files are relative to; None: tables are not checked.
    """

    def __init__(self, table_folder: Path | None = None) -> None:
        self._table_folder = table_folder
        self._first: dict[str, tuple[str, RecordSchema]] = {}

    def of(self, task: str, output: OutputDef, schema: RecordSchema | None) -> Iterator[DefsError]:
        """Yield an error for each thing that is wrong with one output of a task.

        Args:
            task: its key in the definitions.
            schema: of the records that the task writes; None if it is unknown, so that only the format is
                checked.
        """
        try:
            target = parse_target(output.to)
            ensure_libraries(target)
        except DefsError as error:
            yield error
            return
        if schema is None:
            return
        first, columns = self._first.setdefault(target.name, (task, schema))
        if _shape(columns) != _shape(schema):
            what = f"{first} and {task} write {target.name} with different columns or keys"
            yield DefsError(what, hint="use two outputs, or the same fields")
        elif output.stream and not target.is_database:
            hint = "remove it: files are written at the end of the run"
            yield DefsError(f"stream: true is for databases, and {target.name} is a file", hint=hint)
        elif self._table_folder is not None and target.is_database and _has_key(schema):
            yield from self._of_table(target, schema, self._table_folder)

    def _of_table(self, target: Target, schema: RecordSchema, folder: Path) -> Iterator[DefsError]:
        """Compare a table; a database that does not answer is passed over, as it may when the run begins."""
        spec = OutputSpec(target.name, target.name, target=target, schema=schema)
        try:
            with contextlib.suppress(StoreError, AppenderError):
                RowTables([spec], folder).compare()
        except DefsError as error:
            yield error


def file_path_fault(path: str, *, is_of_cluster: bool) -> Fault | None:
    """What is wrong with the path template of downloaded files; None if nothing is.

    Args:
        path: a syntactically valid template, see `FilePath`.
        is_of_cluster: whether several nodes may take part in the run.
    """
    if is_object(path):
        try:
            ensure_store(path)
        except DefsError as error:
            return Fault(error.what, error.hint)
        return None
    return path_fault_of_nodes(path) if is_of_cluster else None


def _has_key(schema: RecordSchema) -> bool:
    """Whether each field of the key is a column; if not, that is reported where the key is written."""
    return {*schema.key} <= {column.name for column in schema.all_columns}


def _shape(schema: RecordSchema) -> object:
    """What the rows of one output must have in common."""
    return schema.key, [(column.name, column.type, column.is_list) for column in schema.all_columns]
