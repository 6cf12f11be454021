"""Run control: what is asked of runs, or done to them, from outside: figures, cancel, forget, politeness."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scoopi.configs.given import SettingValue, as_texts
from scoopi.runs.run_request import RunRequest

if TYPE_CHECKING:
    from scoopi.model.report.host_pace import RunPace
    from scoopi.model.report.run_figures import ClusterFigures


def cluster_figures(
    run: str | None,
    configs: Mapping[str, SettingValue],
    *,
    conf: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> ClusterFigures:
    """The state of one run of a cluster, or of all of its runs when none is named.

    Raises:
        ClusterError: no member of the cluster (`scoopi.cluster.addresses`) answers.
        RunError: the cluster does not know the run.
        ConfigError, UsageError: the settings are wrong, or do not name a cluster.
    """
    from scoopi.runs.cluster.cluster_desk import ClusterDesk

    with ClusterDesk(_asking(configs, conf, environ)) as desk:
        return desk.figures(run)


def politeness(runs: Sequence[str], output: Path) -> RunPace:
    """What each host of a run has seen of it; of the newest run when none is named, see `run_pace`.

    Raises:
        UsageError, RunError: there is no such run in the output folder, or its log cannot be read.
    """
    from scoopi.runs.run_pace import run_pace

    return run_pace(runs, output)


def cancel_run(
    run: str,
    configs: Mapping[str, SettingValue],
    *,
    conf: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> bool:
    """Ask all nodes of a cluster's run to shut down gracefully; does not wait for them.

    Returns:
        False when the run is ending or over.
    Raises:
        As `cluster_figures`.
    """
    from scoopi.runs.cluster.cluster_desk import ClusterDesk

    with ClusterDesk(_asking(configs, conf, environ)) as desk:
        return desk.cancel(run)


def forget_run(
    run: str,
    configs: Mapping[str, SettingValue],
    *,
    is_sure: Callable[[Sequence[str]], bool] = lambda nodes: False,
    conf: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> bool:
    """Remove all that a cluster keeps of a run; output files stay.

    Args:
        is_sure: called with the ids of the nodes that still work on the run, if there are any.
    Returns:
        False when nothing was removed.
    Raises:
        As `cluster_figures`.
    """
    from scoopi.runs.cluster.cluster_desk import ClusterDesk

    with ClusterDesk(_asking(configs, conf, environ)) as desk:
        return desk.forget(run, is_sure)


def _asking(
    configs: Mapping[str, SettingValue],
    conf: Path | None,
    environ: Mapping[str, str] | None,
) -> RunRequest:
    environ = os.environ if environ is None else environ
    return RunRequest(conf=conf, overrides=as_texts(configs), environ=environ)
