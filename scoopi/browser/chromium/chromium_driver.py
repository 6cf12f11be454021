"""start_chromium: starts a Chromium with its driver and the settings that visits need."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.remote.webdriver import WebDriver

from scoopi.browser.chromium.chromium_tab import ChromiumTab
from scoopi.browser.liveness_probe import driver_probe
from scoopi.browser.protocol.protocol_link import ProtocolLink
from scoopi.browser.started import Started, started_by_grid, started_within
from scoopi.configs.groups import BrowserSettings

_LEFT_OUT = (
    "BackForwardCache",  # would keep pages alive that are not shown any more
    "WebUIOmniboxPopup",  # the window's address field is two pages by itself, which follow each navigation
    "WebUIOmniboxAimPopup",
    "PreloadTopChromeWebUI",
    "SpareRendererForSitePerProcess",  # a process for a next page, which rarely comes, for each context
)
"""Features of Chromium that cost a visit time or memory, and give it nothing."""
_ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",  # a container's root has no user namespace to put it in; the page's process stays its own
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-breakpad",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--mute-audio",
    f"--disable-features={','.join(_LEFT_OUT)}",
)
_MEDIA = (
    "*/favicon.*",
    *(
        f"*.{ending}{rest}"
        for ending in (
            *("aac", "flac", "m4a", "mp3", "oga", "ogg", "opus", "wav"),
            *("m3u8", "m4v", "mov", "mp4", "mpd", "ogv", "webm"),
        )
        for rest in ("", "?*")
    ),
)
"""Patterns of addresses; what kind of file an address gives is not known before it is asked for."""
_WITHOUT_IMAGES = ("--blink-settings=imagesEnabled=false", "--disable-remote-fonts")
_ANSWER_S = 10.0
_NO_DOWNLOADS = 3
"""Of Chromium's setting: all of them are refused."""


def start_chromium(settings: BrowserSettings, profile: Path) -> Started:
    """Start a Chromium on this machine or in a grid.

    Args:
        settings: the settings `scoopi.webDriver`.
        profile: an existing folder for all files of this browser.
    Raises:
        WebDriverException: the driver or the browser does not start.
    """
    options, media = _options(settings), () if settings.images else _MEDIA
    if settings.url:
        return started_by_grid(settings.url, options, lambda remote: _tab(remote, media))
    options.add_argument(f"--user-data-dir={profile}")
    options.binary_location = settings.binary
    service = Service(settings.driver, log_output=str(profile / "driver.log"))
    with started_within(service):
        driver = webdriver.Chrome(options=options, service=service)
        tab = _tab(driver, media)
    url = service.service_url
    return Started(driver, tab, url, service.process, probe=driver_probe(url))


def _tab(driver: WebDriver, media: tuple[str, ...]) -> ChromiumTab:
    driver.get("about:blank")  # in the driver's own window, instead of the page of a new one
    return ChromiumTab(driver, ProtocolLink(address_of(driver.capabilities)), media)


def _options(settings: BrowserSettings) -> webdriver.ChromeOptions:
    options = webdriver.ChromeOptions()
    for argument in (*_ARGUMENTS, *(() if settings.images else _WITHOUT_IMAGES)):
        options.add_argument(argument)
    options.set_capability("unhandledPromptBehavior", "ignore")  # an action may answer it
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.add_experimental_option("prefs", {"download_restrictions": _NO_DOWNLOADS})
    return options


def address_of(capabilities: Mapping[str, Any]) -> str:
    """Return the address of the WebSocket of a browser, in a grid or on this machine.

    Args:
        capabilities: those that the driver reports of its session.
    Raises:
        WebDriverException: the browser has no WebSocket.
    """
    given = str(capabilities.get("se:cdp", ""))
    if given:
        return given
    debugger = capabilities["goog:chromeOptions"]["debuggerAddress"]
    connection = HTTPConnection(debugger, timeout=_ANSWER_S)
    try:
        connection.request("GET", "/json/version")
        return str(json.loads(connection.getresponse().read())["webSocketDebuggerUrl"])
    except (OSError, HTTPException, ValueError, KeyError) as error:
        cause = (
            f"the browser's own protocol cannot be used: {error}; a browser elsewhere needs a Selenium Grid"
        )
        raise WebDriverException(cause) from error
    finally:
        connection.close()
