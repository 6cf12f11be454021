"""mutants: every small change of a file's code that its tests should notice."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "//",
    ast.Div: "*",
    ast.FloorDiv: "*",
}


_NO_TUNING = frozenset(("FORMAT", "ID", "PORT", "VERSION"))
"""Words in the names of numbers that others rely on, in a protocol or a file."""


class Mutant(NamedTuple):
    """A change of one place of a file.

    Attributes:
        line, last_line: the lines of the place, numbered from 1.
        begin, end: offsets in the file, in bytes.
        is_tuning: whether it changes a tuning constant: a number that is the whole value of a constant of a
            module, such as the size of a batch or a timeout in seconds.
    """

    file: Path
    line: int
    last_line: int
    begin: int
    end: int
    before: str
    after: str
    is_tuning: bool = False

    def applied(self, source: bytes) -> bytes:
        """Return the file's content with the change."""
        return source[: self.begin] + self.after.encode() + source[self.end :]

    def __str__(self) -> str:
        shown = [" ".join(each.split())[:60] for each in (self.before, self.after)]
        kind = " (tuning constant)" if self.is_tuning else ""
        return f"{self.file}:{self.line}: {shown[0]} -> {shown[1]}{kind}"


def mutants_of(file: Path, root: Path) -> list[Mutant]:
    """Return the mutants of a file, in the order of its lines.

    Left out is what no test is written for: log lines, assertions (`strict` of `zip` is one), annotations,
    options of a class, and messages.

    Args:
        file: relative to the root.
    """
    source = (root / file).read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def mutant(node: ast.expr | ast.stmt, after: str) -> Mutant:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        before = source[begin:end].decode()
        return Mutant(file, node.lineno, node.end_lineno, begin, end, before, after, node in tuning)

    module = ast.parse(source)
    tuning = set(_tuning(module))
    found = [mutant(node, after) for node in _tested(module) for after in _changed(node)]
    return sorted(found, key=lambda each: (each.begin, each.after))


def _tested(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """The expressions and statements below a node that tests can judge."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params", "bases"):
            continue
        if isinstance(node, ast.ClassDef) and name == "keywords":
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.Assert | ast.Raise | ast.JoinedStr):
                continue
            if isinstance(child, ast.keyword) and child.arg == "strict":
                continue
            if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
                continue
            if isinstance(child, ast.Expr) and (
                _is_log(child.value) or isinstance(child.value, ast.Constant)
            ):
                continue
            if isinstance(child, ast.expr | ast.stmt):
                yield child
            yield from _tested(child)


def _changed(node: ast.expr | ast.stmt) -> Iterator[str]:
    """What may stand for a node instead."""
    match node:
        case ast.Compare(ops=[operator], left=left, comparators=[right]) if type(operator) in _COMPARISONS:
            yield f"({ast.unparse(left)} {_COMPARISONS[type(operator)]} {ast.unparse(right)})"
        case ast.BoolOp(op=operation, values=values):
            other = " or " if isinstance(operation, ast.And) else " and "
            yield f"({other.join(f'({ast.unparse(each)})' for each in values)})"
        case ast.BinOp(op=operation, left=left, right=right) if type(operation) in _ARITHMETIC:
            yield f"(({ast.unparse(left)}) {_ARITHMETIC[type(operation)]} ({ast.unparse(right)}))"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield f"({ast.unparse(operand)})"
        case ast.Constant(value=bool() as value):
            yield str(not value)
        case ast.Constant(value=int() | float() as number):
            yield repr(number + 1)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield f"({ast.unparse(orelse)} if {ast.unparse(test)} else {ast.unparse(body)})"
        case ast.Expr(value=ast.Call()):
            yield "pass"
        case ast.Continue():
            yield "break"
        case ast.Break():
            yield "continue"
        case _:
            pass


def _tuning(module: ast.Module) -> Iterator[ast.Constant]:
    """The numbers of a module's tuning constants."""
    for statement in module.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant() as constant):
                pass
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant() as constant):
                pass
            case _:
                continue
        is_number = isinstance(constant.value, int | float) and not isinstance(constant.value, bool)
        if is_number and name.isupper() and _NO_TUNING.isdisjoint(name.split("_")):
            yield constant


def _is_log(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).startswith("log.")
