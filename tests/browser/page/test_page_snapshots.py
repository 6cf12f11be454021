"""How many failed pages are kept; what of them is, is tested with a browser in test_browser.py."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest
from selenium.common.exceptions import TimeoutException

from scoopi.browser.page import page_snapshots
from scoopi.browser.page.page_snapshots import PageSnapshots


def test_only_the_first_pages_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_snapshots, "MOST", 2)
    driver = Mock(**{"execute_script.return_value": "<p>", "get_screenshot_as_png.return_value": b""})
    log = [{"timestamp": 1000, "message": "old"}, {"timestamp": 9000, "message": "new"}]
    pages = PageSnapshots(tmp_path / "browser")
    kept = [
        pages.keep(driver, lambda: log, url, 5.0)
        for url in ("http://a/", "http://b/", "http://a/", "http://c/")
    ]
    assert kept[0] == kept[2] != kept[1]
    assert not kept[3]
    assert len([*(tmp_path / "browser").iterdir()]) == 2 * 3
    lines = Path(f"{kept[0]}.log").read_text().splitlines()
    assert ["new" in line for line in lines] == [False, True]


def test_frames_that_do_not_answer_cost_a_kept_page_only_them(tmp_path: Path) -> None:
    driver = Mock(**{"execute_script.return_value": "<p>", "get_screenshot_as_png.return_value": b"png"})
    pages = PageSnapshots(tmp_path)
    kept = Path(pages.keep(driver, list, "http://a/", 5.0, Mock(side_effect=TimeoutException)))
    assert {file.suffix for file in tmp_path.iterdir()} == {".html", ".png", ".log"}
    assert kept.with_suffix(".html").read_text() == "<p>"
    pages.keep(driver, list, "http://a/", 5.0, lambda: "<p><b>in frame</b>")
    assert kept.with_suffix(".html").read_text() == "<p><b>in frame</b>"


def test_a_page_whose_document_a_dialog_withholds_is_kept_without_it(tmp_path: Path) -> None:
    driver = Mock(**{"execute_script.return_value": None, "get_screenshot_as_png.return_value": b"png"})
    kept = PageSnapshots(tmp_path).keep(driver, list, "http://a/", 5.0)
    assert {file.suffix for file in tmp_path.iterdir()} == {".png", ".log"}
    assert Path(f"{kept}.png").read_bytes() == b"png"


def test_a_folder_that_cannot_be_written_changes_nothing_for_the_page(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    driver = Mock(**{"execute_script.return_value": "<p>", "get_screenshot_as_png.return_value": b"png"})
    assert PageSnapshots(tmp_path / "file" / "browser").keep(driver, list, "http://a/", 5.0) == ""
    assert "a page that failed cannot be kept" in caplog.text
