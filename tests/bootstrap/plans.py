"""plan_of: the plan of a worker for definitions given as text."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from scoopi.bootstrap.defs_composer import DefsComposer
from scoopi.plugins.builtins import finder_of
from scoopi.runs.composed import WorkerPlan
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.run_request import RunRequest


def plan_of(folder: Path, definitions: str, settings: dict[str, str] | None = None) -> WorkerPlan:
    """Compose definitions as a run does, from a file in the folder and with these settings."""
    source = folder / "defs.yml"
    source.write_text(definitions)
    configs = ConfigsComposer(RunRequest(overrides=settings or {}, environ={})).compose()
    composed = DefsComposer(configs, finder_of(source, folder), folder).compose(source)
    return WorkerPlan(
        msgspec.structs.replace(composed, locator_groups={}),
        configs.composed(),
        datetime.now(UTC),
        str(folder),
        str(source),
        is_cluster=False,
        secrets=configs.secrets,
    )
