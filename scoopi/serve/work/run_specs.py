"""run_specs: the name, the folder and the settings by which the nodes of an attempt form one run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from scoopi.configs.configs_reader import ConfigsReader
from scoopi.errors import DefsError
from scoopi.model.schedule.process import Process
from scoopi.model.schedule.schedule_records import AttemptRecord
from scoopi.model.text.store_url import StoreKind, StoreUrl
from scoopi.store.schedule.record_keys import job_key

RUNS = ".runs"
"""The folder beside the slots of a process in which nodes of its attempts work together."""
NEEDS_STORE = (
    "scoopi serve --store hazelcast://… or postgresql://… lets nodes share a run; or leave nodes out"
)
_CLUSTER = "scoopi.cluster."
_NAME_LENGTH = 80


def run_settings(url: StoreUrl | None, environ: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Return the settings with which the nodes of a run join the store of the scheduler's records.

    Args:
        url: the store; None for a file of this machine, for which there are no settings.
        folder: the folder whose `conf/scoopi.yml` has the settings of the connection; paths in that file are
            relative to it.
    """
    if url is None:
        return {}
    if url.kind is StoreKind.POSTGRESQL:
        return {f"{_CLUSTER}store": url.text}
    configs = ConfigsReader().read({f"{_CLUSTER}addresses": url.hosts}, None, environ, folder)
    found = {key: entry.written for key, entry in configs.given.items() if key.startswith(_CLUSTER)}
    files = {f"{_CLUSTER}tls.{name}" for name in ("ca", "certificate", "key")}
    return {
        key: str(configs.path(key, folder)) if key in files else text
        for key, text in found.items()
        if text is not None
    }


def run_name(attempt: AttemptRecord) -> str:
    """Return the name of the run of an attempt.

    It is unique: attempts of a job that was removed and created again have the same ids, but not this name.
    """
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", attempt.attempt)[:_NAME_LENGTH].strip("-.")
    own = f"{attempt.attempt} {attempt.created.isoformat()}"
    return f"{readable}-{blake2b(own.encode(), digest_size=4).hexdigest()}"


def folder_name(attempt: AttemptRecord) -> str:
    """Return the name of an attempt's folder, without `/` and other characters special in paths."""
    return f"{job_key(attempt.job).replace('/', '~')}~{attempt.number:06}"


def runs_folder(output: Path, process: Process) -> Path:
    """Return the folder in which nodes of a process's attempts work, below one that all workers share."""
    return output / process.output / process.name / RUNS


def run_spec(
    attempt: AttemptRecord, node: int, process: Process, output: Path, settings: Mapping[str, str]
) -> dict[str, Any]:
    """Return the part of a spec that makes its scrape a node of a run.

    Args:
        output: what the output folders of processes are relative to.
        settings: as `run_settings` gives them.
    Raises:
        DefsError: the records are a file of this machine, which nodes cannot share.
    """
    if not settings:
        what = f"executes: {process.executes.nodes} nodes need a store that they share"
        raise DefsError(what, at=str(process.place), hint=NEEDS_STORE)
    return {
        "name": run_name(attempt),
        "node": node,
        "folder": str(runs_folder(output, process) / folder_name(attempt)),
        "settings": {
            **settings,
            f"{_CLUSTER}node": str(node),
            f"{_CLUSTER}quorum.size": "1",
            # The rows of a node stay if it ends, and all rows are in the files that one node would write.
            "scoopi.output.durability": "shared",
            "scoopi.output.merge": "true",
        },
    }
