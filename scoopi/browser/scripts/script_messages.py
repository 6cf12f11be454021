"""The messages between a browser and the process of its script plugins, each a line of JSON."""

from __future__ import annotations

import msgspec

from scoopi.model.scrape.plugin_def import PluginDef


class ScriptRequest(msgspec.Struct, frozen=True):
    """Run these plugins, one after another, on the page that a browser shows.

    Attributes:
        driver_url: address of the browser's driver.
        session: id of the browser's session there.
        browser: name of the browser, as the driver reports it.
        hidden: handles of the windows that are not the visit's but the driver's own.
    """

    plugins: tuple[PluginDef, ...]
    driver_url: str
    session: str
    browser: str
    hidden: tuple[str, ...] = ()


class ScriptFailed(msgspec.Struct, frozen=True):
    """A plugin failed; those after it were not run.

    Attributes:
        what: the fault, with the plugin's place in the definitions and that of the error in its script.
        cause: the fault without details of the page.
    """

    what: str
    cause: str
    hint: str = ""
