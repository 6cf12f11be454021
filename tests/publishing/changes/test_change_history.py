"""ChangeHistory: which run a run is compared with."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scoopi.errors import AppenderError
from scoopi.publishing.changes.change_history import BASE, STATE, ChangeHistory
from tests.publishing.changes.test_record_changes import SPEC, frame, publish


def history(output: Path, run: str, definitions: str = "/defs") -> ChangeHistory:
    hidden = output / run / ".scoopi"
    hidden.mkdir(parents=True, exist_ok=True)
    return ChangeHistory(hidden, definitions)


def test_the_first_run_is_compared_with_none(tmp_path: Path) -> None:
    (tmp_path / "a-file").write_text("")
    (tmp_path / "another-run").mkdir()
    assert history(tmp_path, "one").base() is None


def test_the_name_of_the_base_is_on_disk_before_it_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(tmp_path, "one", frame(0, {"Rye": "1"}))
    later = history(tmp_path, "two")
    note = tmp_path / "two" / ".scoopi" / BASE
    synced: list[str] = []

    def noted(descriptor: int) -> None:
        assert not note.exists()
        synced.append(Path(f"/proc/self/fd/{descriptor}").read_text())

    monkeypatch.setattr(os, "fsync", noted)
    later.base()
    assert synced == ["one"]
    assert note.exists()


def test_only_runs_of_the_same_definitions_count(tmp_path: Path) -> None:
    publish(tmp_path, "one", frame(0, {"Rye": "1"}))
    assert history(tmp_path, "two", "/others").base() is None
    assert history(tmp_path, "three").base() == tmp_path / "one" / ".scoopi" / STATE


def test_the_link_to_the_latest_run_is_not_another_run(tmp_path: Path) -> None:
    publish(tmp_path, "one", frame(0, {"Rye": "1"}))
    (tmp_path / "latest").symlink_to("one")
    assert history(tmp_path, "two").base() == tmp_path / "one" / ".scoopi" / STATE


def test_a_run_that_was_not_completed_does_not_count(tmp_path: Path) -> None:
    hidden = tmp_path / "one" / ".scoopi"
    with history(tmp_path, "one").compared([SPEC], hidden) as changes:
        changes.of(frame(0, {"Rye": "1"}))
    assert [path.name for path in hidden.iterdir()] == [BASE]
    assert history(tmp_path, "two").base() is None


def test_a_base_that_was_removed_is_an_error_with_a_hint(tmp_path: Path) -> None:
    publish(tmp_path, "one", frame(0, {"Rye": "1"}))
    publish(tmp_path, "two", frame(0, {"Rye": "2"}))
    (tmp_path / "one" / ".scoopi" / STATE).unlink()
    with pytest.raises(AppenderError, match=r"the run one, with which .* removed; restore its folder, or"):
        history(tmp_path, "two").base()


def test_a_damaged_state_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    state = tmp_path / "one" / ".scoopi" / STATE
    state.parent.mkdir(parents=True)
    state.write_bytes(b"not a database" * 100)
    with pytest.raises(AppenderError, match=r"one/\.scoopi/changes\.db: the records .* cannot be read"):
        history(tmp_path, "two").base()
