"""PluginFiles: the user's plugin files, and the classes and functions in them."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from types import CodeType, ModuleType

from scoopi.errors import PluginError


@dataclass(frozen=True, slots=True)
class CodeFault:
    """An error in one line, and `file:line` in the user's code (empty if it was raised elsewhere)."""

    what: str
    at: str


def fault_of(error: BaseException, is_users: Callable[[str], bool]) -> CodeFault:
    """Describe an error by its innermost line in a file of the user.

    Args:
        is_users: whether a file is the user's, by its path.
    """
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SyntaxError) and error.filename and is_users(error.filename):
        return CodeFault(f"{type(error).__name__}: {error.msg}", f"{error.filename}:{error.lineno}")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if is_users(frame.filename)]
    return CodeFault(what, f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "")


class PluginFiles:
    """Finds classes and functions in the user's plugin files, `*.py` in some folders.

    Only a file that defines the name is run. It can import its neighbours; otherwise `sys.path` is
    unchanged, and no byte code is written.

    Args:
        folders: in search order; missing ones are skipped.
    Source: docs/plugins.md.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(dict.fromkeys(folder.resolve() for folder in folders))
        self._modules: dict[Path, ModuleType] = {}
        self._digests: dict[str, str] = {}

    def find(self, name: str) -> object | None:
        """The class or function called `MyThing` in any file, or `my_module.MyThing` in that file; else None.

        Raises:
            PluginError: it is not a dotted name, several files of a folder define it, or its file is invalid
                or lies outside the folders.
        """
        if not all(part.isidentifier() for part in name.split(".")):
            raise PluginError(
                f"class {name!r} is not a dotted name", hint="write MyThing, or my_module.MyThing"
            )
        module, _, attribute = name.rpartition(".")
        for folder in self._folders:
            path = self._file_of(folder, module, attribute)
            found: object = getattr(self._load(path, folder), attribute, None) if path else None
            if found is not None:
                return found
        return None

    def names(self) -> set[str]:
        """The names of all classes and functions, for suggestions."""
        return {
            name
            for folder in self._folders
            for path in _files(folder)
            for name in _defined(path, lenient=True)
        }

    def digests(self) -> dict[str, str]:
        """Path of each file that was run or imported by one -> its blake2b digest in hex."""
        return dict(self._digests)

    def _file_of(self, folder: Path, module: str, attribute: str) -> Path | None:
        if module:
            path = folder.joinpath(*module.split(".")).with_suffix(".py")
            return path if path.is_file() else None
        files = _files(folder)
        found = [path for path in files if attribute in _defined(path, lenient=True)]
        if len(found) > 1:
            names = ", ".join(path.name for path in found)
            raise PluginError(
                f"{attribute} is defined in several files: {names}",
                at=str(folder),
                hint=f"name the file too, as in {found[0].stem}.{attribute}",
            )
        if not found:
            for path in files:
                _defined(path)
        return found[0] if found else None

    def _load(self, path: Path, folder: Path) -> ModuleType:
        real = path.resolve()  # links within a folder are common: Kubernetes mounts files like that
        if not any(real.is_relative_to(allowed) for allowed in self._folders):
            raise PluginError(
                f"plugin file is a link that leads out of its folder, to {real}",
                at=str(path),
                hint=f"put the file itself into {folder}",
            )
        if path not in self._modules:
            self._modules[path] = self._run(path, folder)
        return self._modules[path]

    def _run(self, path: Path, folder: Path) -> ModuleType:
        name = f"scoopi_plugin_{file_digest(str(path).encode())[:12]}_{path.stem}"
        spec = importlib.util.spec_from_file_location(name, path, loader=_Loader(name, str(path)))
        if spec is None or spec.loader is None:
            raise PluginError("plugin file cannot be loaded", at=str(path))
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            with _importable(path.parent, folder):
                spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:  # a file of the user may call sys.exit
            del sys.modules[name]
            fault = fault_of(error, partial(_is_below, folder))
            raise PluginError(f"plugin file failed: {fault.what}", at=fault.at or str(path)) from error
        self._note_digests(folder)
        return module

    def _note_digests(self, folder: Path) -> None:
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            if file and file not in self._digests and _is_below(folder, file):
                # An earlier finder of this process may have loaded a file that has been removed since.
                with suppress(FileNotFoundError):
                    self._digests[file] = file_digest(Path(file).read_bytes())


class _Loader(importlib.machinery.SourceFileLoader):
    """Always compiles the source: no cached byte code is read or written."""

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code


@contextmanager
def _importable(*folders: Path) -> Iterator[None]:
    added = [str(folder) for folder in dict.fromkeys(folders)]
    sys.path[:0] = added
    written = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = written
        for folder in added:
            sys.path.remove(folder)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.py") if path.is_file()) if folder.is_dir() else []


def _defined(path: Path, *, lenient: bool = False) -> set[str]:
    """Names of the classes and functions at a file's top level; the file is not run.

    Args:
        lenient: return no names if the file is not valid Python.
    Raises:
        PluginError: the file cannot be read, or is not valid Python.
    """
    import symtable  # late: most runs use built-in plugins only

    try:
        # Not ast.parse: Python 3.11 mixes up the recursion depths of two threads that parse at the same time.
        top = symtable.symtable(importlib.util.decode_source(path.read_bytes()), str(path), "exec")
    except (SyntaxError, ValueError) as error:
        if lenient:
            return set()
        line = f":{error.lineno}" if isinstance(error, SyntaxError) else ""
        raise PluginError(f"plugin file is not valid Python: {error}", at=f"{path}{line}") from error
    except OSError as error:
        raise PluginError(f"plugin file cannot be read: {error.strerror}", at=str(path)) from error
    return {symbol.get_name() for symbol in top.get_symbols() if symbol.is_namespace()}


def _is_below(folder: Path, file: str) -> bool:
    return Path(file).is_relative_to(folder)


def file_digest(body: bytes) -> str:
    """The digest that shows whether a user's file was edited: blake2b in hex."""
    return blake2b(body, digest_size=16).hexdigest()
