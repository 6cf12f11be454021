"""site_view: the values of a host as a run has them, from definitions and files of settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.errors import DefsError
from scoopi.pages.site_view import site_view
from scoopi.runs.run_request import RunRequest
from tests.defs.written import DATA, PLACES, TASKS


@pytest.fixture(autouse=True)
def _in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def request(folder: Path, sites: str) -> RunRequest:
    (folder / "defs.yml").write_text(PLACES + TASKS + DATA + sites)
    (folder / "my.yml").write_text("sites: { a.example: { delay: 3 } }\n")
    return RunRequest(defs=folder / "defs.yml", conf=folder / "my.yml", environ={})


def test_the_sites_of_definitions_and_settings_are_merged(tmp_path: Path) -> None:
    asked = request(tmp_path, "sites: { a.example: { delay: 2, parallelism: 2 } }\n")
    view = site_view(asked, "http://A.example")
    shown = {each.key: (each.value, Path(each.origin).name) for each in view.values}
    assert shown["delay"] == ("3 ms", "my.yml:1")
    assert shown["parallelism"] == ("2", "defs.yml:9")
    assert [pattern for pattern, _ in view.blocks] == ["a.example", "a.example"]


def test_a_login_is_shown_by_its_keys_and_with_the_name_of_its_variable(tmp_path: Path) -> None:
    login = (
        '{ url: "https://a.example/in", form: "form#in", fields: { user: me, password: "${env:PW}" },'
        " success: { selector: a.out } }"
    )
    view = site_view(
        request(tmp_path, f"sites: {{ a.example: {{ login: {login} }} }}\n"), "https://a.example"
    )
    assert {each.key: each.value for each in view.values if each.key.startswith("login")} == {
        "login.url": "https://a.example/in",
        "login.form": "form#in",
        "login.fields.user": "me",
        "login.fields.password": "${env:PW} (not set)",
        "login.success.selector": "a.out",
    }


def test_sites_that_are_wrong_are_reported(tmp_path: Path) -> None:
    with pytest.raises(DefsError, match="did you mean delay"):
        site_view(request(tmp_path, "sites: { a.example: { dely: 2 } }\n"), "http://a.example/")
