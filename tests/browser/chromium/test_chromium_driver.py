"""How a Chromium is started; what its tab does is in test_chromium_tab.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from selenium.common.exceptions import WebDriverException

from scoopi.browser.chromium.chromium_driver import start_chromium
from scoopi.configs.groups import BrowserSettings
from tests.browser.processes import programs_below


def test_a_browser_keeps_its_files_in_its_profile_and_runs_below_its_driver(tmp_path: Path) -> None:
    started = start_chromium(BrowserSettings(), tmp_path)
    try:
        assert (tmp_path / "driver.log").exists()
        assert (tmp_path / "Default").is_dir()
        assert [*programs_below(started.pid, "chromium")]
        assert started.driver.capabilities["timeouts"]["pageLoad"]
    finally:
        started.kill()


def test_a_browser_that_does_not_start_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WebDriverException):
        start_chromium(BrowserSettings(binary="/bin/false"), tmp_path)
