"""Bad settings start no run: the error, where it was set, the likely name; exit 3, or 2 for wrong usage."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bad_input.town import Town
from tests.engine.workspace import Workspace


def test_an_unknown_key_names_the_nearest_known_one(workspace: Workspace, town: Town) -> None:
    ended = workspace.scoopi("run", "defs", "-D", "scoopi.loader.fetch.dealy=5")
    assert ended.code == 3
    assert "-D scoopi.loader.fetch.dealy: scoopi.loader.fetch.dealy is not a setting" in ended.err
    assert "did you mean scoopi.loader.fetch.delay?" in ended.err
    assert not (workspace.folder / "output").exists()


def test_an_unknown_key_ends_a_real_process_with_3(workspace: Workspace, town: Town) -> None:
    ended = workspace.process("run", "defs", "-D", "scoopi.wokers=2")
    assert (ended.code, ended.out) == (3, "")
    assert "did you mean scoopi.workers?" in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("given", "domain"),
    [
        ("scoopi.loader.fetch.delay=soon", "got 'soon'"),
        ("scoopi.loader.fetch.parallelism=0", "got '0'"),
        ("scoopi.fact.blank.replace=maybe", "got 'maybe'"),
        ("scoopi.datastore.enable=sometimes", "got 'sometimes'"),
        ("scoopi.dateTimePattern=QQQ", "got 'QQQ'"),
        ("scoopi.webClient.timeout=", "got ''"),
    ],
)
def test_a_bad_value_is_reported_with_what_is_wanted(
    workspace: Workspace, town: Town, given: str, domain: str
) -> None:
    key = given.partition("=")[0]
    workspace.settings = {}
    ended = workspace.scoopi("run", "defs", "-D", given)
    assert ended.code == 3
    assert f"-D {key}: {key} needs " in ended.err
    assert domain in ended.err
    assert "correct it, or remove it" in ended.err
    assert not (workspace.folder / "output").exists()


@pytest.mark.parametrize("command", ["run", "check", "config"])
def test_every_verb_refuses_an_unknown_key(workspace: Workspace, town: Town, command: str) -> None:
    words = [command] if command == "config" else [command, "defs"]
    assert workspace.scoopi(*words, "-D", "scoopi.wokers=2").code == 3


def test_a_setting_without_value_is_wrong_usage(workspace: Workspace, town: Town) -> None:
    ended = workspace.scoopi("run", "defs", "-D", "scoopi.workers")
    assert ended.code == 2
    assert "-D scoopi.workers is not KEY=VALUE" in ended.err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "my.yml: the settings cannot be read: No such file or directory"),
        (b"scoopi: [ 1", "my.yml:2:1: the file is not YAML"),
        (b"\xff\xfe\x00\x01\x02", "my.yml: the file is not UTF-8 text"),
        (
            b"scoopi.workers: 2\nscoopi.workers: 3\n",
            "my.yml:2:17: scoopi.workers is set twice, first in line 1",
        ),
        (b"scoopi:\n  workers: many\n", "my.yml:2:12: scoopi.workers needs "),
        (
            b"scoopi:\n  wokers: 2\n",
            "my.yml:2:11: scoopi.wokers is not a setting; did you mean scoopi.workers?",
        ),
    ],
)
def test_a_bad_file_of_settings_is_reported_with_its_place(
    workspace: Workspace, town: Town, content: bytes | None, said: str
) -> None:
    if content is not None:
        Path("my.yml").write_bytes(content)
    ended = workspace.scoopi("run", "defs", "--conf", "my.yml")
    assert ended.code == 3
    assert said in ended.err
    assert not (workspace.folder / "output").exists()


def test_all_faults_of_all_sources_are_in_one_report(workspace: Workspace, town: Town) -> None:
    Path("my.yml").write_text("scoopi: { wokers: 2, script: { timeout: long } }\n")
    ended = workspace.scoopi("run", "defs", "--conf", "my.yml", "-D", "scoopi.regex.timeot=1")
    assert ended.code == 3
    assert "3 errors in the settings" in ended.err
    for said in ("scoopi.workers?", "scoopi.script.timeout needs", "scoopi.regex.timeout?"):
        assert said in ended.err
