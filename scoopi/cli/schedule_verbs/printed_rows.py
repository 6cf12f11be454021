"""print_rows and print_fields: print rows of the scheduler as a table, as lines of fields, or as JSON."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Sequence

from scoopi.cli.terminal import Terminal
from scoopi.serve.rows import Row


def print_rows(
    terminal: Terminal, rows: Iterable[Row], options: Namespace, columns: Sequence[str] = ()
) -> None:
    """Print rows as lines of JSON, or as a table of the given columns (default: all)."""
    if options.json:
        import msgspec

        for row in rows:
            terminal.give(msgspec.json.encode(row).decode())
        return
    rows = list(rows)
    texts = [[_text(row.get(column)) for column in columns or row] for row in rows]
    if not texts:
        return
    names = [column.replace("_", " ") for column in columns or rows[0]]
    widths = [max(map(len, column)) for column in zip(names, *texts, strict=True)]
    for line in ([names] if len(names) > 1 else []) + texts:
        terminal.give("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def print_fields(terminal: Terminal, row: Row, options: Namespace) -> None:
    """Print one row as JSON, or one field per line."""
    if options.json:
        print_rows(terminal, [row], options)
        return
    width = max(map(len, row))
    for name, value in row.items():
        terminal.give(f"{name.replace('_', ' '):<{width}}  {_text(value)}".rstrip())


def print_with_changes(terminal: Terminal, row: Row, options: Namespace) -> None:
    """Print a row as JSON, or one field per line with its `changes` and `gates` as tables."""
    tables = [] if options.json else [row.pop(name) for name in ("changes", "gates") if name in row]
    print_fields(terminal, row, options)
    for table in filter(None, tables):
        terminal.give("")
        print_rows(terminal, table, options)


def _text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name}={each}" for name, each in value.items()) or "-"
    if isinstance(value, list):
        return "; ".join(map(_text, value)) or "-"
    return f"{value:g}" if isinstance(value, float) else str(value)
