"""A damaged or locked-up file of a run's folder: exit 5, a message that names it, and nothing is changed."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.engine.workspace import Workspace
from tests.reliability.world import build_world

Damage = Callable[[Path], object]
"""Damages the node's hidden folder."""
RESTORE = "its files stay as they are: restore this one, or start a new run"
NEW_RUN = "the file is damaged: keep the run's folder as it is, and start a new run"
RIGHTS = "give this user the right to"


@pytest.fixture
def node(workspace: Workspace, tmp_path: Path) -> Path:
    """The hidden folder of the node of a run that is not over."""
    world = build_world(tmp_path / "world", 2, 1)
    assert workspace.scoopi("run", world.defs, "--workers", 0).code == 0
    (state,) = workspace.run_folder().glob(".scoopi/*/node.json")
    state.write_text(json.dumps({**json.loads(state.read_text()), "over": False}))
    return state.parent


def _changed(*statements: str) -> Damage:
    def damage(node: Path) -> None:
        with closing(sqlite3.connect(node / "store.db")) as connection, connection:
            for each in statements:
                connection.execute(each)

    return damage


def _written(name: str, content: bytes) -> Damage:
    return lambda node: (node / name).write_bytes(content)


def _a_folder(name: str) -> Damage:
    def damage(node: Path) -> None:
        (node / name).unlink()
        (node / name).mkdir()

    return damage


def _cut(node: Path) -> None:
    content = (node / "store.db").read_bytes()
    (node / "store.db").write_bytes(content[: len(content) // 2])


DAMAGES: dict[str, tuple[Damage, str, str, str]] = {
    # what is damaged: (how, the file that is named, what is wrong, the hint)
    "store, garbage": (_written("store.db", b"garbage" * 999), "store.db", "file is not a database", NEW_RUN),
    "store, cut off": (_cut, "store.db", "database disk image is malformed", NEW_RUN),
    "store, empty": (_written("store.db", b""), "store.db", "records are lost", RESTORE),
    "store, gone": (lambda node: (node / "store.db").unlink(), "store.db", "records are lost", RESTORE),
    "store, a folder": (_a_folder("store.db"), "store.db", "unable to open database file", ""),
    "store, of another schema": (
        _changed("ALTER TABLE jobs RENAME COLUMN state_key TO state_kay"),
        "store.db",
        "it does not have the tables of a store",
        NEW_RUN,
    ),
    "store, without a table": (
        _changed("DROP TABLE ended"),
        "store.db",
        "it does not have the tables of a store",
        NEW_RUN,
    ),
    "store, without its version": (
        _changed("PRAGMA user_version=0"),
        "store.db",
        "it does not have the tables of a store",
        NEW_RUN,
    ),
    "store, of a later version": (
        _changed("PRAGMA user_version=99"),
        "store.db",
        "the store has version 99",
        "the Scoopi that started it",
    ),
    "what was composed": (
        _changed("UPDATE run SET value = x'c1' WHERE key = 'composed/setup'"),
        "store.db, run['composed/setup']",
        "the run's store is damaged",
        RESTORE,
    ),
    "record of the run": (
        _changed("UPDATE run SET value = x'c1' WHERE key = 'run'"),
        "store.db, run['run']",
        "the run's store is damaged",
        RESTORE,
    ),
    "state, garbage": (_written("node.json", b"{torn"), "node.json", "it is damaged", RESTORE),
    "state, empty": (_written("node.json", b""), "node.json", "it is damaged", RESTORE),
    "state, of other types": (_written("node.json", b'{"run": 3}'), "node.json", "it is damaged", RESTORE),
    "state, gone": (lambda node: (node / "node.json").unlink(), "node.json", "No such file", RESTORE),
    "state, a folder": (_a_folder("node.json"), "node.json", "Is a directory", RESTORE),
    "lock, a folder": (_a_folder("../lock"), "lock", "Is a directory", RESTORE),
}


@pytest.mark.parametrize("named", [False, True], ids=["newest", "named"])
@pytest.mark.parametrize(("damage", "file", "what", "hint"), DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_file_is_named_and_left_as_it_is(
    workspace: Workspace, node: Path, damage: Damage, file: str, what: str, hint: str, named: bool
) -> None:
    damage(node)
    before = _contents(workspace.run_folder())
    ended = workspace.scoopi("resume", *([workspace.run_folder().name] if named else []))
    assert ended.code == 5, ended.err
    (message,) = ended.err.splitlines()
    assert f"/.scoopi/{node.name if file != 'lock' else ''}".rstrip("/") + f"/{file}: " in message
    assert what in message
    assert hint in message
    assert _contents(workspace.run_folder()) == before


@pytest.mark.parametrize(
    ("locked", "at", "hint"),
    [
        ("output", "output", "give this user the right to read it"),
        ("run", "output/{run}", RIGHTS),
        ("run/.scoopi", "output/{run}", RIGHTS),
        ("run/.scoopi/node", "output/{run}/.scoopi/{node}", RIGHTS),
        ("run/.scoopi/lock", "output/{run}/.scoopi/lock", RIGHTS),
        ("run/.scoopi/node/node.json", "output/{run}/.scoopi/{node}/node.json", RIGHTS),
        ("run/.scoopi/node/store.db", "output/{run}/.scoopi/{node}/store.db", RIGHTS),
    ],
)
def test_what_may_not_be_read_is_named(
    workspace: Workspace, node: Path, locked: str, at: str, hint: str
) -> None:
    run = workspace.run_folder().name
    path = workspace.folder / "output" / locked.replace("node", node.name, 1).replace("run", run, 1)
    path = path.parent if locked == "output" else path
    mode = path.stat().st_mode
    path.chmod(0)
    try:
        ended = workspace.process("resume", powerless=True)
    finally:
        path.chmod(mode)
    assert ended.code == 5, ended.err
    assert f"scoopi: {at.format(run=run, node=node.name)}" in ended.err
    assert hint in ended.err


def test_damage_of_one_run_keeps_no_other_from_being_resumed(workspace: Workspace, node: Path) -> None:
    damaged = workspace.folder / "output" / "99991231-235959-ffff"
    shutil.copytree(workspace.run_folder(), damaged)
    (damaged / ".scoopi" / node.name / "node.json").write_bytes(b"{torn")
    ended = workspace.scoopi("resume", "--workers", 0)
    assert ended.code == 0, ended.err
    assert f"output/{damaged.name} is passed over: " in ended.err
    assert f"output/{damaged.name}/.scoopi/{node.name}/node.json: the run's state cannot be read" in ended.err
    assert "done in" in ended.err


def test_segments_that_are_damaged_are_named(workspace: Workspace, node: Path) -> None:
    for segment in (node / "segments").iterdir():
        segment.write_bytes(b"garbage" * 999)
    ended = workspace.scoopi("resume", "--workers", 0)
    assert ended.code == 5
    segments = f"output/{workspace.run_folder().name}/.scoopi"
    assert f"segments below {segments} are damaged or missing" in ended.err


def _contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
