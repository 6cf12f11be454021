"""`scoopi config`: shows every setting, its value and its source."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.options import add_settings, read_settings
from scoopi.cli.terminal import Terminal, printable

if TYPE_CHECKING:
    from scoopi.configs.configs import Configs, Entry
    from scoopi.configs.setting import Setting

_WIDEST = 40


class Config:
    """One line a setting, on stdout; secrets are masked."""

    usage = "scoopi config [options]"
    sentence = "Shows every setting with its value and its source; values from ${env:…} are masked."
    example = "scoopi config\nscoopi config --conf fast.yml -D scoopi.workers=2 --verbose"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The settings of a run, and how much to show."""
        add_settings(parser)
        help_text = "show what each setting does, its domain, its scope and its environment variable"
        parser.add_argument("-v", "--verbose", action="store_true", help=help_text)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Print the table."""
        from scoopi.configs.configs_reader import ConfigsReader

        settings = read_settings(options.settings)
        configs = ConfigsReader().read(settings, options.conf, terminal.environ, Path.cwd())
        for line in table(configs, options.verbose):
            terminal.give(line)
        return DONE


def table(configs: Configs, verbose: bool) -> list[str]:
    """Key, value with unit, and origin, aligned; with `verbose` a sentence below each."""
    from scoopi.configs.registry import SETTINGS

    rows = [(setting, configs.entry(setting.key)) for setting in SETTINGS]
    key_width = max(len(setting.key) for setting, _ in rows)
    value_width = min(_WIDEST, max(len(_value(setting, entry)) for setting, entry in rows))
    lines: list[str] = []
    for setting, entry in rows:
        value = _value(setting, entry)
        lines.append(f"{setting.key:<{key_width}}  {value:<{value_width}}  {printable(entry.origin)}")
        if verbose:
            lines.append(f"    {setting.sentence}")
            lines.append(f"    {setting.domain}; scope {setting.scope}; {setting.environment}")
    return lines


def _value(setting: Setting, entry: Entry) -> str:
    if entry.shown is None:
        return "(unset)"
    value = entry.shown
    if not value or value != value.strip():
        value = json.dumps(value, ensure_ascii=False)
    return printable(f"{value} {setting.unit}" if setting.unit else value)


VERB: Verb = Config()
