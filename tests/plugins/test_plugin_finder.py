"""PluginFinder: where a class name is looked for, and what is said of wrong ones."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from scoopi.errors import PluginError
from scoopi.model.place import Place
from scoopi.model.scrape.plugin_def import PluginDef
from scoopi.plugins.builtins import BUILTINS
from scoopi.plugins.encoders.csv_encoder import CsvEncoder
from scoopi.plugins.parameters import PluginFault
from scoopi.plugins.plugin_finder import PluginFinder, digest_now
from scoopi.plugins.plugin_ports import PluginKind

GREETER = """
class Greeter:
    def __init__(self, greeting: str, times: int = 1) -> None:
        self.text = greeting * times

    encode = header = None
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "plugins"
    folder.mkdir()
    return folder


def finder(*folders: Path) -> PluginFinder:
    return PluginFinder(folders, BUILTINS)


def plugin(class_name: str, **fields: Any) -> PluginDef:
    return PluginDef("mine", class_name, fields, place=Place("defs/a.yml", 7, 3))


def whats(faults: list[PluginFault]) -> list[str]:
    return [each.what for each in faults]


@pytest.mark.parametrize("name", ["CsvEncoder", "org.codetab.scoopi.plugin.encoder.CsvEncoder"])
def test_a_built_in_is_found_by_its_name_and_by_a_dotted_name_that_ends_with_it(name: str) -> None:
    assert finder().find("encoders", name) is CsvEncoder


def test_a_built_in_wins_over_a_file(folder: Path) -> None:
    (folder / "mine.py").write_text("class CsvEncoder: pass")
    assert finder(folder).find("encoders", "CsvEncoder") is CsvEncoder


@pytest.mark.parametrize("name", ["Greeter", "greet.Greeter"])
def test_a_class_is_found_in_a_file_with_and_without_the_files_name(folder: Path, name: str) -> None:
    (folder / "greet.py").write_text(GREETER)
    (folder / "other.py").write_text("class Other: pass")
    assert finder(folder).construct("encoders", plugin(name, greeting="ha", times="2")).text == "haha"


def test_folders_are_searched_in_order_and_missing_ones_passed_over(folder: Path, tmp_path: Path) -> None:
    second = tmp_path / "second"
    second.mkdir()
    (folder / "a.py").write_text("class Thing: where = 1")
    (second / "b.py").write_text("class Thing: where = 2")
    assert finder(tmp_path / "none", second, folder).find("encoders", "Thing").where == 2  # type: ignore[attr-defined]


def test_a_name_in_two_files_of_a_folder_needs_the_file(folder: Path) -> None:
    for file in ("a.py", "b.py"):
        (folder / file).write_text("class Thing: pass")
    with pytest.raises(PluginError, match=r"several files: a\.py, b\.py; name the file too, as in a\.Thing"):
        finder(folder).find("encoders", "Thing")
    assert finder(folder).find("encoders", "b.Thing").__name__ == "Thing"


def test_only_the_file_that_defines_the_name_is_run(folder: Path) -> None:
    (folder / "greet.py").write_text(GREETER)
    (folder / "bad.py").write_text("raise ValueError('never run')\nclass Unused: pass")
    (folder / "worse.py").write_text("class (")
    assert finder(folder).find("encoders", "Greeter").__name__ == "Greeter"


def test_a_file_imports_its_neighbours_and_leaves_the_search_path_alone(folder: Path) -> None:
    (folder / "neighbour_of_main.py").write_text("GREETING = 'hello'")
    (folder / "main_thing.py").write_text(
        "import neighbour_of_main\nclass Main:\n    text = neighbour_of_main.GREETING"
    )
    before = list(sys.path)
    looked = finder(folder)
    assert looked.find("encoders", "Main").text == "hello"  # type: ignore[attr-defined]
    assert sys.path == before
    assert {Path(file).name for file in looked.digests()} == {"main_thing.py", "neighbour_of_main.py"}
    assert not (folder / "__pycache__").exists()
    del sys.modules["neighbour_of_main"]


def test_digests_are_of_used_files_only(folder: Path) -> None:
    (folder / "greet.py").write_text(GREETER)
    (folder / "other.py").write_text("class Other: pass")
    looked = finder(folder)
    assert looked.digests() == {}
    looked.find("encoders", "Greeter")
    assert looked.digests() == {
        str(folder / "greet.py"): blake2b(GREETER.encode(), digest_size=16).hexdigest()
    }


def test_dataclasses_and_string_annotations_work_in_files(folder: Path) -> None:
    (folder / "data_thing.py").write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass(frozen=True)\nclass Thing:\n    most_rows: int\n    names: list[str] | None = None\n"
        "    def convert(self, value: str) -> str: ...\n"
    )
    thing = finder(folder).construct("converters", plugin("Thing", item="fact", mostRows="3", names=["a"]))
    assert (thing.most_rows, thing.names) == (3, ["a"])


def test_an_entry_point_is_found(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    def entry_points(**wanted: str) -> tuple[metadata.EntryPoint, ...]:
        entry = metadata.EntryPoint("Fraction", "fractions:Fraction", "scoopi.converters")
        return (entry,) if wanted == {"group": entry.group, "name": entry.name} else ()

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    (folder / "mine.py").write_text("class Fraction: pass")
    assert finder(folder).find("converters", "Fraction").__module__ == "fractions"
    with pytest.raises(PluginError):
        finder().find("encoders", "Fraction")


def test_an_entry_point_that_cannot_be_loaded_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = metadata.EntryPoint("Thing", "no_such_module_here:Thing", "scoopi.encoders")
    monkeypatch.setattr(metadata, "entry_points", lambda **wanted: (entry,))
    with pytest.raises(PluginError, match="no_such_module_here"):
        finder().find("encoders", "Thing")


@pytest.mark.parametrize(
    ("body", "words", "line"),
    [
        ("\n\nclass Thing(:\n", "SyntaxError|not valid Python", 3),
        ("import json\nclass Thing: pass\njson.loads('{')\n", "JSONDecodeError", 3),
        ("import no_such_module_here\nclass Thing: pass\n", "ModuleNotFoundError", 1),
        ("import sys\nclass Thing: pass\nsys.exit(4)\n", "SystemExit: 4", 3),
    ],
)
@pytest.mark.parametrize("name", ["Thing", "broken.Thing"])
def test_an_error_in_a_file_is_reported_with_file_and_line(
    folder: Path, name: str, body: str, words: str, line: int
) -> None:
    path = folder / "broken.py"
    path.write_text(body)
    with pytest.raises(PluginError, match=words) as caught:
        finder(folder).find("encoders", name)
    assert caught.value.at == f"{path}:{line}"


def test_an_unknown_class_is_reported_with_the_nearest_known(folder: Path) -> None:
    (folder / "greet.py").write_text(GREETER)
    looked = finder(folder)
    assert whats(looked.check("encoders", plugin("CsvEncodr"))) == [
        "unknown class CsvEncodr of encoders; did you mean CsvEncoder?"
    ]
    assert "did you mean Greeter?" in looked.check("encoders", plugin("Greetr"))[0].what
    assert "built-in: BasicScript" in looked.check("scripts", plugin("xyz"))[0].what
    assert "unknown class greet.Nope" in looked.check("encoders", plugin("greet.Nope"))[0].what


@pytest.mark.parametrize(
    ("fields", "faults"),
    [
        ({"delimiter": "|", "includeTags": "true", "header": "false", "quote": "all"}, []),
        ({"delimeter": "|"}, ["unknown field delimeter; did you mean delimiter?"]),
        ({"xyz": "1"}, ["unknown field xyz; known fields: delimiter, includeTags, header, quote, missing"]),
        ({"includeTags": "yes"}, ["field includeTags: expected true or false, got 'yes'"]),
        ({"quote": "some"}, ["field quote: expected none or minimal or all, got 'some'"]),
        ({"delimiter": ["|"]}, ["field delimiter: expected a single value, got a list"]),
    ],
)
def test_fields_are_checked_against_the_constructor(fields: dict[str, Any], faults: list[str]) -> None:
    assert whats(finder().check("encoders", plugin("CsvEncoder", **fields))) == faults


def test_a_fault_names_the_key_that_is_wrong(folder: Path) -> None:
    (folder / "greet.py").write_text(GREETER)
    found = finder(folder).check("encoders", plugin("Greeter", times="two", loud="true"))
    assert [(each.field, each.is_unknown) for each in found] == [
        ("loud", True),
        ("greeting", False),
        ("times", False),
    ]
    assert [each.field for each in finder().check("encoders", plugin("CsvEncodr"))] == ["class"]


def test_all_faults_of_a_plugin_are_reported_at_once(folder: Path) -> None:
    (folder / "greet.py").write_text(GREETER)
    faults = finder(folder).check("encoders", plugin("Greeter", times="two", loud="true"))
    assert whats(faults) == [
        "unknown field loud; known fields: greeting, times",
        "field greeting is missing",
        "field times: expected an integer, got 'two'",
    ]
    with pytest.raises(PluginError, match=r"defs/a\.yml:7:3: plugin mine: unknown field loud"):
        finder(folder).construct("encoders", plugin("Greeter", times="two", loud="true"))


def test_fields_that_the_step_reads_are_no_fields_of_the_plugin(folder: Path) -> None:
    (folder / "shout.py").write_text("class Shout:\n    def convert(self, value): return value.upper()")
    looked = finder(folder)
    assert looked.check("converters", plugin("Shout", item="date", onError="drop")) == []
    assert looked.construct("converters", plugin("Shout", item="date", onError="drop")).convert("a") == "A"
    assert whats(looked.check("converters", plugin("Shout", onError="stop"))) == [
        "field item is missing",
        "field onError: expected keep or fail or drop or blank, got 'stop'",
    ]
    assert looked.check("appenders", plugin("FileAppender", file="a.txt", queueSize="10")) == []


def test_a_refusing_constructor_becomes_an_error_at_the_definition(folder: Path) -> None:
    with pytest.raises(PluginError, match=r"defs/a\.yml:7:3: plugin mine: file '/etc/passwd' is absolute"):
        finder().construct("appenders", plugin("FileAppender", file="/etc/passwd"))
    path = folder / "strict.py"
    path.write_text("class Strict:\n    def __init__(self, size: int):\n        1 / size\n")
    with pytest.raises(PluginError) as caught:
        finder(folder).construct("encoders", plugin("Strict", size="0"))
    assert f"ZeroDivisionError: division by zero ({path}:3)" in caught.value.what
    assert caught.value.at == "defs/a.yml:7:3"


@pytest.mark.parametrize(
    ("kind", "fields", "lacking"),
    [
        ("converters", {"item": "fact"}, "no convert;"),
        ("encoders", {}, "no encode and no header;"),
        ("appenders", {}, "no output;"),
        ("scripts", {}, "no __call__;"),
    ],
)
def test_a_class_without_what_its_kind_promises_is_refused(
    folder: Path, kind: PluginKind, fields: dict[str, str], lacking: str
) -> None:
    (folder / "bare.py").write_text("class Bare:\n    pass\n")
    with pytest.raises(
        PluginError, match=rf"defs/a\.yml:7:3: plugin mine: Bare has {lacking} {kind} must have it"
    ):
        finder(folder).construct(kind, plugin("Bare", **fields))


def test_a_list_appender_gets_the_plugins_name() -> None:
    assert finder().construct("appenders", plugin("ListAppender")).output == "list:mine"


def test_a_script_function_stays_a_function_with_its_fields_bound(folder: Path) -> None:
    (folder / "fixes.py").write_text(
        "def plain(data): return data\ndef scaled(data, factor: int = 1): return data * factor\n"
    )
    looked = finder(folder)
    assert looked.construct("scripts", plugin("fixes.plain"))("x") == "x"
    scaled: Callable[[str], str] = looked.construct("scripts", plugin("scaled", factor="3"))
    assert isinstance(scaled, partial)
    assert scaled("x") == "xxx"
    assert whats(looked.check("scripts", plugin("scaled", data="x"))) == [
        "unknown field data; known fields: factor"
    ]


def test_a_neighbour_that_was_removed_since_an_earlier_finder_loaded_it_is_passed_over(folder: Path) -> None:
    (folder / "shared_words.py").write_text("WORD = 'hi'")
    (folder / "greet.py").write_text("import shared_words" + GREETER)
    assert finder(folder).find("encoders", "Greeter").__name__ == "Greeter"
    (folder / "shared_words.py").unlink()
    (folder / "greet.py").write_text(GREETER)
    assert finder(folder).find("encoders", "Greeter").__name__ == "Greeter"


ENTRY = "entry point scoopi.converters Shout"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with an installed package that offers a converter."""
    (tmp_path / "shouting.py").write_text(
        "class Shout:\n    def convert(self, value): return value.upper()\n"
    )
    install(tmp_path, "1.0")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("shouting", None)


def install(site: Path, version: str) -> None:
    info = site / "shouting-1.0.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: shouting\nVersion: {version}\n")
    (info / "entry_points.txt").write_text("[scoopi.converters]\nShout = shouting:Shout\n")


def digests() -> dict[str, str]:
    finder = PluginFinder([], BUILTINS)
    finder.find("converters", "Shout")
    return finder.digests()


def test_a_package_is_known_by_its_name_its_version_and_its_file(site: Path) -> None:
    found = digests()
    assert found[ENTRY] == "shouting 1.0 shouting:Shout"
    assert set(found) == {ENTRY, str(site / "shouting.py")}
    assert all(digest_now(name) == digest for name, digest in found.items())


def test_another_version_of_the_package_is_another_plugin(site: Path) -> None:
    before = digests()
    install(site, "1.1")
    assert digest_now(ENTRY) == "shouting 1.1 shouting:Shout"
    assert digests() != before


def test_an_edited_file_of_the_package_is_another_plugin(site: Path) -> None:
    before, file = digests(), site / "shouting.py"
    file.write_text(file.read_text() + "# edited\n")
    assert digest_now(str(file)) != before[str(file)]


def test_a_package_that_is_gone_has_no_digest(site: Path) -> None:
    digests()
    (site / "shouting-1.0.dist-info" / "entry_points.txt").unlink()
    (site / "shouting.py").unlink()
    assert digest_now(ENTRY) == digest_now(str(site / "shouting.py")) == ""
