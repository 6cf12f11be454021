"""Names of modules are read from their source."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.defs.schedule.module_reader import ModuleReader

TEXT = """
import os.path
from json import dumps as written
limit: int = 3
with open("x") as file:
    inside = 1
if limit:
    async def late(day, size=2, *rest, shop, **more): ...
def plain(context): ...
@wrapped
def changed(day): ...
"""


def test_functions_classes_variables_and_imports_are_names(tmp_path: Path) -> None:
    (tmp_path / "actions.py").write_text(TEXT)
    found = ModuleReader(tmp_path).names_of("actions")
    assert found is not None
    assert {"os", "written", "limit", "inside", "late", "plain", "changed"} <= found.names
    assert found.is_whole
    assert found.parameters == {"late": ("day", "shop"), "plain": ("context",)}


def test_what_a_call_makes_nothing_of_is_known(tmp_path: Path) -> None:
    (tmp_path / "actions.py").write_text(
        "number = 3\nlist_of = [1]\nlater = None\nmade = partial(print)\n"
        "async def late(): ...\n@sync\nasync def wrapped(): ...\n"
        "try:\n    from fast import load\nexcept ImportError:\n    load = 'none'\n"
        "size = 1\nif size:\n    def size(): ...\n"
    )
    found = ModuleReader(tmp_path).names_of("actions")
    assert found is not None
    assert found.not_called == {
        "number": "of type int",
        "list_of": "of type list",
        "late": "an async function, which nothing awaits",
    }


@pytest.mark.parametrize(
    "line", ["size = {[1]: 2}", pytest.param(f"size = {'+'.join('a' * 9000)}", id="long")]
)
def test_statements_that_cannot_be_evaluated_or_parsed_are_no_error(tmp_path: Path, line: str) -> None:
    (tmp_path / "actions.py").write_text(f"{line}\ndef load(): ...\n")
    found = ModuleReader(tmp_path).names_of("actions")
    assert found is not None
    assert (found.problem, found.not_called) == ("", {})
    assert "load" in found.names or not found.is_whole


def test_methods_of_a_class_are_known_unless_it_may_have_others(tmp_path: Path) -> None:
    (tmp_path / "files.py").write_text(
        "class Own:\n    size = 1\n    def current(self, now): ...\n"
        "class Derived(Own): ...\nclass Made(metaclass=Meta): ...\n@full\nclass Full: ...\n"
    )
    found = ModuleReader(tmp_path).names_of("files")
    assert found is not None
    assert found.methods == {"Own": frozenset({"size", "current"})}


def test_projects_with_the_same_relative_path_are_not_taken_for_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "jobs").mkdir(parents=True)
        (tmp_path / name / "jobs" / f"{name}.py").write_text(f"{name} = 1")
        monkeypatch.chdir(tmp_path / name)
        own = ModuleReader(Path("jobs")).names_of(name)
        assert own is not None
        assert own.names == {name}


def test_modules_are_found_in_packages_of_the_project_before_installed_ones(tmp_path: Path) -> None:
    (tmp_path / "json").mkdir()
    (tmp_path / "json/__init__.py").touch()
    (tmp_path / "json/own.py").write_text("x = 1")
    source = ModuleReader(tmp_path)
    own = source.names_of("json.own")
    assert own is not None
    assert own.names == {"x"}
    assert source.names_of("json.decoder") is None
    assert source.own() == ["json"]


def test_a_compiled_module_may_have_any_name(tmp_path: Path) -> None:
    found = ModuleReader(tmp_path).names_of("math")
    assert found is not None
    assert not found.is_whole
