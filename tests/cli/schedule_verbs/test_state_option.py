"""`--state` of lists selects by a state, and still names the folder, as it does for other verbs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

import pytest

from scoopi.cli.schedule_verbs.state_option import StateOption, state_folder
from scoopi.errors import ConfigError
from tests.cli.conftest import Screen

JOBS = """
processes:
  a: { executes: external:x }
  b: { executes: external:x }
"""


def parsed(*arguments: str) -> Namespace:
    parser = ArgumentParser(exit_on_error=False)
    parser.add_argument(
        "--state", action=StateOption, states=("failed", "processed"), default=Path("scheduler")
    )
    parser.set_defaults(state_of=None)
    return parser.parse_args(arguments)


def test_a_state_selects_and_any_other_value_is_a_folder() -> None:
    assert parsed() == Namespace(state=Path("scheduler"), state_of=None)
    assert parsed("--state", "failed") == Namespace(state=Path("scheduler"), state_of="failed")
    assert parsed("--state", "/srv/s") == Namespace(state=Path("/srv/s"), state_of=None)
    assert parsed("--state", "./failed") == Namespace(state=Path("failed"), state_of=None)


def test_it_may_be_given_for_both_in_any_order() -> None:
    both = Namespace(state=Path("/srv/s"), state_of="failed")
    assert parsed("--state", "failed", "--state", "/srv/s") == both
    assert parsed("--state", "/srv/s", "--state", "failed") == both


def test_a_misspelt_state_is_not_taken_for_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        Exception, match="'proccessed' is neither a state nor a folder; did you mean processed"
    ):
        parsed("--state", "proccessed")
    (tmp_path / "proccessed").mkdir()
    assert parsed("--state", "proccessed").state == Path("proccessed")


def test_jobs_and_attempts_are_listed_by_their_state(screen: Screen, tmp_path: Path) -> None:
    (tmp_path / "jobs.yml").write_text(JOBS)
    folder = str(tmp_path / "state")

    def printed(*words: str) -> str:
        assert screen.run(*words, "--state", folder) == 0, screen.err.getvalue()
        text = screen.out.getvalue()
        screen.out.truncate(0)
        screen.out.seek(0)
        return text

    printed("deploy", str(tmp_path / "jobs.yml"))
    printed("launch", "a")
    printed("launch", "b")
    printed("job", "skip", "a/!1")
    printed("tick")
    assert "a/!1" in printed("job", "list", "--state", "skipped")
    assert "b/!1" not in printed("job", "list", "--state", "skipped")
    assert printed("job", "list", "--in", "skipped") == printed("job", "list", "--state", "skipped")
    assert "b/!1/1" in printed("attempt", "list", "--state", "waiting")
    assert printed("attempt", "list", "--state", "running") == printed(
        "attempt", "list", "--status", "running"
    )
    assert screen.run("job", "list", "--state", "skiped") == 2
    assert "did you mean skipped?" in screen.err.getvalue()


def test_without_the_option_the_environment_and_then_the_settings_name_the_folder(tmp_path: Path) -> None:
    assert state_folder({}, tmp_path) == Path("scheduler")
    assert state_folder({"SCOOPI_SCHEDULER_STATE": "/srv/a"}, tmp_path) == Path("/srv/a")
    (tmp_path / "conf").mkdir()
    assert state_folder({}, tmp_path) == Path("scheduler")
    (tmp_path / "conf/scoopi.yml").write_text("scoopi.scheduler.state: /srv/b\n")
    assert state_folder({}, tmp_path) == Path("/srv/b")
    assert state_folder({"SCOOPI_STATE": "c"}, tmp_path) == Path("c")
    (tmp_path / "conf/scoopi.yml").write_text("scoopi.scheduler.state: ''\n")
    with pytest.raises(ConfigError, match=r"scoopi\.scheduler\.state needs a path"):
        state_folder({}, tmp_path)
