"""ModuleReader: finds the names that a Python module defines, without running it."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.machinery import PathFinder
from pathlib import Path

_MODULE = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True, slots=True)
class ModuleNames:
    """The names that a module defines at its top level.

    Attributes:
        names: functions, classes, variables and imports.
        parameters: by function, the names of the parameters without a default.
        methods: by class without a base, the names of its methods and attributes.
        not_called: name -> why a call of it gives no result: what it is, as "of type str".
        is_whole: whether the names are complete: nothing in the source can define further ones.
        problem: why the source cannot be read; empty if it can.
    """

    names: frozenset[str] = frozenset()
    parameters: dict[str, tuple[str, ...]] = field(default_factory=dict)
    methods: dict[str, frozenset[str]] = field(default_factory=dict)
    not_called: dict[str, str] = field(default_factory=dict)
    is_whole: bool = True
    problem: str = ""


class ModuleReader:
    """Finds the names that modules define; modules of the project come before installed ones.

    Args:
        root: the folder of the project.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.absolute()  # Python caches the finder of a relative path even if the folder changes
        importlib.invalidate_caches()  # Python caches the listing of a folder until its time changes
        self._known: dict[str, ModuleNames | None] = {}

    def own(self) -> list[str]:
        """Return the names of the modules and packages in the project's root folder, sorted."""
        files = (each for each in self._root.iterdir() if _MODULE.fullmatch(each.stem))
        return sorted(each.stem for each in files if each.suffix == ".py" or (each / "__init__.py").exists())

    def names_of(self, module: str) -> ModuleNames | None:
        """Return what a module defines; None if it is neither in the project nor installed here."""
        if module not in self._known:
            self._known[module] = self._names_of(module)
        return self._known[module]

    def _names_of(self, module: str) -> ModuleNames | None:
        folders: list[str] | None = [str(self._root)]
        spec = None
        for part in module.split("."):
            if folders is None:
                return self._loaded(module)
            spec = PathFinder.find_spec(part, folders) or (
                PathFinder.find_spec(part) if folders == [str(self._root)] else None
            )
            if spec is None:
                return self._loaded(module)
            locations = spec.submodule_search_locations
            folders = None if locations is None else [*locations]
        assert spec is not None
        if spec.origin is None or not spec.origin.endswith(".py"):
            return ModuleNames(is_whole=False)  # compiled, or a namespace package
        return self._read(Path(spec.origin))

    def _loaded(self, module: str) -> ModuleNames | None:
        """The names of a module without a file of its own, such as `sys`; None for one of the project."""
        is_own = PathFinder.find_spec(module.partition(".")[0], [str(self._root)]) is not None
        is_known = module in sys.modules or module in sys.builtin_module_names
        return ModuleNames(is_whole=False) if is_known and not is_own else None

    def _read(self, file: Path) -> ModuleNames:
        shown = file.relative_to(self._root) if file.is_relative_to(self._root) else file
        try:
            tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError) as error:
            line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
            what = error.msg if isinstance(error, SyntaxError) else str(error)
            return ModuleNames(problem=f"{shown}{line}: {what}")
        except RecursionError:  # such as a sum of thousands of texts, which Python itself may well run
            return ModuleNames(is_whole=False)
        except OSError as error:
            return ModuleNames(problem=f"{shown}: {error.strerror}")
        found = _Names()
        found.collect(tree.body)
        return found.of_module()


class _Names:
    """The names that a module's top-level statements define, also inside `if`, `try` and `with`."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._parameters: dict[str, tuple[str, ...]] = {}
        self._methods: dict[str, frozenset[str]] = {}
        self._not_called: dict[str, str] = {}

    def of_module(self) -> ModuleNames:
        """Return all names that were collected."""
        names = frozenset(self._names)
        is_whole = names.isdisjoint(("*", "__getattr__"))
        return ModuleNames(names, self._parameters, self._methods, self._not_called, is_whole)

    def collect(self, statements: Iterable[ast.stmt]) -> None:
        """Add the names of statements; one that was defined before may be either."""
        for each in statements:
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                is_plain = not each.decorator_list  # a decorator may change what it is, and its parameters
                is_async = is_plain and isinstance(each, ast.AsyncFunctionDef)
                self._define(each.name, "an async function, which nothing awaits" if is_async else "")
                if is_plain:
                    self._parameters[each.name] = _needed(each.args)
            elif isinstance(each, ast.ClassDef):
                self._define(each.name)
                if not (each.bases or each.keywords or each.decorator_list):
                    inside = _Names()
                    inside.collect(each.body)
                    self._methods[each.name] = frozenset(inside._names)
            elif isinstance(each, ast.Import | ast.ImportFrom):
                for alias in each.names:
                    self._define(alias.asname or alias.name.partition(".")[0])
            else:
                self._collect_other(each)

    def _collect_other(self, statement: ast.stmt) -> None:
        what = _literal(statement)
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                self._define(node.id, what)
        for part in ("body", "orelse", "finalbody"):
            self.collect(getattr(statement, part, ()))
        for handler in getattr(statement, "handlers", ()):
            self.collect(handler.body)

    def _define(self, name: str, not_called: str = "") -> None:
        if not_called and name not in self._names:
            self._not_called[name] = not_called
        else:
            self._not_called.pop(name, None)
        self._names.add(name)


def _literal(statement: ast.stmt) -> str:
    """What an assignment of a literal defines, as "of type str"; empty for anything else, and None."""
    if not isinstance(statement, ast.Assign):
        return ""
    try:
        value = ast.literal_eval(statement.value)
    except (ValueError, TypeError):  # not a literal, or one that fails, as a mapping by lists does
        return ""
    return "" if value is None else f"of type {type(value).__name__}"


def _needed(arguments: ast.arguments) -> tuple[str, ...]:
    positional = [*arguments.posonlyargs, *arguments.args]
    without = positional[: len(positional) - len(arguments.defaults)]
    named = [
        each for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if not default
    ]
    return tuple(each.arg for each in (*without, *named))
