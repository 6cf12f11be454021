"""The source files of Scoopi and of its tests, for the tests of the structure."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
Function = ast.FunctionDef | ast.AsyncFunctionDef
ENTRY_POINTS = ("__init__.py", "__main__.py")


@dataclass(frozen=True)
class Source:
    """One Python file.

    Attributes:
        name: its path from the top of the checkout, such as `scoopi/cli/main.py`.
    """

    name: str

    @cached_property
    def text(self) -> str:
        """What is in the file."""
        return (ROOT / self.name).read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        """The file, parsed."""
        return ast.parse(self.text)

    @property
    def path(self) -> Path:
        """The path from the top of the checkout."""
        return Path(self.name)

    @property
    def lines(self) -> int:
        """How many lines the file has."""
        return len(self.text.splitlines())

    @property
    def module(self) -> str:
        """The name by which the file is imported."""
        return ".".join(self.path.with_suffix("").parts)

    def functions(self) -> Iterator[tuple[str, Function]]:
        """Each function and method, with its name and those of the classes around it."""
        yield from _functions(self.tree, "")

    def imports(self) -> Iterator[str]:
        """The modules that the file imports, anywhere in it; a name behind `import` may be a module too."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (each.name for each in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module is not None:
                yield node.module
                yield from (f"{node.module}.{each.name}" for each in node.names)


def sources(folder: str) -> list[Source]:
    """All Python files below a folder, in the order of their names."""
    files = sorted((ROOT / folder).rglob("*.py"))
    return [Source(str(file.relative_to(ROOT))) for file in files if "__pycache__" not in file.parts]


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, Function]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | Function):
            name = f"{prefix}{child.name}"
            if not isinstance(child, ast.ClassDef):
                yield name, child
            yield from _functions(child, f"{name}.")
        else:
            yield from _functions(child, prefix)
