"""Deployments: what changes, and which definitions passes see."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from shutil import rmtree

import pytest

from scoopi.errors import DefsError, StoreError, UsageError
from scoopi.model.schedule.schedule_records import STATE_FORMAT
from scoopi.scheduler.decisions import changed
from scoopi.serve import bundle
from scoopi.serve.state import State
from tests.serve.conftest import NOW, Deployed


def changes(state: State, folder: Path, text: str, *, dry_run: bool = False) -> list[tuple[str, str]]:
    (folder / "jobs").mkdir(exist_ok=True)
    (folder / "jobs/jobs.yml").write_text(text)
    rows = state.deploy(folder / "jobs", None, NOW, dry_run=dry_run)
    return [(row["change"], row["process"]) for row in rows]


def test_a_deployment_lists_what_is_added_changed_and_removed(deployed: Deployed, tmp_path: Path) -> None:
    state = deployed("processes: {a: {executes: external:x}, b: {executes: external:x}}")
    text = "\n\nprocesses: {b: {executes: external:x}, a: {executes: external:y}, c: {executes: external:x}}"
    assert changes(state, tmp_path, text, dry_run=True) == [("changed", "a"), ("added", "c")]
    assert sorted(state.current()[1].processes) == ["a", "b"]
    assert changes(state, tmp_path, text) == [("changed", "a"), ("added", "c")]
    assert changes(state, tmp_path, text) == []
    assert changes(state, tmp_path, "processes: {c: {executes: external:x}}") == [
        ("removed", "a"),
        ("removed", "b"),
    ]


def test_a_project_with_an_error_stores_nothing(deployed: Deployed, tmp_path: Path) -> None:
    state = deployed("processes: {a: {executes: external:x}}")
    with pytest.raises(DefsError):
        changes(state, tmp_path, "processes: {a: {executes: external:x, retry: 3}}")
    assert list(state.current()[1].processes) == ["a"]


def test_a_large_project_is_kept_in_parts_and_read_by_another_state(
    deployed: Deployed, tmp_path: Path
) -> None:
    (tmp_path / "jobs").mkdir()
    data = bytes(range(256)) * 256 * 40
    (tmp_path / "jobs/data.bin").write_bytes(data)
    state = deployed("processes: {a: {executes: external:x}}")
    name = state.current()[0]
    packed = state.store.bundle(name)
    assert packed is not None
    state.store.put_bundle("0" * 32, packed * 3, NOW, len(packed))
    assert state.store.bundle("0" * 32) == packed * 3
    assert (state.project(name) / "data.bin").read_bytes() == data


def test_a_bundle_that_is_not_stored_is_reported(deployed: Deployed) -> None:
    state = deployed("processes: {a: {executes: external:x}}")
    with pytest.raises(UsageError, match="is not in the store"):
        state.project("f" * 32)


@pytest.mark.parametrize("fault", ["damaged", "missing", "rejected by this version"])
def test_a_project_that_can_no_longer_be_read_is_replaced_by_a_deployment(
    deployed: Deployed, tmp_path: Path, fault: str
) -> None:
    first = "processes: {a: {executes: external:x}, b: {executes: external:x}}"
    name = deployed(first).current()[0]
    deployed("processes: {a: {executes: external:x}}")
    broken = deployed(first).current()[0]
    assert broken == name
    rmtree(tmp_path / "scheduler/bundles")
    with State(tmp_path / "scheduler") as state:
        if fault == "missing":
            assert state.store.remove_bundle(broken, NOW)
        elif fault == "damaged":
            state.store.put_bundle(broken, b"damaged", NOW, 2**20)
        else:
            (tmp_path / "jobs/jobs.yml").write_text("processes: {a: {execute: external:x}}")
            broken, data = bundle.pack(tmp_path / "jobs")
            state.store.put_bundle(broken, data, NOW, 2**20)
            state.store.change_scheduler(lambda old: changed(old, bundle=broken))
        with pytest.raises((StoreError, DefsError, UsageError)):
            state.current()
        repaired = changes(state, tmp_path, first)
        assert repaired == ([] if broken == name else [("changed", "a"), ("changed", "b")])
        assert sorted(state.current()[1].processes) == ["a", "b"]


def test_what_a_deployment_changes_is_assumed_if_the_current_project_is_lost(
    deployed: Deployed, tmp_path: Path
) -> None:
    deployed("processes: {gone: {executes: external:x}, a: {executes: external:x}}")
    state = deployed("processes: {a: {executes: external:x}, b: {executes: external:x}}")
    assert state.store.remove_bundle(state.current()[0], NOW)
    rmtree(tmp_path / "scheduler/bundles")
    with State(tmp_path / "scheduler") as other:
        rows = changes(other, tmp_path, "processes: {a: {executes: external:x}, c: {executes: external:x}}")
        assert rows == [("changed", "a"), ("removed", "b"), ("added", "c")]


def test_the_records_of_a_newer_scoopi_are_refused(deployed: Deployed, tmp_path: Path) -> None:
    state = deployed("processes: {a: {executes: external:x}}")
    assert state.store.scheduler().state_format == STATE_FORMAT
    state.store.change_scheduler(lambda old: changed(old, state_format=STATE_FORMAT + 1))
    with pytest.raises(StoreError, match=r"is of a newer Scoopi: format 2, this one knows 1"):
        State(tmp_path / "scheduler")


HOURLY = 'p: {executes: external:x, trigger: {cron: "0 * * * *"}, catchup: all, catchup_window: 1d}'


def test_the_fires_while_a_process_was_removed_are_not_caught_up(tmp_path: Path) -> None:
    texts = (f"processes: {{{HOURLY}}}", "processes: {q: {executes: external:x}}")
    (tmp_path / "jobs").mkdir()
    with State(tmp_path / "scheduler") as state:

        def deploy(text: str, hour: int) -> list[str]:
            (tmp_path / "jobs/jobs.yml").write_text(text)
            state.deploy(tmp_path / "jobs", None, NOW + timedelta(hours=hour))
            rows = state.passes.run(NOW + timedelta(hours=hour, minutes=30)) or []
            return [str(row["job"]) for row in rows if row["decision"] == "job_made"]

        assert deploy(texts[0], 0) == []
        assert deploy(texts[1], 1) == []
        assert deploy(texts[0], 5) == []
        assert deploy(texts[0], 7) == ["p/@2026-01-01T06:00:00Z", "p/@2026-01-01T07:00:00Z"]


def test_a_project_that_another_node_has_replaced_is_not_deployed_again_by_a_restart(
    deployed: Deployed, tmp_path: Path
) -> None:
    state = deployed("processes: {a: {executes: external:x}}")
    old = (tmp_path / "scheduler/deployed").read_text()
    assert state.replaced_since(tmp_path / "jobs") is None
    deployed("processes: {b: {executes: external:x}}")
    (tmp_path / "jobs/jobs.yml").write_text("processes: {a: {executes: external:x}}")
    assert state.replaced_since(tmp_path / "jobs") is None, "this node has deployed the newer one"
    (tmp_path / "scheduler/deployed").write_text(old)
    assert state.replaced_since(tmp_path / "jobs") == NOW
    (tmp_path / "jobs/jobs.yml").write_text("processes: {c: {executes: external:x}}")
    assert state.replaced_since(tmp_path / "jobs") is None, "the project has changed since"
    assert state.replaced_since(tmp_path / "none") is None, "its check reports that it is missing"


def test_slots_of_an_interval_are_counted_from_a_whole_second(tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs/jobs.yml").write_text("processes: {p: {executes: external:x, trigger: {every: 90s}}}")
    now = NOW.replace(microsecond=383423)
    with State(tmp_path / "scheduler") as state:
        state.deploy(tmp_path / "jobs", None, now)
        state.passes.run(now)
        assert not state.store.active_jobs()
        state.passes.run(now + timedelta(seconds=90))
        assert [*state.store.active_jobs()] == ["p/@2026-01-01T00:01:30Z"]
