"""KeptExtractors: extractors that are used again while all that they were compiled from stays as it is."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from scoopi.bootstrap.extractor import Extractor
from scoopi.configs.configs_reader import FOLDER_FILE
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.source_files import SourceFiles

_MOST = 8
_UNSURE_NS = 100_000_000
"""What was changed so shortly before it was looked at may be changed again without a sign."""

Stamp = tuple[int, ...] | None
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class _Kept:
    """An extractor, and by which files and environment it was made."""

    extractor: Extractor
    paths: Sequence[str]
    stamps: Sequence[Stamp]
    variables: Mapping[Any, Any]

    def stands(self, variables: Mapping[Any, Any]) -> bool:
        return self.variables == variables and self.stamps == list(map(_stamp, self.paths))


class KeptExtractors:
    """Belongs to one thread, as extractors do; the least used one is forgotten.

    What uses files of its own (plugins, scripts), or was changed a moment ago, is compiled each time.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, _Kept] = OrderedDict()

    def of(self, defs: Path, configs: Mapping[str, str], environ: Mapping[str, str]) -> Extractor:
        """The extractor for these definitions and settings, as files and environment are now.

        Raises:
            BootError: the definitions or settings are wrong.
        """
        variables = getattr(environ, "_data", environ)  # of `os.environ`, which is thirty times as slow
        key = (str(defs), os.getcwd(), *sorted(configs.items()))
        known = self._kept.pop(key, None)
        if known is None or not known.stands(variables):
            known = _made(defs, configs, environ, dict(variables))
        if known.stamps and not known.extractor.reads_files_of_its_own:
            self._kept[key] = known
            if len(self._kept) > _MOST:
                self._kept.popitem(last=False)
        return known.extractor.at(datetime.now().astimezone())


def extractor_of(defs: Path, configs: Mapping[str, str], environ: Mapping[str, str]) -> Extractor:
    """As `KeptExtractors.of`, for the thread that asks."""
    if not hasattr(_OF_THREAD, "kept"):
        _OF_THREAD.kept = KeptExtractors()
    kept: KeptExtractors = _OF_THREAD.kept
    return kept.of(defs, configs, environ)


_OF_THREAD = threading.local()


def _made(
    defs: Path, configs: Mapping[str, str], environ: Mapping[str, str], variables: Mapping[Any, Any]
) -> _Kept:
    """A new extractor; without stamps when its files were changed a moment ago."""
    source = defs.absolute()
    files = SourceFiles(source, Findings())
    paths = [*files.find(), *files.folders, Path.cwd() / FOLDER_FILE]
    names = [str(path) for path in paths]
    now_ns = time.time_ns()
    stamps = [_stamp(name) for name in names]
    changed_ns = max((max(stamp[:2]) for stamp in stamps if stamp), default=now_ns)
    extractor = Extractor(defs, configs, environ)
    return _Kept(extractor, names, stamps if changed_ns < now_ns - _UNSURE_NS else (), variables)


def _stamp(path: str) -> Stamp:
    """Changes when the file does, or the names in the folder; None when there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_dev
