"""BUILTINS, finder_of: every name leads to a plugin; files of the user are looked for in two folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.plugins.builtins import BUILTINS, finder_of
from scoopi.plugins.plugin_finder import PluginFinder
from scoopi.plugins.plugin_ports import PluginKind

KINDS: tuple[PluginKind, ...] = ("appenders", "encoders", "scripts")


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in KINDS for name in BUILTINS[kind]])
def test_a_built_in_can_be_imported(kind: PluginKind, name: str) -> None:
    assert callable(PluginFinder([], BUILTINS).find(kind, name))


def test_a_plugin_beside_the_definitions_precedes_one_of_the_current_folder(tmp_path: Path) -> None:
    definitions, current = tmp_path / "shop" / "shop.yml", tmp_path / "here"
    for folder in (definitions.parent, current):
        (folder / "plugins").mkdir(parents=True)
        (folder / "plugins" / "both.py").write_text(f"def both(value):\n    return {folder.name!r}\n")
    (current / "plugins" / "only.py").write_text("def only(value):\n    return 'only here'\n")
    definitions.write_text("{}")
    finder = finder_of(definitions, current)
    assert finder.find("converters", "both")("") == "shop"
    assert finder.find("converters", "only")("") == "only here"
