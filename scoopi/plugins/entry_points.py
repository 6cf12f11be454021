"""EntryPoints: plugins that installed packages offer, and the digests that identify their versions."""

from __future__ import annotations

import inspect
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoopi.errors import PluginError
from scoopi.plugins.plugin_files import file_digest
from scoopi.plugins.plugin_ports import PluginKind

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PREFIX = "entry point "


class EntryPoints:
    """Loads them, and remembers of each the package's name and version, and the digest of the file."""

    def __init__(self) -> None:
        self._digests: dict[str, str] = {}

    def find(self, kind: PluginKind, class_name: str) -> Any:
        """What an installed package offers under that name; None when none does.

        Raises:
            PluginError: it cannot be loaded.
        """
        entry = _entry(f"scoopi.{kind}", class_name)
        if entry is None:
            return None
        try:
            found = entry.load()
        except Exception as error:
            raise PluginError(
                f"{class_name} of the package {entry.dist.name if entry.dist else entry.value} "
                f"cannot be loaded: {type(error).__name__}: {error}"
            ) from error
        self._digests[f"{PREFIX}scoopi.{kind} {class_name}"] = _package(entry)
        with suppress(OSError, TypeError):  # a built-in has no file
            file = inspect.getfile(inspect.unwrap(found))
            self._digests[file] = file_digest(Path(file).read_bytes())
        return found

    def digests(self) -> dict[str, str]:
        """By the name of the entry point: its package; by the path of its file: the digest."""
        return dict(self._digests)


def digest_now(name: str) -> str:
    """What `EntryPoints.digests`, or that of a file, would be now; empty when it is not there."""
    if name.startswith(PREFIX):
        group, _, class_name = name.removeprefix(PREFIX).partition(" ")
        entry = _entry(group, class_name)
        return "" if entry is None else _package(entry)
    try:
        return file_digest(Path(name).read_bytes())
    except OSError:
        return ""


def _entry(group: str, class_name: str) -> EntryPoint | None:
    from importlib import metadata  # late: most runs use built-in plugins only

    return next(iter(metadata.entry_points(group=group, name=class_name)), None)


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version} {entry.value}" if entry.dist else entry.value
