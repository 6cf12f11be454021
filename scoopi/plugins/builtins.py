"""The built-in plugins by kind and name; each is imported when it is used."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

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
