"""What was left: rows of an earlier incarnation in a run's folder, and records of crashed runs."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from scoopi.configs.configs import Configs
from scoopi.errors import ConfigError, RecordError, RunError, StoreError
from scoopi.outputs.output_spec import OutputSpec, of_node
from scoopi.publishing.row_tables import RowTables
from scoopi.runs.cluster.run_name import RunName
from scoopi.runs.composed import Composed, read_composed
from scoopi.runs.folders.node_folder import NodeFolder
from scoopi.runs.folders.run_state import NodeFile
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.ports import Store
from scoopi.store.runs.run_registry import RunRegistry
from scoopi.store.runs.run_retention import RunRetention
from scoopi.store.shared_backend import SharedBackend

log = logging.getLogger(__name__)

RETENTION = "scoopi.run.retention"
NOBODY = ""


class LeftOverRuns:
    """Lets the records of runs expire that are over and whose last node crashed before it did that.

    Called by the next node of any run that starts; if it fails, the node after that one does it.

    Args:
        retention_s: for a run whose own setting cannot be read.
    """

    def __init__(
        self, backend: SharedBackend, names: RunName, registry: RunRegistry, retention_s: int
    ) -> None:
        self._backend = backend
        self._names = names
        self._registry = registry
        self._retention_s = retention_s

    def end(self, run: str, maps: str) -> None:
        """Begin the retention of a run that is OVER in these maps, by its own settings."""
        store = self._backend.store(maps)
        try:
            composed = self._composed(store)

            def first() -> None:
                if composed is not None:
                    self._names.pass_over(composed, run)
                self._registry.note_over(run, maps)

            seconds = self._seconds(composed)
            RunRetention(store, seconds, first, lambda: self._registry.note_ends(run, maps)).begin()
        except StoreError as error:
            log.warning("run %s: it is over, and its records do not expire yet: %s", run, error.what)
        else:
            log.info(
                "run %s: it is over, and its last node is gone: its records expire in %d s", run, seconds
            )

    def _composed(self, store: Store) -> Composed | None:
        packed = Barricade(store, "setup", NOBODY).composed()
        try:
            return None if packed is None else read_composed(packed)
        except RecordError:  # of another version
            return None

    def _seconds(self, composed: Composed | None) -> int:
        """The run's retention in seconds; other settings may name variables that only its nodes have."""
        if composed is None:
            return self._retention_s
        try:
            return Configs.from_kept({RETENTION: composed.configs[RETENTION]}, {}).number(RETENTION)
        except (KeyError, ConfigError):
            return self._retention_s


class EarlierIncarnations:
    """Finds rows of earlier incarnations of a run in its folder, which may hold rows of one incarnation only.

    It reads the state files of all nodes in the folder when it is constructed. That must be before the run
    record is read: a node writes an incarnation to its file after it has seen it in the record, so one that
    is in a file and not in a record read afterwards is an earlier one.

    Args:
        folder: the folder of this node.
    Source: ARCHITECTURE, protocol rule 11.
    """

    def __init__(self, folder: NodeFolder) -> None:
        self._folder = folder
        self._known = folder.known_states()

    def saw_over(self, now: str | None) -> bool:
        """Whether an earlier incarnation of the run was completed here.

        Args:
            now: the run's incarnation in the cluster; None if the cluster has no record of the run.
        Returns:
            If this node has a state file: whether it names an earlier incarnation and notes that it is over.
            For a new node: whether there are earlier incarnations, and all their nodes note that.
        """
        earlier, node = self._earlier(now), self._folder.node
        asked = {node} & earlier.keys() if node in self._known else earlier.keys()
        return bool(asked) and all(earlier[each].over for each in asked)

    def refuse(self, now: str | None) -> None:
        """Reject a start beside rows of an earlier incarnation, since it is unknown which of them count.

        Args:
            now: as for `saw_over`.
        Raises:
            RunError: there are such rows.
        """
        if earlier := self._earlier(now):
            raise RunError(
                f"the cluster does not know the run that rows here (of {', '.join(earlier)}) belong to: "
                "it was lost, or is older than the retention",
                at=str(self._folder.path),
                hint="its files stay as they are; --discard-lost moves them aside and starts the run again",
            )

    def set_aside(self, now: str | None, outputs: Sequence[OutputSpec]) -> None:
        """Move the rows of earlier incarnations to a folder of their own, this node's first.

        An incarnation that did not end has perhaps put rows into tables without a key. These are removed:
        the run that starts again would write them a second time.

        Args:
            now: the run's incarnation in the cluster, which is not an earlier one; None if it has none.
            outputs: the outputs of the run; their files are moved, too.
        Raises:
            StoreError: another node is still running with such rows, or a database does not answer; try
                again.
            AppenderError: a database refuses to remove rows.
            RunError: a folder or file cannot be moved.
        """
        earlier, own = self._earlier(now), self._folder.node
        self._discard_rows(earlier, outputs)
        for node in sorted(earlier, key=lambda node: node != own):
            files = [spec.file for spec in (*of_node(outputs, node), *outputs)]
            with ExitStack() as opened:
                owner = self._folder if node == own else opened.enter_context(self._stopped(node))
                if owner.known_states().get(node) == earlier[node]:  # it may have started again meanwhile
                    log.warning("earlier rows of node %s were moved to %s", node, owner.set_aside(files))

    def _discard_rows(self, earlier: Mapping[str, NodeFile], outputs: Sequence[OutputSpec]) -> None:
        """Remove rows of these incarnations from tables, without a lock: nobody uses them."""
        ended = {state.run for state in earlier.values() if state.over}
        for node, state in earlier.items():
            if state.run not in ended:
                tables = RowTables((*of_node(outputs, node), *outputs), Path.cwd(), state.run)
                for name, rows in tables.discard().items():
                    log.warning("%s: %d rows of the lost run were removed from the table", name, rows)

    def _earlier(self, now: str | None) -> dict[str, NodeFile]:
        return {node: state for node, state in self._known.items() if state.run != now}

    def _stopped(self, node: str) -> NodeFolder:
        other = self._folder.beside(node)
        if other is None:
            raise StoreError(
                f"node {node} is still running with rows of an earlier incarnation of this run",
                hint="stop it",
            )
        return other
