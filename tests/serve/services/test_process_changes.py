"""Who changed a process by hand is kept with it: deployments, pauses and intervals."""

from __future__ import annotations

import socket
from datetime import timedelta
from pathlib import Path

from scoopi.model.schedule.schedule_records import ProcessRecord
from scoopi.serve.services.process_changes import MOST_CHANGES, change_here, changed_by_hand
from scoopi.serve.services.process_service import ProcessService
from scoopi.serve.state import State
from tests.serve.conftest import NOW, Deployed

ONE = "processes: {p: {executes: external:x, trigger: {every: 1h}, description: Prints.}}"


def changes(state: State) -> list[tuple[str, str, str | None]]:
    rows = ProcessService(state, NOW).show_process("p")["changes"]
    assert all(row["host"] == socket.gethostname() for row in rows)
    return [(row["change"], row["by"], row["reason"]) for row in rows]


def test_pauses_and_intervals_are_kept_with_their_user_and_reason(deployed: Deployed) -> None:
    state = deployed(ONE)
    (added,) = changes(state)
    ann, bob = ProcessService(state, NOW, "ann"), ProcessService(state, NOW + timedelta(hours=1), "bob")
    ann.pause("p", "its site is down")
    bob.resume("p")
    bob.set_interval("p", timedelta(minutes=10))
    ann.set_interval("p", None)
    assert changes(state) == [
        added,
        ("paused", "ann", "its site is down"),
        ("resumed", "bob", None),
        ("interval", "bob", "10m"),
        ("interval", "ann", "default"),
    ]
    assert bob.show_process("p")["changes"][2]["at"] == "2026-01-01T01:00:00Z"


def test_the_description_of_a_process_is_shown(deployed: Deployed) -> None:
    assert ProcessService(deployed(ONE), NOW).show_process("p")["description"] == "Prints."


def test_a_deployment_is_kept_with_each_process_that_it_changes(deployed: Deployed, tmp_path: Path) -> None:
    state = deployed(ONE)
    project = tmp_path / "other"
    project.mkdir()
    (project / "jobs.yml").write_text(ONE.replace("1h", "2h"))
    for _ in range(2):  # the second one changes nothing
        state.deploy(project, None, NOW, by="bob")
    bundle = state.current()[0]
    assert changes(state)[1:] == [("changed", "bob", f"bundle {bundle[:12]}")]
    (project / "jobs.yml").write_text(ONE.replace("{p:", "{q:"))
    state.deploy(project, None, NOW, by="eve")
    record = state.store.processes()["p"]
    assert [each.change for each in record.changes] == ["added", "changed", "removed"]
    assert [each.by for each in state.store.processes()["q"].changes] == ["eve"]


def test_the_oldest_changes_are_left_out() -> None:
    record = ProcessRecord(name="p", since=NOW)
    for number in range(MOST_CHANGES + 2):
        record = changed_by_hand(record, change_here("paused", NOW, "", str(number)))
    assert (len(record.changes), record.version) == (MOST_CHANGES, MOST_CHANGES + 2)
    assert (record.changes[0].reason, record.changes[0].by) == ("2", "hand")


def test_a_pause_without_a_reason_keeps_that_of_the_pause_before(deployed: Deployed) -> None:
    state = deployed(ONE)
    ann, bob = ProcessService(state, NOW, "ann"), ProcessService(state, NOW, "bob")
    ann.pause("p", "its site is down")
    assert bob.pause("p", "")["paused"] == "its site is down"
    assert bob.pause("p", "still down")["paused"] == "still down"
    assert changes(state)[1:] == [
        ("paused", "ann", "its site is down"),
        ("paused", "bob", None),
        ("paused", "bob", "still down"),
    ]
