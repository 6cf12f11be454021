"""PluginFinder: resolves the `class:` of a plugin's definition, and constructs the plugin."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from scoopi.errors import PluginError, ScoopiError
from scoopi.model.scrape.plugin_def import PluginDef
from scoopi.model.text.shown import nearest
from scoopi.plugins.parameters import STEP_FIELDS, Parameters, PluginFault, StepField
from scoopi.plugins.plugin_files import PluginFiles, fault_of, file_digest
from scoopi.plugins.plugin_ports import PluginKind

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PREFIX = "entry point "
_NAME = "name"
NO_DEFAULTS: Mapping[str, str] = MappingProxyType({})
_NO_FIELDS: Mapping[str, StepField] = MappingProxyType({})
_REQUIRED: Mapping[PluginKind, tuple[str, ...]] = MappingProxyType(
    {
        "appenders": ("output",),
        "encoders": ("encode", "header"),
        "converters": ("convert",),
        "scripts": ("__call__",),
        "loaders": ("load",),
    }
)
"""The attributes that a plugin of a kind must have, see `plugin_ports.py`."""


class EntryPoints:
    """Loads plugins from entry points of installed packages, and notes their packages and digests."""

    def __init__(self) -> None:
        self._digests: dict[str, str] = {}

    def find(self, kind: PluginKind, class_name: str) -> Any:
        """The plugin that an installed package provides under this name; None if none does.

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
        """Name of each entry point in use -> its package and version; path of its file -> its digest."""
        return dict(self._digests)


def digest_now(name: str) -> str:
    """The current value of a name in `PluginFinder.digests`; empty if the file or entry point is gone."""
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


class PluginFinder:
    """Finds the plugin that a `class:` in a definition names, checks its fields and constructs it.

    Looks for a built-in, then an entry point, then a file of the user.

    Args:
        folders: folders of the user's files, in search order.
        builtins: kind -> name -> the class or function itself, or `module:Name`, imported when it is used.
    Source: docs/plugins.md.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        builtins: Mapping[PluginKind, Mapping[str, Callable[..., Any] | str]],
    ) -> None:
        self._builtins = builtins
        self._files = PluginFiles(folders)
        self._entries = EntryPoints()
        self._found: dict[tuple[PluginKind, str], Callable[..., Any]] = {}

    def find(self, kind: PluginKind, class_name: str) -> Callable[..., Any]:
        """The class or function that `class_name` names.

        Raises:
            PluginError: there is none, with a suggestion; or it cannot be loaded, with file and line.
        """
        key = (kind, class_name)
        if key not in self._found:
            self._found[key] = self._looked_up(kind, class_name)
        return self._found[key]

    def check(self, kind: PluginKind, plugin: PluginDef) -> list[PluginFault]:
        """What is wrong with a plugin's class and fields, one sentence each, without the place."""
        try:
            target = self.find(kind, plugin.class_name)
            parameters = self._parameters(kind, target)
        except PluginError as error:
            return [PluginFault(str(error), "class")]
        faults = [
            fault
            for name, field in STEP_FIELDS.get(kind, _NO_FIELDS).items()
            if name not in parameters and (fault := field.fault(name, plugin.fields))
        ]
        return faults + parameters.faults(self._own_fields(kind, parameters, plugin))

    def construct(
        self, kind: PluginKind, plugin: PluginDef, defaults: Mapping[str, str] = NO_DEFAULTS
    ) -> Any:
        """The plugin as defined. A function of the kind `scripts` is returned with its fields bound to it.

        Args:
            defaults: values for parameters of a built-in plugin that the definition leaves out.
        Raises:
            PluginError: the class is unknown, fields are wrong, the constructor rejects them, or the
                object lacks an attribute that its kind requires.
        """
        faults = self.check(kind, plugin)
        if faults:
            raise PluginError(
                f"plugin {plugin.name}: {'; '.join(fault.what for fault in faults)}", at=str(plugin.place)
            )
        target = self.find(kind, plugin.class_name)
        parameters = self._parameters(kind, target)
        values = parameters.values(self._own_fields(kind, parameters, plugin))
        if _NAME in parameters.given:
            values[_NAME] = plugin.name
        if self._built_in(kind, plugin.class_name) is not None:
            values = {name: value for name, value in defaults.items() if name in parameters} | values
        if _is_script_function(kind, target):
            return partial(target, **values) if values else target
        made = self._made(target, values, plugin)
        lacking = [name for name in _REQUIRED.get(kind, ()) if not hasattr(made, name)]
        if lacking and self._built_in(kind, plugin.class_name) is None:
            what = f"plugin {plugin.name}: {plugin.class_name} has no {' and no '.join(lacking)}"
            raise PluginError(
                what, at=str(plugin.place), hint=f"{kind} must have it; see scoopi.plugins.plugin_ports"
            )
        return made

    def digests(self) -> dict[str, str]:
        """Path of each plugin file in use -> its digest; name of each entry point -> its package."""
        return self._entries.digests() | self._files.digests()

    def _looked_up(self, kind: PluginKind, class_name: str) -> Callable[..., Any]:
        found: Any = self._built_in(kind, class_name)
        if isinstance(found, str):
            return _imported(found)
        found = found or self._entries.find(kind, class_name) or self._files.find(class_name)
        if found is None:
            raise PluginError(f"unknown class {class_name} of {kind}", hint=self._hint(kind, class_name))
        if not callable(found):
            raise PluginError(f"{class_name} is neither a class nor a function")
        thing: Callable[..., Any] = found
        return thing

    def _built_in(self, kind: PluginKind, class_name: str) -> Callable[..., Any] | str | None:
        builtins = self._builtins.get(kind, {})
        return builtins.get(class_name) or builtins.get(class_name.rpartition(".")[2])

    def _hint(self, kind: PluginKind, class_name: str) -> str:
        names = sorted({*self._builtins.get(kind, {}), *self._files.names()})
        near = nearest(class_name.rpartition(".")[2], names)
        if near:
            return f"did you mean {near}?"
        built_in = ", ".join(self._builtins.get(kind, {}))
        own = "put its file into plugins/"
        return f"built-in: {built_in}; or {own}" if built_in else f"correct the name, or {own}"

    def _parameters(self, kind: PluginKind, target: Callable[..., Any]) -> Parameters:
        skip = 1 if _is_script_function(kind, target) else 0
        try:
            return Parameters(target, given=(_NAME,), skip=skip)
        except (NameError, TypeError, ValueError) as error:
            name = getattr(target, "__qualname__", target)
            raise PluginError(f"signature of {name} cannot be read: {error}") from error

    def _own_fields(self, kind: PluginKind, parameters: Parameters, plugin: PluginDef) -> dict[str, Any]:
        others = STEP_FIELDS.get(kind, _NO_FIELDS)
        return {
            field: value
            for field, value in plugin.fields.items()
            if field in parameters or field not in others
        }

    def _made(self, target: Callable[..., Any], values: dict[str, Any], plugin: PluginDef) -> Any:
        try:
            return target(**values)
        except ScoopiError as error:
            raise PluginError(
                f"plugin {plugin.name}: {error.what}", at=str(plugin.place), hint=error.hint
            ) from error
        except (Exception, SystemExit) as error:
            file = getattr(inspect.getmodule(target), "__file__", "")
            fault = fault_of(error, lambda name: name == file)
            where = f" ({fault.at})" if fault.at else ""
            raise PluginError(
                f"plugin {plugin.name} cannot be constructed: {fault.what}{where}", at=str(plugin.place)
            ) from error


def _is_script_function(kind: PluginKind, target: Callable[..., Any]) -> bool:
    return kind == "scripts" and not isinstance(target, type)


def _imported(path: str) -> Callable[..., Any]:
    module, _, name = path.partition(":")
    thing: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return thing
