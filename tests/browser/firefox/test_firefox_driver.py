"""How a Firefox is started; what its tab does is in test_firefox_tab.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from selenium.common.exceptions import WebDriverException

from scoopi.browser.firefox.firefox_driver import start_firefox
from scoopi.configs.groups import BrowserSettings
from tests.browser.processes import programs_below

SETTINGS = BrowserSettings(browser="firefox").with_firefox()


@pytest.mark.parametrize("images", [True, False])
def test_a_browser_keeps_its_files_in_its_profile_and_asks_the_network_for_nothing_by_itself(
    tmp_path: Path, images: bool
) -> None:
    started = start_firefox(replace(SETTINGS, images=images), tmp_path)
    try:
        assert (tmp_path / "driver.log").exists()
        preferences = (tmp_path / "user.js").read_text(encoding="utf-8")
        assert [*programs_below(started.pid, "firefox")]
        assert started.driver.capabilities["unhandledPromptBehavior"] == "ignore"
    finally:
        started.kill()
    for quiet in ("network.captive-portal-service.enabled", "toolkit.telemetry.enabled"):
        assert f'user_pref("{quiet}", false);' in preferences
    assert ('user_pref("permissions.default.image", 2);' in preferences) is not images


def test_a_browser_that_does_not_start_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WebDriverException):
        start_firefox(replace(SETTINGS, binary="/bin/false"), tmp_path)
