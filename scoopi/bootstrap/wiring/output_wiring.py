"""OutputWiring: which segments are published under which names, according to the settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from injector import inject

from scoopi.configs.groups import OutputSettings
from scoopi.engine.shutdown import StopTime
from scoopi.publishing.output_file import of_node
from scoopi.publishing.publisher import Publisher
from scoopi.publishing.run_rows import OwnRows, RunRows
from scoopi.runs.folders.node_folder import LOST_PREFIX
from scoopi.runs.run_context import RunContext
from scoopi.store.nodes.barricade import Barricade
from scoopi.store.nodes.departure import Departure
from scoopi.store.pages.job_store import JobStore
from scoopi.store.runs.run_record import RunRecord


class OutputWiring:
    """Makes the publishers of a node. Source: docs/output.md.

    Args:
        stop: cuts publishing and waiting for other nodes short.
    """

    @inject
    def __init__(self, context: RunContext, jobs: JobStore, record: RunRecord, stop: StopTime) -> None:
        self._context = context
        self._jobs = jobs
        self._record = record
        self._stop = stop
        self._settings = OutputSettings.of(context.configs)

    def publisher(self) -> Publisher:
        """Of this node's own rows."""
        context = self._context
        return Publisher(
            context.folder.path,
            context.folder.node_folder,
            self._jobs,
            context.outputs,
            context.owns,
            context.stream,
            is_lost=self._is_lost,
            is_late=self._stop.is_up,
        )

    def rows(self, publisher: Publisher, departure: Departure) -> RunRows:
        """What is written at the run's end.

        Args:
            publisher: of this node's own rows.
        """
        own = OwnRows(publisher, departure, self._context.was_over, in_parts=self._context.stream is None)
        if self._merges:
            from scoopi.publishing.shared_rows import MergedRows  # late: for nodes that share a folder

            return MergedRows(self._of_all(), self._barricade("merge"), departure, self._is_stopped)
        if self._context.cluster is not None and self._settings.durability == "shared":
            from scoopi.publishing.shared_rows import SharedRows

            return SharedRows(own, self._of_lost, self._barricade, departure, self._is_stopped)
        return own

    @property
    def _merges(self) -> bool:
        return self._context.cluster is not None and self._settings.merge

    def _of_all(self) -> Publisher:
        context = self._context
        return Publisher(
            context.folder.path,
            context.folder.node_folder,
            self._jobs,
            context.plain_outputs,
            segments=self._segments_of_all,
            is_lost=self._is_lost,
            is_late=self._stop.is_up,
        )

    def _of_lost(self, node: str) -> Publisher:
        """Its work files are in this node's folder: a node that returns meanwhile is not disturbed."""
        context = self._context
        segments = context.folder.node_folder.parent / node / "segments"
        return Publisher(
            context.folder.path,
            context.folder.node_folder,
            self._jobs,
            of_node(context.plain_outputs, node),
            lambda incarnation: (segments / f"{incarnation}.seg").exists(),
            segments=lambda: segments.glob("*.seg"),
            is_lost=self._is_lost,
            is_late=self._stop.is_up,
        )

    def _segments_of_all(self) -> Iterator[Path]:
        for file in self._context.folder.node_folder.parent.glob("*/segments/*.seg"):
            if not file.parents[1].name.startswith(LOST_PREFIX):
                yield file

    def _barricade(self, name: str) -> Barricade:
        context = self._context
        assert context.cluster is not None, "on one machine nothing is shared"
        return Barricade(
            context.store, f"{name}/{context.run}", context.node, context.cluster.liveness_gap_ms
        )

    def _is_stopped(self) -> bool:
        return self._stop.is_asked

    def _is_lost(self) -> bool:
        return self._record.lost(self._context.run)
