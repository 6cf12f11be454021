"""Functions that show, cancel and remove runs of other processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scoopi.configs.given import SettingValue, as_texts
from scoopi.errors import UsageError
from scoopi.runs.run_request import RunRequest

if TYPE_CHECKING:
    from scoopi.model.report.request_figures import RunRequestFigures
    from scoopi.model.report.run_figures import ClusterFigures
    from scoopi.runs.rows.run_rows_reader import RunRowsReader


def cluster_figures(
    run: str | None,
    configs: Mapping[str, SettingValue],
    *,
    conf: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> ClusterFigures:
    """Read the state of a run of a cluster, without changing it.

    Args:
        run: its name; None: all runs of the cluster.
        configs: settings, by key; they name the cluster.
        conf: a file of settings.
        environ: the environment variables; by default those of the process.
    Raises:
        ClusterError: no member of the cluster (`scoopi.cluster.addresses`) answers.
        RunError: the cluster has no such run.
        ConfigError, UsageError: the settings are wrong, or do not name a cluster.
    """
    from scoopi.runs.cluster.cluster_admin import ClusterAdmin

    with ClusterAdmin(_asking(configs, conf, environ)) as admin:
        return admin.figures(run)


def politeness(runs: Sequence[str], output: Path) -> RunRequestFigures:
    """Return the requests of a run to each host, and how they were answered; see `read_request_figures`.

    Args:
        runs: the run's folder, or its id in `output`; several folders of a cluster's run, one per node; if
            empty, the newest run.
        output: the folder that holds the runs' folders.

    Raises:
        UsageError, RunError: there is no such run in the output folder, or its log cannot be read.
    """
    from scoopi.runs.request_figures_reader import read_request_figures

    return read_request_figures(runs, output)


def rows_of_run(
    run: str | None,
    name: str | None,
    configs: Mapping[str, str],
    *,
    output: Path = Path("output"),
    conf: Path | None = None,
    environ: Mapping[str, str],
) -> RunRowsReader:
    """Return the reader of a run's rows.

    Args:
        run: its folder, or its id in `output`; None: the newest run.
        name: the output whose rows are read; None: the only one.
        configs: settings by key; for a run of a cluster they name the cluster.
        output: the folder that holds the runs' folders.
        conf: a file of settings.
        environ: the environment variables.
    Raises:
        UsageError: there is no such run.
        RunError: its files cannot be read.
    """
    from scoopi.runs.rows.run_rows_reader import RunRowsReader

    request = RunRequest(conf=conf, overrides=configs, environ=environ)
    return RunRowsReader(_folder_of(output, run), name, request)


def cancel_run(
    run: str,
    configs: Mapping[str, SettingValue],
    *,
    conf: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> bool:
    """Request the graceful shutdown of all nodes of a cluster's run; does not wait for them.

    Args:
        run: its name.
        configs, conf, environ: see `cluster_figures`.
    Returns:
        False if the run is ending or over.
    Raises:
        As `cluster_figures`.
    """
    from scoopi.runs.cluster.cluster_admin import ClusterAdmin

    with ClusterAdmin(_asking(configs, conf, environ)) as admin:
        return admin.cancel(run)


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
        run: its name.
        is_sure: called with the ids of the nodes that still work on the run, if there are any; nothing is
            removed if it returns False.
        configs, conf, environ: see `cluster_figures`.
    Returns:
        False when nothing was removed.
    Raises:
        As `cluster_figures`.
    """
    from scoopi.runs.cluster.cluster_admin import ClusterAdmin

    with ClusterAdmin(_asking(configs, conf, environ)) as admin:
        return admin.forget(run, is_sure)


def _asking(
    configs: Mapping[str, SettingValue],
    conf: Path | None,
    environ: Mapping[str, str] | None,
) -> RunRequest:
    environ = os.environ if environ is None else environ
    return RunRequest(conf=conf, overrides=as_texts(configs), environ=environ)


def _folder_of(output: Path, run: str | None) -> Path:
    from scoopi.runs.folders.run_state import folder_of_run, newest_run

    if run is None:
        newest = newest_run(output)
        if newest is None:
            raise UsageError(f"there is no run in {output}", hint="name the folder of a run")
        return newest
    return folder_of_run(run, output).resolve()
