"""Configs: the effective value of every setting, and its source."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from scoopi.configs.given import expand
from scoopi.configs.registry import SETTINGS, SETTINGS_BY_KEY
from scoopi.configs.setting import Scope, Setting

DEFAULT = "default"
COMPOSED = "the run"


class Entry(msgspec.Struct, frozen=True):
    """A setting's value.

    Attributes:
        text: the value; None if it has none.
        written: the value with its `${env:…}` references, as stored on disk.
        shown: the value with secrets masked.
        origin: where it was set: `default`, `conf/scoopi.yml:3`, `environment SCOOPI_X`, `-D`, `the run`.
        given: whether it was set for this call; false for defaults and for values stored with the run.
    """

    text: str | None
    written: str | None
    shown: str | None
    origin: str = DEFAULT
    given: bool = False


class Configs(msgspec.Struct, frozen=True):
    """The effective value of every setting of the registry, and its source.

    Attributes:
        warnings: warnings about keys that have no effect.
        site_files: settings files with a section `sites`, relative to the current folder.
    """

    entries: dict[str, Entry]
    warnings: tuple[str, ...] = ()
    site_files: tuple[str, ...] = ()

    @classmethod
    def of_entries(cls, entries: Mapping[str, Entry], warnings: tuple[str, ...] = ()) -> Configs:
        """Build configs from entries by key, with defaults for all other settings."""
        full = {setting.key: entries.get(setting.key) or default_entry(setting) for setting in SETTINGS}
        return cls(full, warnings)

    @classmethod
    def from_composed(cls, composed: Mapping[str, str]) -> Configs:
        """Build configs from the `composed()` values of another process; unknown keys are ignored."""
        entries = {key: Entry(text, text, text, COMPOSED) for key, text in composed.items()}
        return cls.of_entries(entries)

    @classmethod
    def from_kept(cls, kept: Mapping[str, str], environ: Mapping[str, str]) -> Configs:
        """Build configs from `kept()` values in a run's folder; `${env:…}` is expanded from `environ`.

        Raises:
            ConfigError: an environment variable that the run uses is not set.
        """
        entries: dict[str, Entry] = {}
        for key, written in kept.items():
            value = expand(written, environ, f"{key} of the run")
            entries[key] = Entry(value.text, written, value.shown, COMPOSED)
        return cls.of_entries(entries)

    @property
    def given(self) -> dict[str, Entry]:
        """The settings given for this call, by key."""
        return {key: entry for key, entry in self.entries.items() if entry.given}

    def given_of(self, scope: Scope) -> dict[str, str]:
        """Return key -> value as written, of the settings of a scope that were given for this call."""
        return {
            key: entry.written
            for key, entry in self.given.items()
            if entry.written is not None and SETTINGS_BY_KEY[key].scope is scope
        }

    def composed(self) -> dict[str, str]:
        """Return key -> value of all settings with a value, for workers. Never store this on disk.

        Passwords are excluded, as workers need none; `${env:…}` references are expanded.
        """
        return {
            key: entry.text
            for key, entry in self.entries.items()
            if entry.text is not None and not SETTINGS_BY_KEY[key].is_secret
        }

    def kept(self) -> dict[str, str]:
        """Return key -> value for the run's folder: as written, with `${env:…}` unexpanded, no passwords."""
        return {
            key: entry.written
            for key, entry in self.entries.items()
            if entry.written is not None and not SETTINGS_BY_KEY[key].is_secret
        }

    @property
    def secrets(self) -> frozenset[str]:
        """The settings whose value is masked."""
        return frozenset(key for key, entry in self.entries.items() if entry.shown != entry.text)

    def entry(self, key: str) -> Entry:
        """Return the entry of a setting.

        Raises:
            KeyError: there is no such setting.
        """
        return self.entries[key]

    def origin(self, key: str) -> str:
        """Return where the value of a setting was set; see `Entry.origin`."""
        return self.entries[key].origin

    def text(self, key: str) -> str:
        """Return the value of a setting as text; empty if it has none."""
        return self.entries[key].text or ""

    def number(self, key: str) -> int:
        """Return the value of a whole-number setting, in the unit of the registry."""
        return int(self.text(key))

    def flag(self, key: str) -> bool:
        """Return the value of a boolean setting."""
        return self.text(key) == "true"

    def path(self, key: str, folder: Path) -> Path:
        """Return the value of a path setting; a relative path is resolved against `folder`."""
        return folder / self.text(key)


def default_entry(setting: Setting) -> Entry:
    """Return the entry of a setting that was not given."""
    return Entry(setting.default, setting.default, setting.default)
