"""FormerLives: rows in a run's folder that belong to a life of the run which its cluster no longer knows."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import ExitStack

from scoopi.errors import RunError, StoreError
from scoopi.publishing.output_file import OutputSpec
from scoopi.publishing.outputs import of_node
from scoopi.runs.folders.node_folder import NodeFolder
from scoopi.runs.folders.run_state import NodeState

log = logging.getLogger(__name__)


class FormerLives:
    """A run's folder holds rows of one incarnation of the run, whichever nodes share it.

    To be made before the run record is read: what a node's folder names by then stood in the record before.

    Args:
        folder: this node's.
    Source: ARCHITECTURE, protocol rule 11.
    """

    def __init__(self, folder: NodeFolder) -> None:
        self._folder = folder
        self._known = folder.known_states()

    def saw_over(self, now: str | None) -> bool:
        """Whether this node saw such a life over; of one that is new here: whether all the others did.

        Args:
            now: the run's incarnation in the cluster; None: it knows none.
        """
        former, node = self._former(now), self._folder.node
        asked = {node} & former.keys() if node in self._known else former.keys()
        return bool(asked) and all(former[each].over for each in asked)

    def refuse(self, now: str | None) -> None:
        """Begin nothing beside such rows: nobody could tell which of them count.

        Raises:
            RunError: there are some.
        """
        if former := self._former(now):
            raise RunError(
                f"the cluster does not know the run that rows here (of {', '.join(former)}) belong to: "
                "it was lost, or is older than the retention",
                at=str(self._folder.path),
                hint="its files stay as they are; --discard-lost moves them aside and starts the run again",
            )

    def set_aside(self, now: str | None, outputs: Sequence[OutputSpec]) -> None:
        """Move what such lives left to a folder of its own, this node's first.

        Raises:
            StoreError: a node still runs over it, and finds out soon, or is to begin anew too; try again.
            RunError: it cannot be moved.
        """
        former, own = self._former(now), self._folder.node
        for node in sorted(former, key=lambda node: node != own):
            files = [spec.file for spec in (*of_node(outputs, node), *outputs)]
            with ExitStack() as opened:
                owner = self._folder if node == own else opened.enter_context(self._stopped(node))
                if owner.known_states().get(node) == former[node]:  # it may have begun anew meanwhile
                    log.warning("what node %s had before is in %s now", node, owner.set_aside(files))

    def _former(self, now: str | None) -> dict[str, NodeState]:
        return {node: state for node, state in self._known.items() if state.run != now}

    def _stopped(self, node: str) -> NodeFolder:
        other = self._folder.beside(node)
        if other is None:
            raise StoreError(f"node {node} still runs over rows of a former life of this run", hint="stop it")
        return other
