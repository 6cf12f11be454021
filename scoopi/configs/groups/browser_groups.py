"""Settings for the browsers of a node."""

from __future__ import annotations

import shutil
from typing import Annotated, Literal, Self

import msgspec

from scoopi.configs.machine import memory_bound
from scoopi.configs.setting import NODE, Group, SettingKey, SettingKind, Values

CHROMIUM, CHROMEDRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
FIREFOX, GECKODRIVER = "/usr/bin/firefox-esr", "/usr/local/bin/geckodriver"
LEAST_BROWSER_MB = 512
"""Twice what a browser with a small page needs."""


class BrowserSettings(Group, frozen=True):
    """The browsers of a node, for pages with `loader: browser`."""

    browser: Annotated[
        Literal["chromium", "firefox"],
        SettingKey("scoopi.webDriver.browser", NODE, "The browser to use."),
    ] = "chromium"
    url: Annotated[
        str,
        SettingKey(
            "scoopi.webDriver.url",
            NODE,
            "The address of a Selenium Grid that runs the browsers; without it they run on this machine.",
        ),
    ] = ""
    browsers: Annotated[
        int,
        SettingKey(
            "scoopi.webDriver.browsers",
            NODE,
            "The most browsers of this node; each loads one page at a time.",
            least=1,
            most=64,
        ),
    ] = 2
    pages: Annotated[
        int,
        SettingKey(
            "scoopi.webDriver.pages",
            NODE,
            "The number of pages after which a browser is replaced by a new one.",
            least=1,
        ),
    ] = 200
    memory_mb: Annotated[
        int,
        SettingKey(
            "scoopi.webDriver.memory",
            NODE,
            "The most memory of a browser with all its processes; a page that needs more fails.",
            least=LEAST_BROWSER_MB,
            most=65536,
            unit="MB",
        ),
    ] = 2048
    images: Annotated[
        bool,
        SettingKey(
            "scoopi.webDriver.images",
            NODE,
            "Whether browsers load the images, fonts and media of pages; without them pages load faster.",
        ),
    ] = False
    binary: Annotated[
        str,
        SettingKey(
            "scoopi.webDriver.browserPath",
            NODE,
            "The path of the browser's executable.",
            kind=SettingKind.PATH,
        ),
    ] = CHROMIUM
    driver: Annotated[
        str,
        SettingKey(
            "scoopi.webDriver.driverPath", NODE, "The path of the driver's executable.", kind=SettingKind.PATH
        ),
    ] = CHROMEDRIVER

    @classmethod
    def of(cls, configs: Values) -> Self:
        """Return the settings, with the programs of the browser, and within this machine's memory."""
        given, bound = super().of(configs), memory_bound()
        if given.browser == "firefox":
            given = given.with_firefox()
        return given if bound is None or given.url else given.within(bound >> 20)

    def with_firefox(self) -> Self:
        """Return the settings with Firefox's programs in place of the default ones."""
        binary = FIREFOX if self.binary == CHROMIUM else self.binary
        driver = (shutil.which("geckodriver") or GECKODRIVER) if self.driver == CHROMEDRIVER else self.driver
        return msgspec.structs.replace(self, binary=binary, driver=driver)

    def within(self, bound_mb: int) -> Self:
        """Return the settings with fewer or smaller browsers, so that they fit into half of `bound_mb`."""
        for_all = bound_mb // 2
        browsers = max(1, min(self.browsers, for_all // LEAST_BROWSER_MB))
        memory_mb = max(LEAST_BROWSER_MB, min(self.memory_mb, for_all // browsers))
        return msgspec.structs.replace(self, browsers=browsers, memory_mb=memory_mb)
