"""A class name in definitions runs no file but those in the folder of plugins."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from scoopi.errors import PluginError
from scoopi.plugins.builtins import BUILTINS
from scoopi.plugins.plugin_finder import PluginFinder
from tests.engine.workspace import Workspace

DEFINITIONS = """\
locatorGroups:
  page: { locators: [ { name: one, url: "/page.html" } ] }
taskGroups:
  page: { task: { dataDef: titles, steps: own } }
dataDefs:
  titles:
    query: { block: "body", selector: "h1" }
    items: [ item: { name: title, value: title } ]
steps:
  own: { css: { own: { class: "NAME", previous: filter, next: appender } } }
"""


@pytest.fixture
def evil(workspace: Workspace) -> Path:
    """A file outside of `plugins/` that leaves a trace when it is run."""
    (workspace.folder / "defs/plugins").mkdir(parents=True)
    (workspace.folder / "page.html").write_text("<h1>Title</h1>")
    evil = workspace.folder / "evil.py"
    evil.write_text(f"open({str(workspace.folder / 'trace')!r}, 'w')\nclass A: pass\n")
    return evil


@pytest.mark.parametrize(
    "name",
    [
        "FOLDER/evil.A",
        "../../evil.A",
        "../../evil:A",
        "..evil.A",
        ".evil.A",
        "plugins/../../../evil.A",
        "a b.A",
    ],
)
def test_a_path_is_not_taken_for_a_class(
    name: str, workspace: Workspace, evil: Path, refused: Callable[[str], None]
) -> None:
    written = name.replace("FOLDER", str(evil.parent))
    (workspace.folder / "defs/job.yml").write_text(DEFINITIONS.replace("NAME", written))
    ended = workspace.scoopi("check", "defs")
    assert ended.code == 3
    assert (
        f"class {written!r} is not a dotted name; write MyThing, or my_module.MyThing"
        in ended.out + ended.err
    )
    assert workspace.scoopi("run", "defs").code == 3
    assert not (workspace.folder / "trace").exists()
    refused(f"class: {name}")


@pytest.mark.parametrize("name", ["linked.A", "A", "folder.evil.A"])
def test_a_link_that_leads_out_of_the_folder_is_not_followed(
    name: str, workspace: Workspace, evil: Path, refused: Callable[[str], None]
) -> None:
    (workspace.folder / "defs/plugins/linked.py").symlink_to(evil)
    (workspace.folder / "defs/plugins/folder").symlink_to(evil.parent)
    (workspace.folder / "defs/job.yml").write_text(DEFINITIONS.replace("NAME", name))
    ended = workspace.scoopi("check", "defs")
    assert ended.code == 3
    assert f"plugin file is a link that leads out of its folder, to {evil}" in ended.out + ended.err
    assert not (workspace.folder / "trace").exists()
    refused(f"a link in plugins/ to a file elsewhere, as {name}")


def test_a_folder_that_is_a_link_and_links_inside_it_are_followed(tmp_path: Path) -> None:
    version = tmp_path / "mounted/..data_1"  # as Kubernetes mounts a ConfigMap
    version.mkdir(parents=True)
    (version / "thing.py").write_text("class Thing: pass")
    (tmp_path / "mounted/..data").symlink_to("..data_1")
    (tmp_path / "mounted/thing.py").symlink_to("..data/thing.py")
    (tmp_path / "plugins").symlink_to("mounted")
    finder = PluginFinder([tmp_path / "plugins"], BUILTINS)
    assert finder.find("encoders", "Thing").__name__ == "Thing"
    assert PluginFinder([tmp_path / "plugins"], BUILTINS).find("encoders", "thing.Thing").__name__ == "Thing"


def test_a_pipe_in_the_folder_is_passed_over(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(PluginError, match="unknown class Thing"):
        PluginFinder([tmp_path], BUILTINS).find("encoders", "Thing")
