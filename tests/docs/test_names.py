"""Whatever the documentation names is there: files, settings, classes, tests."""

from __future__ import annotations

import os
import re
from importlib import import_module
from typing import get_args

import pytest

from scoopi.configs.given import NOT_SETTINGS
from scoopi.configs.registry import SETTINGS, SETTINGS_BY_KEY
from scoopi.plugins.plugin_ports import PluginKind
from scoopi.store.cluster.member_config import JAR_VARIABLE
from tests.docs.markdown import PAGES, ROOT, Page

MADE_BY_RUNS = {
    ".venv",
    ".venv/bin",
    ".scoopi",
    "data.txt",
    "node.json",
    "run.json",
    "output/",
    "output/latest",
    "browser/failed-MARK.html",
    "demo/books.yml",
    "bikes/",
    "shop/",
}
PARTS_OF_EXAMPLES = {"pages/", "expected.txt", "expected/", "conf/scoopi.yml"}
DEFAULTS = {setting.default for setting in SETTINGS}

_PATH = re.compile(r"\.?[\w-][\w.-]*(/[\w.-]+)*/?")
_SUFFIXES = (".py", ".md", ".yml", ".toml", ".txt", ".json", ".c")
_CLASS = re.compile(r"[A-Z][a-z]+(?:[A-Z][A-Za-z]*)+")
_MEMBER = re.compile(r"([A-Z][A-Za-z]+)\.(\w+)")

pages = pytest.mark.parametrize("page", [Page(name) for name in PAGES], ids=PAGES)


def source(folder: str) -> str:
    """All Python of a folder as one text."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / folder).rglob("*.py")))


@pages
def test_a_link_leads_to_a_file(page: Page) -> None:
    inside = [link.partition("#")[0] for link in page.links() if not link.startswith("https://")]

    assert [link for link in inside if not (page.folder / link).exists()] == []


@pages
def test_a_link_to_a_heading_leads_to_one(page: Page) -> None:
    targets = [link.partition("#") for link in page.links() if "#" in link and "://" not in link]

    for file, _, anchor in targets:
        target = os.path.relpath(page.folder / file, ROOT) if file else page.name
        assert anchor in Page(target).anchors(), anchor


@pages
def test_a_path_that_is_named_exists(page: Page) -> None:
    named = [span for span in page.spans() if _PATH.fullmatch(span) and _is_path(span)]
    bases = (ROOT, ROOT / "scoopi", page.folder)
    missing = [path for path in named if not any((base / path).exists() for base in bases)]

    assert set(missing) - DEFAULTS <= MADE_BY_RUNS | PARTS_OF_EXAMPLES


@pages
def test_a_dotted_name_is_a_setting_or_a_name_of_the_program(page: Page) -> None:
    names = re.findall(r"(?<![\w/.-])scoopi(?:\.[A-Za-z_]+)+", page.text)

    assert [name for name in dict.fromkeys(names) if not _is_known(name)] == []


@pages
def test_a_variable_of_the_environment_is_a_setting(page: Page) -> None:
    known = {setting.environment for setting in SETTINGS} | {JAR_VARIABLE, *NOT_SETTINGS}

    assert set(re.findall(r"SCOOPI_[A-Z_]*[A-Z]", page.text)) <= known


@pages
def test_a_class_that_is_named_is_there(page: Page) -> None:
    code = source("scoopi")
    classes = [span for span in page.spans() if _CLASS.fullmatch(span)]

    assert [name for name in classes if not re.search(rf"\b{name}\b", code)] == []
    for name, member in (found.groups() for span in page.spans() if (found := _MEMBER.fullmatch(span))):
        assert f"class {name}" in code, name
        assert re.search(rf"\b(def {member}\b|{member}:)", code), f"{name}.{member}"


@pages
def test_a_test_that_is_named_is_there(page: Page) -> None:
    code = source("tests")
    named = [span for span in page.spans() if re.fullmatch(r"test_\w+", span)]

    assert [name for name in named if f"def {name}(" not in code] == []


def test_what_a_docstring_cites_is_in_the_repository() -> None:
    cited = re.findall(r"^ *Source: ([\w./-]+)", source("scoopi"), re.MULTILINE)
    files = {name for name in cited if (ROOT / name.rstrip(".")).is_file()}

    assert set(cited) - files == {"ARCHITECTURE"}
    assert not re.search(r"\((?:design|language), ", source("scoopi"))


def test_a_section_that_a_docstring_cites_is_there() -> None:
    cited = re.findall(
        r"defs/README\.md, ((?:\d[\d.]*\d|\d)(?:(?:, | and | to )\d[\d.]*\d)*)", source("scoopi")
    )
    numbers = {number for text in cited for number in re.findall(r"\d+(?:\.\d+)?", text)}
    headings = re.findall(r"^##+ (\d+(?:\.\d+)?)", Page("defs/README.md").text, re.MULTILINE)

    assert sorted(numbers - set(headings)) == []


def test_a_rule_of_the_protocol_that_a_docstring_cites_is_there() -> None:
    cited = re.findall(r"protocol rules? (\d+(?:(?:, | and | to )\d+)*)", source("scoopi"))
    numbers = {int(number) for text in cited for number in re.findall(r"\d+", text)}

    assert numbers <= set(range(1, 18))


def _is_path(span: str) -> bool:
    return "/" in span or span.endswith(_SUFFIXES)


def _is_known(name: str) -> bool:
    if name in SETTINGS_BY_KEY or name in {f"scoopi.{kind}" for kind in get_args(PluginKind)}:
        return True
    try:
        import_module(name)
    except ImportError:
        module, _, attribute = name.rpartition(".")
        return "." in module and hasattr(import_module(module), attribute)
    return True
