"""What a browser and the process of its script plugins send each other."""

from __future__ import annotations

import msgspec

from scoopi.browser.scripts.script_messages import ScriptFailed, ScriptRequest
from scoopi.model.place import Place
from scoopi.model.scrape.plugin_def import PluginDef


def test_messages_are_lines_and_come_as_they_were_sent() -> None:
    plugin = PluginDef(
        "opener", "BasicScript", {"script": "a\nb", "scripts": ["c.js"]}, place=Place("a", 1, 2)
    )
    for message in (
        ScriptRequest((plugin,), "http://d", "s", "chrome", ("own",)),
        ScriptFailed("what\n", "cause", "hint"),
    ):
        line = msgspec.json.encode(message)
        assert b"\n" not in line
        assert msgspec.json.decode(line, type=type(message)) == message
