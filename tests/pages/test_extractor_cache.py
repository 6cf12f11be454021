"""`extract` compiles definitions once, and again when anything that they are made from has changed."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from scoopi import extract
from scoopi.errors import DefsError
from scoopi.pages.extractor import Extractor
from scoopi.pages.extractor_cache import extractor_of
from tests.engine.workspace import wait_until

EXAMPLE = Path(__file__).resolve().parents[2] / "defs" / "examples" / "quickstart"
LONG_AGO_S = 60.0


@pytest.fixture
def defs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Definitions of a page's words, unchanged for a minute."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "defs"
    folder.mkdir()
    write(folder / "words.yml", "b")
    return folder


def write(path: Path, tag: str, *, age_s: float = LONG_AGO_S) -> None:
    """A definition of the words in that tag."""
    path.write_text(
        "locatorGroups: { word: { locators: [ { name: page, url: /page.html } ] } }\n"
        "taskGroups: { word: { wordTask: { dataDef: words } } }\n"
        f"dataDefs: {{ words: {{ query: {{ block: body, selector: {tag} }}, "
        "items: [ item: { name: i, value: v } ] } }\n"
    )
    written_s = time.time() - age_s
    os.utime(path, (written_s, written_s))


def word(defs: Path, **configs: str) -> str | None:
    """What is read of a page whose words stand in b, i and u."""
    row: tuple[str | None, ...]
    (row,) = extract(defs, b"<b>bold</b><i>italic</i>", "/page.html", configs=configs)
    return row[-1]


def settled(defs: Path) -> Extractor:
    """The extractor that is kept; waits until the files' last change is long enough ago."""

    def made() -> Extractor:
        return extractor_of(defs, {}, os.environ, {})

    wait_until(lambda: made() is made(), "a kept extractor")
    return made()


def test_what_stays_as_it_is_is_compiled_once_a_thread(defs: Path) -> None:
    made = settled(defs)
    assert extractor_of(defs, {}, os.environ, {}) is made
    others: list[Extractor] = []
    thread = threading.Thread(target=lambda: others.append(extractor_of(defs, {}, os.environ, {})))
    thread.start()
    thread.join()
    assert others[0] is not made


def test_a_change_is_seen_at_once_also_one_in_the_same_moment(defs: Path) -> None:
    for _ in range(3):
        for tag, found in (("b", "bold"), ("i", "italic"), ("u", "not found")):
            write(defs / "words.yml", tag, age_s=0)
            assert word(defs) == found


def add_a_wrong_file(defs: Path) -> None:
    (defs / "below" / "deep").mkdir(parents=True)
    (defs / "below" / "deep" / "more.yml").write_text("no: section")


def remove_all(defs: Path) -> None:
    shutil.rmtree(defs)


@pytest.mark.parametrize("change", [add_a_wrong_file, remove_all])
def test_what_makes_definitions_wrong_is_reported_though_they_are_kept(
    defs: Path, change: Callable[[Path], None]
) -> None:
    settled(defs)
    change(defs)
    with pytest.raises(DefsError):
        word(defs)


def test_settings_environment_and_current_folder_count(
    defs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(defs / "words.yml", "u")
    settled(defs)
    assert word(defs) == "not found"
    assert word(defs, **{"scoopi.fact.notFound.replaceWith": "none"}) == "none"
    monkeypatch.setenv("SCOOPI_FACT_NOTFOUND_REPLACEWITH", "nothing")
    assert word(defs) == "nothing"
    monkeypatch.delenv("SCOOPI_FACT_NOTFOUND_REPLACEWITH")
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "scoopi.yml").write_text("scoopi.fact.notFound.replaceWith: gone")
    assert word(defs) == "gone"
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert word(defs) == "not found"


def test_the_date_of_a_page_is_that_of_its_call(defs: Path) -> None:
    text = (defs / "words.yml").read_text().replace("value: v", "script: document.getFromDate()")
    (defs / "words.yml").write_text(text)
    extractor = settled(defs)
    for second in (1, 2):
        now = datetime(2026, 1, 1, 10, 0, second).astimezone()
        rows = extractor.at(now).extract(b"<b>x", "/page.html")
        assert str(rows[0][2]).startswith(f"2026-01-01T10:00:0{second}.000")


SCRIPTED = """
locatorGroups: { word: { locators: [ { name: page, url: /page.html } ] } }
taskGroups: { word: { wordTask: { dataDef: words, steps: scripted } } }
steps:
  scripted:
    css:
      changed:
        class: Scripter
        previous: filter
        next: appender
        plugins: [ plugin: { name: s, class: BasicScript, script: "s.js", entryPoint: changed } ]
dataDefs: { words: { query: { block: body, selector: b }, items: [ item: { name: i, value: v } ] } }
"""


def script(path: Path, word: str, *, age_s: float = LONG_AGO_S) -> None:
    """A script that gives each row this word."""
    path.write_text(
        "function changed(data) {"
        f" for (const item of data.items) item.getAxis('fact').setValue('{word}'); return data }}"
    )
    written_s = time.time() - age_s
    os.utime(path, (written_s, written_s))


def test_a_script_in_a_file_is_read_again_when_it_changes(defs: Path, tmp_path: Path) -> None:
    (defs / "words.yml").write_text(SCRIPTED)
    script(defs / "s.js", "one")
    assert word(defs) == "one"
    settled(defs)
    for text in ("two", "three"):
        script(defs / "s.js", text, age_s=0)
        assert word(defs) == text
    script(tmp_path / "s.js", "first of all")  # the current folder comes before that of the definitions
    assert word(defs) == "first of all"
    (tmp_path / "s.js").unlink()
    assert word(defs) == "three"


def test_definitions_with_a_script_in_a_file_are_kept(defs: Path) -> None:
    (defs / "words.yml").write_text(SCRIPTED)
    script(defs / "s.js", "one")

    def is_kept() -> bool:
        made = extractor_of(defs, {}, os.environ, {})
        made.extract(b"<b>bold</b>", "/page.html")
        return extractor_of(defs, {}, os.environ, {}) is made

    wait_until(is_kept, "a kept extractor")
