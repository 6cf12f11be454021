"""A spec has all that a supervisor needs: program, inputs, environment and folder."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from scoopi.errors import DefsError
from scoopi.model.schedule.process import Executes, Probe, Process
from scoopi.model.schedule.schedule_records import AttemptRecord, JobRecord
from scoopi.serve.claims.claim import Claim
from scoopi.serve.work.attempt_environment import AttemptEnvironment, attempt_folder, key_of_folder
from scoopi.store.schedule.record_keys import record_key
from tests.scheduler.scenarios.records import attempt_of
from tests.serve.conftest import NOW

JOB = JobRecord(process="p", slot="!1", state="in_progress", phase="active", created=NOW, changed=NOW)
ATTEMPT = attempt_of(created=NOW, fence=4, inputs={"day": "1"})


def spec(folder: Path, attempt: AttemptRecord = ATTEMPT, **executes: Any) -> dict[str, Any]:
    project = folder / "project"
    project.mkdir(exist_ok=True)
    process = Process(name="p", mode="manual", executes=Executes(**executes))
    environment = AttemptEnvironment(
        folder / "work", folder, folder, {}, {"PATH": "/usr/bin:/bin", "SECRET": "s3"}
    )
    return environment.spec(Claim(attempt), JOB, process, project)


def test_a_program_of_the_project_comes_before_one_of_path(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project/ls").write_text("#!/bin/sh\n")
    words = ("ls", "${ day }", "$HOME")
    assert spec(tmp_path, kind="command", what=words)["argv"] == [str(tmp_path / "project/ls"), "1", "$HOME"]
    assert spec(tmp_path, kind="command", what=("sh",))["argv"][0] in ("/usr/bin/sh", "/bin/sh")


def test_a_program_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DefsError, match="program bin/load was not found"):
        spec(tmp_path, kind="command", what=("bin/load",))


def test_inputs_are_in_a_file_that_the_environment_names(tmp_path: Path) -> None:
    env = spec(tmp_path, kind="command", what=("sh",), env={"TOKEN": "${env:SECRET}"})["env"]
    assert json.loads(Path(env["SCOOPI_INPUTS"]).read_text()) == {"day": "1"}
    assert (env["SCOOPI_ATTEMPT"], env["SCOOPI_FENCE"], env["TOKEN"]) == ("p/!1/1", "4", "s3")


def test_secrets_are_in_no_file(tmp_path: Path) -> None:
    spec(tmp_path, kind="command", what=("sh",), env={"TOKEN": "${env:SECRET}"})
    files = [path for path in (tmp_path / "work").rglob("*") if path.is_file()]
    assert files
    assert not any(b"s3" in path.read_bytes() for path in files)


def test_the_work_starts_in_its_own_folder_or_in_the_project(tmp_path: Path) -> None:
    own = spec(tmp_path, kind="python", what=("m:f",))
    assert (own["cwd"], own["call"]) == (own["folder"], "m:f")
    assert spec(tmp_path, kind="python", what=("m:f",), cwd="project")["cwd"] == str(tmp_path / "project")


def test_a_secret_input_reaches_a_function_and_variables_but_neither_arguments_nor_files(
    tmp_path: Path,
) -> None:
    secret = msgspec.structs.replace(ATTEMPT, inputs={"day": "1", "token": "${env:SECRET}"})
    given = spec(tmp_path, secret, kind="python", what=("a:b",), env={"TOKEN": "Bearer ${ token }"})
    assert given["inputs"] == {"day": "1", "token": "s3"}
    assert given["env"]["TOKEN"] == "Bearer s3"
    assert json.loads(Path(given["env"]["SCOOPI_INPUTS"]).read_text()) == {"day": "1"}
    with pytest.raises(DefsError, match=r"executes.command: unknown name 'token'"):
        spec(tmp_path, secret, kind="command", what=("ls", "${ token }"))


def test_a_crash_while_a_claim_begins_loses_nothing_of_an_earlier_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class CrashError(BaseException):
        pass

    def crash(path: Path, text: str, **options: Any) -> None:
        path.open("w").close()
        raise CrashError

    spec(tmp_path, kind="command", what=("sh",))
    run = attempt_folder(tmp_path / "work", ATTEMPT) / "run"
    run.touch()
    with monkeypatch.context() as crashing:
        crashing.setattr(Path, "write_text", crash)
        with pytest.raises(CrashError):
            spec(tmp_path, kind="command", what=("sh",))
    spec(tmp_path, kind="command", what=("sh",))
    assert run.exists()


def test_the_folder_of_a_removed_job_is_not_that_of_one_that_is_created_again(tmp_path: Path) -> None:
    folder = Path(spec(tmp_path, kind="command", what=("sh",))["folder"])
    (folder / "log").write_text("old")
    spec(tmp_path, kind="command", what=("sh",))
    assert (folder / "log").read_text() == "old", "the same attempt finds what it has done"
    again = replace(ATTEMPT, created=NOW + timedelta(days=900))
    assert spec(tmp_path, again, kind="command", what=("sh",))["folder"] == str(folder)
    assert not (folder / "log").exists()


def test_the_key_of_an_attempt_follows_from_its_folder() -> None:
    for slot in ("!1", "@2026-01-01T00:00:00Z", "H:2026010101"):
        attempt = replace(ATTEMPT, slot=slot, process="shop.books")
        assert key_of_folder(attempt_folder(Path("work"), attempt).name) == record_key(attempt)
    assert key_of_folder("notes") == ""


def test_what_is_asked_before_the_work_stands_in_its_order(tmp_path: Path) -> None:
    probes = (Probe(path_exists="rows/${ day }"), Probe(python="a:ready"), Probe(constant=True))
    process = Process(
        name="p",
        mode="managed",
        executes=Executes(kind="python", what=("a:b",)),
        prepare="a:prepare",
        probe=(*probes, Probe(path_exists="/${ slot.key }")),
        new_input="a:is_new",
    )
    (tmp_path / "project").mkdir()
    environment = AttemptEnvironment(tmp_path / "work", tmp_path, tmp_path / "here", {}, {})
    asked = [
        {"prepare": "a:prepare"},
        {"path": f"{tmp_path}/here/rows/1"},
        {"python": "a:ready"},
        {"path": "/!1"},
    ]

    def checks(number: int, job: JobRecord = JOB) -> list[dict[str, str]]:
        claim = Claim(replace(ATTEMPT, number=number))
        found: list[dict[str, str]] = environment.spec(claim, job, process, tmp_path / "project")["checks"]
        return found

    assert checks(2) == [{"new_input": "a:is_new"}, *asked]
    assert checks(ATTEMPT.number) == asked
    assert checks(3, replace(JOB, state="final_run")) == asked
    assert checks(2, replace(JOB, failures=1)) == asked
