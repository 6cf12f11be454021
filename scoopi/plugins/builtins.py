"""The built-in plugins, and the finder of all plugins that definitions may name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from scoopi.model.place import source_folder
from scoopi.plugins.plugin_finder import PluginFinder
from scoopi.plugins.plugin_ports import PluginKind

BUILTINS: Mapping[PluginKind, Mapping[str, str]] = MappingProxyType(
    {
        "appenders": {
            "FileAppender": "scoopi.plugins.builtin_appenders:FileAppender",
            "ListAppender": "scoopi.plugins.builtin_appenders:ListAppender",
        },
        "encoders": {
            "CsvEncoder": "scoopi.plugins.encoders.csv_encoder:CsvEncoder",
            "JsonlEncoder": "scoopi.plugins.encoders.jsonl_encoder:JsonlEncoder",
        },
        "converters": {
            "DateRoller": "scoopi.plugins.converters.date_roller:DateRoller",
            "DateFormatter": "scoopi.plugins.converters.date_formatter:DateFormatter",
            "DateFormater": "scoopi.plugins.converters.date_formatter:DateFormatter",
        },
        "scripts": {
            "BasicScript": "scoopi.plugins.builtin_scripts:BasicScript",
        },
    }
)
"""Kind -> name -> where the plugin is; each is imported when it is used."""


def finder_of(definitions: Path, current_folder: Path) -> PluginFinder:
    """The finder of the plugins that definitions name: the built-in ones, those of packages, and files.

    Files are looked for in `plugins/` beside the definitions, then in the current folder.

    Args:
        definitions: a folder, or a single file.
    """
    folders = (source_folder(definitions) / "plugins", current_folder / "plugins")
    return PluginFinder(tuple(dict.fromkeys(folders)), BUILTINS)
