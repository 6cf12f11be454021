"""ConfigsReader: layers the settings of files, environment and options over the defaults."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec.structs import replace

from scoopi.configs.configs import Configs, Entry
from scoopi.configs.given import Given, expand, near_setting, read_environment
from scoopi.configs.original_keys import original_note
from scoopi.configs.registry import SETTINGS_BY_KEY
from scoopi.configs.run_date import check_run_date
from scoopi.configs.setting import read_value
from scoopi.errors import ConfigError
from scoopi.model.text.secrets import MASK

FOLDER_FILE = "conf/scoopi.yml"
log = logging.getLogger(__name__)


class ConfigsReader:
    """Layers the settings of files, environment and options over the defaults. Used once.

    In descending order of precedence: `-D`, the environment, `--conf FILE`, `conf/scoopi.yml` in the current
    folder, the defaults (docs/settings.md).
    """

    def __init__(self) -> None:
        self._environ: Mapping[str, str] = {}
        self._entries: dict[str, Entry] = {}
        self._warnings: dict[str, str] = {}
        self._faults: list[ConfigError] = []
        self._site_files: list[str] = []

    def read(
        self,
        overrides: Mapping[str, str],
        conf_file: Path | None,
        environ: Mapping[str, str],
        folder: Path,
        *,
        workers: str | None = None,
    ) -> Configs:
        """Read the effective settings; keys of the Java original without effect are logged as warnings.

        Args:
            overrides: key -> value of each `-D`.
            conf_file: the file of `--conf`; None without this option.
            environ: the environment variables.
            folder: the current folder.
            workers: the value of `--workers`, which takes precedence over `-D`; None without this option.
        Raises:
            ConfigError: reports all errors at once.
        """
        self._environ = environ
        for path, shown in self._files(conf_file, folder):
            from scoopi.configs.conf_file import ConfFile  # late: most runs have no settings file

            conf = ConfFile(path, shown).read()
            self._faults += conf.faults
            self._lay(conf.given)
            if conf.has_sites:
                self._site_files.append(shown)
        given, faults = read_environment(environ)
        self._faults += faults
        self._lay(given)
        self._lay(Given(key, text, "-D", f"-D {key}") for key, text in overrides.items())
        if workers is not None:
            self._lay([Given("scoopi.workers", workers, "--workers", "--workers")])
        configs = Configs.of_entries(self._entries, tuple(self._warnings.values()))
        configs = replace(configs, site_files=tuple(self._site_files))
        self._check(configs)
        for warning in configs.warnings:
            log.warning("%s", warning)
        return configs

    def _files(self, conf_file: Path | None, folder: Path) -> Iterable[tuple[Path, str]]:
        standard = folder / FOLDER_FILE
        if _stands(standard):
            yield standard, FOLDER_FILE
        if conf_file is not None:
            yield folder / conf_file, str(conf_file)

    def _lay(self, layer: Iterable[Given]) -> None:
        for given in layer:
            try:
                self._lay_one(given)
            except ConfigError as fault:
                self._faults.append(fault)

    def _lay_one(self, given: Given) -> None:
        setting = SETTINGS_BY_KEY.get(given.key)
        if setting is None:
            self._pass_over(given)
            return
        value = expand(given.text, self._environ, given.at)
        if setting.is_secret and value.text:
            value = value._replace(shown=MASK)
        text = read_value(setting, value.text, shown=value.shown, at=given.at)
        secret = value.shown != value.text
        written, shown = (given.text, value.shown) if secret else (text, text)
        self._entries[given.key] = Entry(text, written, shown, given.origin, given=True)

    def _pass_over(self, given: Given) -> None:
        note = original_note(given.key)
        if note is None:
            raise ConfigError(
                f"{given.key} is not a setting", at=given.at, hint=near_setting(given.key, SETTINGS_BY_KEY)
            )
        self._warnings[given.key] = f"{given.at}: {given.key} has no meaning here: {note}"

    def _check(self, configs: Configs) -> None:
        if not self._faults:
            try:
                check_run_date(configs)
            except ConfigError as fault:
                self._faults.append(fault)
        if len(self._faults) == 1:
            raise self._faults[0]
        if self._faults:
            lines = "".join(f"\n  {fault}" for fault in self._faults)
            raise ConfigError(f"{len(self._faults)} errors in the settings:{lines}")


def _stands(path: Path) -> bool:
    """Whether the path exists, even if reading it will fail."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True
