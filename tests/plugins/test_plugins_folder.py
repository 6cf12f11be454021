"""The plugins in the top-level folder `plugins/`, which runs from the folder above find."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from scoopi.app import Scoopi, check
from scoopi.model.data import Axis, Data, Item
from scoopi.model.handover import Payload, ToTask
from scoopi.model.locator import Locator
from tests.docs.markdown import ROOT, Page

FOLDER = ROOT / "plugins"
README = Page("plugins/README.md")
AXES = (Axis("item", "loaf", 1), Axis("fact", "price", 1))
BAKERY = Locator("bakery", "bread", "/pages/bread.html")


def loaded(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"shared_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def data(*rows: tuple[str | None, ...]) -> Data:
    return Data("prices", tuple(Item(AXES, row, (1, 1)) for row in rows))


@pytest.fixture
def bread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The definitions of the README, and its page; the current folder is the one above the plugins."""
    monkeypatch.chdir(ROOT)
    folder = tmp_path / "bread"
    (folder / "pages").mkdir(parents=True)
    (page,) = README.blocks("html")
    (definitions,) = README.blocks("yaml")
    (folder / "pages" / "bread.html").write_text(page.text)
    (folder / "bread.yml").write_text(definitions.text)
    return folder


def test_the_readme_lists_every_plugin() -> None:
    files = sorted(path.name for path in FOLDER.glob("*.py"))

    assert files
    assert [file for file in files if f"| [{file}]({file}) |" not in README.text] == []


def test_the_definitions_of_the_readme_pass_the_check_without_a_warning(bread: Path) -> None:
    report = check(bread, strict=True, environ={})

    assert report.findings == (), report.text()


def test_the_definitions_of_the_readme_give_the_table_that_it_shows(bread: Path, tmp_path: Path) -> None:
    (shown,) = README.blocks("text")

    report = Scoopi(bread, output=tmp_path / "output", workers=0, environ={}).run()

    assert report.jobs.failed == 0
    assert (tmp_path / "output" / "latest" / "prices.md").read_text() == shown.text


def test_a_markdown_table_escapes_what_would_end_a_cell() -> None:
    encoder = loaded("markdown_table").MarkdownTable(missing="-")

    lines = encoder.encode(data(("rye | malt", "2.40"), ("two\nlines", None)), BAKERY, 1)

    assert lines == b"| rye \\| malt | 2.40 |\n| two lines | - |\n"


def test_unique_rows_keeps_the_first_row_of_each_set_of_values_in_order() -> None:
    step = loaded("unique_rows").UniqueRows()
    rows = [("rye", "2.40"), ("walnut", "2.90"), ("rye", "2.40"), ("rye", "2.50"), ("walnut", None)]

    handover = step.run(Payload("1", BAKERY, 1, "priceTask", data(*rows)))

    assert isinstance(handover, ToTask)
    kept = [item.values for item in handover.payload.expect(Data).items]
    assert kept == [("rye", "2.40"), ("walnut", "2.90"), ("rye", "2.50"), ("walnut", None)]
