"""ExtractorCache: caches extractors while the files and the environment they were made from stay the same."""

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

from scoopi.configs.configs_reader import FOLDER_FILE
from scoopi.defs.yaml.findings import Findings
from scoopi.defs.yaml.source_files import SourceFiles
from scoopi.pages.extractor import Extractor
from scoopi.pages.file_stamp import Stamp, is_old, is_unchanged, stamp_of
from scoopi.worker.allocator import keep_freed_memory

_MOST = 8
ExtractorKey = tuple[object, ...]


@dataclass(slots=True)
class _Cached:
    """An extractor, the files and environment that it was made from, and the second of its last use."""

    extractor: Extractor
    paths: Sequence[str]
    stamps: Sequence[Stamp]
    variables: Mapping[Any, Any]
    second: int = 0

    def stands(self, variables: Mapping[Any, Any]) -> bool:
        is_same = self.variables == variables and all(map(is_unchanged, self.paths, self.stamps))
        return is_same and self.extractor.is_current

    def current(self) -> Extractor:
        """The extractor, with the current time as its run date."""
        second = int(time.time())  # run dates are whole seconds
        if second != self.second:
            self.second = second
            self.extractor.at(datetime.now().astimezone())
        return self.extractor


class ExtractorCache:
    """Caches the extractors that a thread used most recently.

    Definitions with plugins in files, and definitions that were modified a moment ago, are compiled each
    time.
    """

    def __init__(self) -> None:
        self._cached: OrderedDict[ExtractorKey, _Cached] = OrderedDict()

    def of(
        self, defs: Path, configs: Mapping[str, str], environ: Mapping[str, str], inputs: Mapping[str, str]
    ) -> Extractor:
        """The extractor for definitions and settings, with the current files and environment.

        Its run date is the current time, unless the settings define it. Arguments as for `Extractor`.

        Raises:
            BootError: the definitions or settings are invalid.
        """
        variables = getattr(environ, "_data", environ)  # `os.environ` itself is thirty times slower
        key = str(defs), os.getcwd(), tuple(sorted(configs.items())), tuple(sorted(inputs.items()))
        known = self._cached.get(key)
        if known is not None and known.stands(variables):
            self._cached.move_to_end(key)
            return known.current()
        self._cached.pop(key, None)
        known = _made(defs, configs, environ, dict(variables), inputs)
        if known.stamps and not known.extractor.has_plugins:
            self._cached[key] = known
            if len(self._cached) > _MOST:
                self._cached.popitem(last=False)
        return known.current()


def extractor_of(
    defs: str | os.PathLike[str],
    configs: Mapping[str, str],
    environ: Mapping[str, str],
    inputs: Mapping[str, str],
) -> Extractor:
    """The extractor for definitions and settings, from the cache of the calling thread.

    See `ExtractorCache.of`. From the first call on, the process keeps freed memory for the next page, as a
    worker does, unless its environment determines how much.
    """
    if not hasattr(_OF_THREAD, "cache"):
        _OF_THREAD.cache = ExtractorCache()
        if not {"MALLOC_TRIM_THRESHOLD_", "GLIBC_TUNABLES"} & {*environ}:
            keep_freed_memory()
    cache: ExtractorCache = _OF_THREAD.cache
    return cache.of(defs if isinstance(defs, Path) else Path(defs), configs, environ, inputs)


_OF_THREAD = threading.local()


def _made(
    defs: Path,
    configs: Mapping[str, str],
    environ: Mapping[str, str],
    variables: Mapping[Any, Any],
    inputs: Mapping[str, str],
) -> _Cached:
    """A new extractor; without stamps if its files were modified a moment ago."""
    source = defs.absolute()
    files = SourceFiles(source, Findings())
    paths = [*files.find(), *files.folders, Path.cwd() / FOLDER_FILE]
    names = [str(path) for path in paths]
    now_ns = time.time_ns()
    stamps = [stamp_of(name) for name in names]
    is_sure = any(stamps) and all(is_old(stamp, now_ns) for stamp in stamps)
    extractor = Extractor(defs, configs, environ, inputs)
    return _Cached(extractor, names, stamps if is_sure else (), variables)
