"""start_firefox: starts a Firefox with its driver and the settings that visits need."""

from __future__ import annotations

from pathlib import Path

from selenium import webdriver
from selenium.webdriver.firefox.service import Service
from selenium.webdriver.remote.webdriver import WebDriver

from scoopi.browser.firefox.firefox_tab import FirefoxTab
from scoopi.browser.liveness_probe import ProcessProbe
from scoopi.browser.protocol.protocol_link import ProtocolLink
from scoopi.browser.started import Started, started_by_grid, started_within
from scoopi.configs.groups import BrowserSettings

_QUIET: dict[str, str | int | bool] = {
    "app.update.enabled": False,
    "browser.cache.disk.enable": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "media.volume_scale": "0.0",
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.enabled": False,
}
"""What a browser would ask the network for by itself."""
_WITHOUT_IMAGES: dict[str, str | int | bool] = {
    "permissions.default.image": 2,
    "gfx.downloadable_fonts.enabled": False,
}


def start_firefox(settings: BrowserSettings, profile: Path) -> Started:
    """Start a Firefox on this machine or in a grid.

    Args:
        settings: the settings `scoopi.webDriver`.
        profile: an existing folder for all files of this browser.
    Raises:
        WebDriverException: the driver or the browser does not start.
    """
    options = _options(settings)
    if settings.url:
        return started_by_grid(settings.url, options, lambda remote: _tab(remote, settings))
    options.add_argument("-profile")
    options.add_argument(str(profile))
    options.binary_location = settings.binary
    service = Service(settings.driver, log_output=str(profile / "driver.log"))
    with started_within(service):
        driver = webdriver.Firefox(options=options, service=service)
        tab = _tab(driver, settings)
    probe = ProcessProbe(service.process.pid)
    return Started(driver, tab, service.service_url, service.process, probe=probe)


def _tab(driver: WebDriver, settings: BrowserSettings) -> FirefoxTab:
    return FirefoxTab(driver, ProtocolLink(str(driver.capabilities["webSocketUrl"])), settings.images)


def _options(settings: BrowserSettings) -> webdriver.FirefoxOptions:
    options = webdriver.FirefoxOptions()
    options.add_argument("-headless")
    options.set_capability("webSocketUrl", True)
    options.set_capability("unhandledPromptBehavior", "ignore")  # an action may answer it
    for name, value in {**_QUIET, **({} if settings.images else _WITHOUT_IMAGES)}.items():
        options.set_preference(name, value)
    return options
