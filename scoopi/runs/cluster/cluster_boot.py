"""ClusterBoot: connects a node to its cluster and joins its run, with retries."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import datetime

from scoopi.configs.configs import Configs
from scoopi.configs.groups import ClusterSettings, MetricsSettings, OutputSettings
from scoopi.errors import ConfigError, RecordError, StoppedError, StoreError, UsageError
from scoopi.metrics.metrics_server import MetricsServer
from scoopi.metrics.node_endpoints import NodeEndpoints
from scoopi.metrics.node_view import JoiningNode
from scoopi.model.report.run_report import RunReport
from scoopi.outputs.output_spec import OutputSpec
from scoopi.runs.cluster.run_joining import RunJoining
from scoopi.runs.cluster.run_name import valid_name
from scoopi.runs.composed import Composed
from scoopi.runs.run_context import RunContext
from scoopi.runs.run_file import report_of_unbegun
from scoopi.runs.run_request import RunRequest
from scoopi.store.retries import given_up
from scoopi.store.shared_backend import SharedBackend, open_backend
from scoopi.store.store_outage import StoreOutage

log = logging.getLogger(__name__)

RETRY_S = 0.5
"""Seconds between two attempts to join."""


class ClusterBoot:
    """Connects a node to its cluster and joins its run, with retries.

    See docs/cluster.md, "Which run a node joins", and ARCHITECTURE, protocol rules 8, 9 and 11.

    Args:
        opened: closes what this opens.
        node: incarnation of this process.
    """

    def __init__(
        self,
        request: RunRequest,
        settings: ClusterSettings,
        opened: ExitStack,
        node: str,
    ) -> None:
        self._request = request
        self._settings = settings
        self._opened = opened
        self._node = node
        self._began = datetime.now().astimezone()
        self._waits = JoiningNode()
        self._run = RunJoining(request, settings, node, self._waits)

    def join(
        self, mine: Composed, configs: Configs, outputs: tuple[OutputSpec, ...]
    ) -> RunContext | RunReport:
        """Join the run; the first node that comes composes it, the others use what it composed.

        Args:
            mine: what this node would compose.
            configs: the given settings over the defaults.
            outputs: the outputs of the definitions, under the names that they have on one machine.
        Returns:
            The opened run. If there is nothing to run, its report: the run was completed here, and the
            cluster has forgotten it since; or this node was stopped before it joined.
        Raises:
            ClusterError: the cluster cannot be reached, or the quorum did not come together.
            DefsError, ConfigError: this node's definitions, plugins or given settings are not the run's.
            RunError: the cluster has lost the run, or its folder cannot be used.
            StoreError: the cluster is connected, but its calls have failed for longer than
                `scoopi.cluster.reconnect.timeout`.
        """
        _ensure_seen_by_all(OutputSettings.of(configs))
        _ensure_compared(OutputSettings.of(configs), outputs)
        if self._request.run is not None:
            valid_name(self._request.run)  # before the cluster is asked, which takes its time
        self._opened.enter_context(MetricsServer(MetricsSettings.of(configs), NodeEndpoints(self._waits)))
        try:
            backend = self._connected()
            return self.joined_with_retries(
                lambda opened: self._run.join(backend, opened, mine, configs, outputs)
            )
        except StoppedError:
            return self._stopped()

    def _connected(self) -> SharedBackend:
        store = self._settings.store
        wanted = (
            f"members of the cluster {self._settings.name}"
            if store is None
            else f"the database {store.shown}"
        )
        self._waits.waits(f"it looks for {wanted}")
        backend = open_backend(self._settings, self._node, self._request.is_stopped)
        self._opened.callback(backend.close)
        return backend

    def joined_with_retries(
        self, join: Callable[[ExitStack], RunContext | RunReport]
    ) -> RunContext | RunReport:
        """Call `join` until it succeeds; each of its steps may be repeated, so a store error restarts it.

        Raises:
            StoppedError: the node was stopped while the store failed.
            StoreError: the store has failed for longer than `scoopi.cluster.reconnect.timeout`.
            RecordError: the store has a record that cannot be decoded.
        """
        timeout_s = self._settings.reconnect_timeout_ms / 1000
        give_up, first_at, outage = None, time.monotonic(), StoreOutage.of("joining")
        while True:
            began_at = time.monotonic()
            try:
                with ExitStack() as opened:  # closes what a failed attempt has opened, as a lock
                    joined = join(opened)
                    outage.over()
                    self._opened.push(opened.pop_all())
                    return joined
            except RecordError:
                raise
            except StoreError as error:
                failed_at = time.monotonic()
                # A store that never answered: the client itself would have given up in an attempt that long.
                if give_up is None or failed_at - began_at > timeout_s:
                    give_up = failed_at + timeout_s
                if self._request.is_stopped():
                    raise StoppedError from error
                if failed_at > give_up:
                    raise given_up(error, "joining", failed_at - first_at) from error
                outage.failed(error)
                self._waits.waits(error.what)
            time.sleep(RETRY_S)  # nothing notifies of its return

    def _stopped(self) -> RunReport:
        """The report of a node that was stopped before it began the run: it has nothing to publish."""
        folder = self._run.folder
        if folder is None:
            return report_of_unbegun(self._began, self._request.output)
        return report_of_unbegun(self._began, folder, folder.name)


def ensure_fits(request: RunRequest) -> None:
    """Reject a request that only a run on one machine can fulfil.

    Raises:
        UsageError: the request is of that kind.
    """
    if request.to_stdout:
        raise UsageError("--output - is for runs on one machine", hint="name a folder with --output")
    if request.limit is not None:
        raise UsageError("--limit is for runs on one machine", hint="leave out --limit or --cluster")


def _ensure_compared(output: OutputSettings, outputs: Sequence[OutputSpec]) -> None:
    changed = next((spec.output for spec in outputs if spec.changes), None)
    if changed is not None and not output.merge:
        raise ConfigError(
            f"{changed} has only what has changed, and each node would compare its own records only",
            at="scoopi.output.merge",
            hint="set scoopi.output.merge to true and scoopi.output.durability to shared",
        )


def _ensure_seen_by_all(output: OutputSettings) -> None:
    if output.merge and output.durability != "shared":
        raise ConfigError(
            "one file of all rows needs a folder that all nodes see",
            at="scoopi.output.merge",
            hint="set scoopi.output.durability to shared, or leave merge out",
        )
