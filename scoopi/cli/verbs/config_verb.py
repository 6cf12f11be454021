"""`scoopi config`: shows every setting, its value and its source."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.options import add_inputs, add_settings, given_inputs, read_settings
from scoopi.cli.terminal import Terminal, printable
from scoopi.errors import UsageError

if TYPE_CHECKING:
    from scoopi.configs.configs import Configs, Entry
    from scoopi.configs.setting import Setting
    from scoopi.model.sites import SiteView

_WIDEST = 40


class Config:
    """Shows the effective settings, one per line on stdout; secrets are masked."""

    usage = "scoopi config [options]"
    sentence = (
        "Shows every setting with its value and its source; values from ${env:…} are masked.\n"
        "With --site it shows the settings for the host of a URL."
    )
    example = (
        "scoopi config\n"
        "scoopi config --conf fast.yml -D scoopi.workers=2 --verbose\n"
        "scoopi config --site https://example.org/ --defs defs/examples/quickstart"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the settings of a run, and the options of the output."""
        add_settings(parser)
        add_inputs(parser)
        help_text = "show what each setting does, its domain, its scope and its environment variable"
        parser.add_argument("-v", "--verbose", action="store_true", help=help_text)
        help_text = "show the values of `sites` for the host of this URL"
        parser.add_argument("--site", metavar="URL", help=help_text)
        help_text = "with --site: definitions whose `sites` apply, too"
        parser.add_argument("--defs", metavar="DEFS", type=Path, help=help_text)
        parser.add_argument("--json", action="store_true", help="with --site: print JSON")

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Print the settings.

        Raises:
            UsageError: an option of `--site` is given without it.
            ConfigError, DefsError: the settings or definitions are wrong.
        """
        if options.site is not None:
            return self._show_site(options, terminal)
        if options.defs is not None or options.json:
            raise UsageError("--defs and --json belong to --site", hint="add --site URL")
        from scoopi.configs.configs_reader import ConfigsReader

        settings = read_settings(options.settings)
        configs = ConfigsReader().read(settings, options.conf, terminal.environ, Path.cwd())
        for line in table(configs, options.verbose):
            terminal.give(line)
        return DONE

    def _show_site(self, options: Namespace, terminal: Terminal) -> int:
        from scoopi.authoring import site_view

        settings = read_settings(options.settings)
        with terminal.kept_for_data():  # reading definitions loads plugins, which may print
            view = site_view(
                options.site, options.defs, options.conf, settings, terminal.environ, given_inputs(options)
            )
        for line in [_json(view)] if options.json else site_lines(view):
            terminal.give(line)
        return DONE


def site_lines(view: SiteView) -> list[str]:
    """Format the host, the entries of `sites` that apply, and key, value and origin of each setting."""
    key_width = max(len(value.key) for value in view.values)
    value_width = min(_WIDEST, max(len(value.value) for value in view.values))
    blocks = ", ".join(f"{pattern} ({place})" for pattern, place in view.blocks)
    lines = [f"host {view.host}: {blocks or 'no entry of sites applies'}"]
    for value in view.values:
        text = f"{value.key:<{key_width}}  {value.value:<{value_width}}  {value.origin}"
        lines.append(text)
    return list(map(printable, lines))


def _json(view: SiteView) -> str:
    values = {value.key: {"value": value.value, "origin": value.origin} for value in view.values}
    blocks = [{"pattern": pattern, "place": place} for pattern, place in view.blocks]
    document = {"url": view.url, "host": view.host, "blocks": blocks, "values": values}
    return json.dumps(document, ensure_ascii=False, indent=2)


def table(configs: Configs, verbose: bool) -> list[str]:
    """Format key, value with unit, and origin of each setting, aligned; with `verbose`, its help below it."""
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
