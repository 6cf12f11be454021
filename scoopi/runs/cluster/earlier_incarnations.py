"""EarlierIncarnations: rows in a run's folder of an incarnation that its cluster no longer knows."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import ExitStack

from scoopi.errors import RunError, StoreError
from scoopi.publishing.output_file import OutputSpec, of_node
from scoopi.runs.folders.node_folder import NodeFolder
from scoopi.runs.folders.run_state import NodeState

log = logging.getLogger(__name__)


class EarlierIncarnations:
    """A run's folder holds rows of one incarnation of the run, whichever nodes share it.

    Make it before the run record is read: what a node's folder names by then was in the record before.

    Args:
        folder: this node's.
    Source: ARCHITECTURE, protocol rule 11.
    """

    def __init__(self, folder: NodeFolder) -> None:
        self._folder = folder
        self._known = folder.known_states()

    def saw_over(self, now: str | None) -> bool:
        """Whether this node saw such an incarnation over; for a new node: whether all others did.

        Args:
            now: the run's incarnation in the cluster; None: it knows none.
        """
        earlier, node = self._earlier(now), self._folder.node
        asked = {node} & earlier.keys() if node in self._known else earlier.keys()
        return bool(asked) and all(earlier[each].over for each in asked)

    def refuse(self, now: str | None) -> None:
        """Refuse to start beside such rows, as nobody could know which of them count.

        Raises:
            RunError: there are some.
        """
        if earlier := self._earlier(now):
            raise RunError(
                f"the cluster does not know the run that rows here (of {', '.join(earlier)}) belong to: "
                "it was lost, or is older than the retention",
                at=str(self._folder.path),
                hint="its files stay as they are; --discard-lost moves them aside and starts the run again",
            )

    def set_aside(self, now: str | None, outputs: Sequence[OutputSpec]) -> None:
        """Move what such incarnations left to a folder of its own, this node's first.

        Raises:
            StoreError: another node is still running with such rows; try again.
            RunError: it cannot be moved.
        """
        earlier, own = self._earlier(now), self._folder.node
        for node in sorted(earlier, key=lambda node: node != own):
            files = [spec.file for spec in (*of_node(outputs, node), *outputs)]
            with ExitStack() as opened:
                owner = self._folder if node == own else opened.enter_context(self._stopped(node))
                if owner.known_states().get(node) == earlier[node]:  # it may have started again meanwhile
                    log.warning("earlier rows of node %s were moved to %s", node, owner.set_aside(files))

    def _earlier(self, now: str | None) -> dict[str, NodeState]:
        return {node: state for node, state in self._known.items() if state.run != now}

    def _stopped(self, node: str) -> NodeFolder:
        other = self._folder.beside(node)
        if other is None:
            raise StoreError(
                f"node {node} is still running with rows of an earlier incarnation of this run",
                hint="stop it",
            )
        return other
