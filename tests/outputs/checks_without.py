"""Checks definitions as if libraries were not installed: a JSON line `[library, file]` in, the report out."""

from __future__ import annotations

import io
import json
import sys
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

from scoopi.cli.main import main
from scoopi.cli.terminal import Terminal

hidden: set[str] = set()
_find_spec = PathFinder.find_spec


def _without_hidden(name: str, *where: Any) -> ModuleSpec | None:
    return None if name.partition(".")[0] in hidden else _find_spec(name, *where)


if __name__ == "__main__":
    setattr(PathFinder, "find_spec", _without_hidden)  # noqa: B010 - not a method of this type
    for line in sys.stdin:
        library, file = json.loads(line)
        hidden.clear()
        hidden.add(library)
        out, err = io.StringIO(), io.StringIO()
        code = main(["check", file], Terminal(out, err, {}))
        print(json.dumps([code, out.getvalue() + err.getvalue()]), flush=True)
