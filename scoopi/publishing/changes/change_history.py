"""ChangeHistory: finds the last finished run of the same definitions, and keeps the state of this one."""

from __future__ import annotations

import contextlib
import functools
import secrets
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from scoopi.errors import AppenderError
from scoopi.outputs.output_spec import OutputSpec
from scoopi.publishing.changes.change_state import ChangeState, StateHeader
from scoopi.publishing.changes.record_changes import RecordChanges
from scoopi.publishing.output_file import TEMPORARIES
from scoopi.synced_files import sync_file, sync_folder

STATE, BASE = "changes.db", "changes.base"
"""Files in the hidden folder of a run: its records, and the name of the run they are compared with."""


class ChangeHistory:
    """Finds the last finished run of the same definitions, and keeps the state of this one.

    A run is always compared with the same earlier run, even if it is published again after a crash or
    `retry`.

    Args:
        hidden: the hidden folder of the run.
        definitions: the path of its definitions.
        is_selection: whether the run reads only a part of the definitions.
    """

    def __init__(self, hidden: Path, definitions: str, *, is_selection: bool = False) -> None:
        self._hidden = hidden
        self._definitions = definitions
        self._is_selection = is_selection

    def base(self) -> Path | None:
        """The file of the state that this run is compared with; None if it is the first run.

        The first call chooses the run that finished last, and notes its name in the hidden folder.

        Raises:
            AppenderError: the run it was compared with before has been removed.
        """
        note = self._hidden / BASE
        if not note.exists():
            name = self._newest()
            temporary = note.with_name(f"{BASE}.tmp")
            temporary.write_text(name)
            sync_file(temporary)
            temporary.replace(note)
        name = note.read_text()
        if not name:
            return None
        state = self._state_of(name)
        if not state.exists():
            raise AppenderError(
                f"the run {name}, with which this one is compared, has been removed",
                at=str(note),
                hint="restore its folder, or remove this file to compare with the newest run that is left",
            )
        return state

    @contextlib.contextmanager
    def compared(self, outputs: Sequence[OutputSpec], work_folder: Path) -> Iterator[RecordChanges]:
        """Compare the records of this run within the `with` block.

        Args:
            work_folder: folder for the state of this run until it is complete.
        Raises:
            AppenderError: see `base`; or a state cannot be read or written.
        """
        file = work_folder / TEMPORARIES.replace("*", secrets.token_hex(6))
        try:
            with ChangeState(file, self.base(), is_new=True) as state:
                keep = functools.partial(self._keep, state, file)
                yield RecordChanges(state, outputs, keep, is_selection=self._is_selection)
        finally:
            file.unlink(missing_ok=True)

    def _keep(self, state: ChangeState, file: Path) -> None:
        """Complete the state of this run and give it its final name; the next run is compared with it."""
        own = self._hidden / STATE
        finished = time.time()
        if own.exists():
            with ChangeState(own) as earlier:
                finished = earlier.about().finished
        state.complete(StateHeader(self._definitions, (self._hidden / BASE).read_text(), finished))
        state.close()
        sync_file(file)
        file.replace(own)
        sync_folder(self._hidden)

    def _newest(self) -> str:
        """The name of the run that finished last; empty if none has."""
        runs = list(self._finished())
        return max(runs)[1] if runs else ""

    def _finished(self) -> Iterator[tuple[float, str]]:
        run = self._hidden.parent
        for folder in run.parent.iterdir():
            file = self._state_of(folder.name)
            if folder.name == run.name or folder.is_symlink() or not file.is_file():
                continue
            with ChangeState(file) as state:
                about = state.about()
            if about.definitions == self._definitions:
                yield about.finished, folder.name

    def _state_of(self, run: str) -> Path:
        return self._hidden.parent.parent / run / self._hidden.name / STATE
