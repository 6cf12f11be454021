"""Each live worker has a name of its own, also over stores that several machines share."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from scoopi.errors import UsageError
from scoopi.model.schedule.schedule_records import WorkerRecord
from scoopi.serve.wake_ups import WakeUp
from scoopi.serve.workers.worker_name import WorkerName, dead_workers, home_of
from scoopi.serve.workers.worker_registry import WorkerRegistry
from tests.serve.conftest import Deployed

ONE = "processes: {p: {executes: external:x}}"


def test_a_second_worker_of_a_host_gets_the_next_name_and_a_free_one_is_used_again(tmp_path: Path) -> None:
    first, second = WorkerName(tmp_path, None), WorkerName(tmp_path, None)
    assert second.name == f"{first.name}-2"
    first.close()
    assert WorkerName(tmp_path, None).name == first.name


def test_a_name_that_a_live_worker_has_is_refused(tmp_path: Path) -> None:
    held = WorkerName(tmp_path, "press")
    with pytest.raises(UsageError, match="worker press is live"):
        WorkerName(tmp_path, "press")
    held.close()
    WorkerName(tmp_path, "press").close()


def test_a_state_folder_has_one_id(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    assert home_of(tmp_path) == home_of(tmp_path) != home_of(tmp_path / "other")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "other"]


def test_workers_of_two_folders_over_one_store_have_different_names(
    deployed: Deployed, tmp_path: Path
) -> None:
    registry, record = WorkerRegistry(deployed(ONE).store), WorkerRecord(worker="", incarnation="a")
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    first, second = (WorkerName(folder, None, registry, record) for folder in folders)
    assert second.name == f"{first.name}-2"
    with pytest.raises(UsageError, match=f"worker {first.name} is live"):
        WorkerName(folders[1], first.name, registry, record)
    first.close()
    assert WorkerName(folders[0], None, registry, record).name == first.name, (
        "a restarted one has its name at once"
    )


def test_a_worker_is_dead_if_nobody_listens_under_its_name_in_its_own_folder(tmp_path: Path) -> None:
    home = home_of(tmp_path)
    record = WorkerRecord(worker="w", incarnation="", home=home, beat=1)
    assert dead_workers(tmp_path, [record]) == {"w"}
    pipe = WakeUp(tmp_path, "w")
    assert dead_workers(tmp_path, [record]) == frozenset()
    pipe.close()
    elsewhere, stopped = replace(record, home="other"), replace(record, state="lost")
    assert dead_workers(tmp_path, [elsewhere, stopped, replace(record, home="")]) == frozenset()
