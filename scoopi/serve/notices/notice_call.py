"""notice_call: the process that sends one notice, by running a command or calling a function."""

from __future__ import annotations

import json
import os
import shutil
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from scoopi.descendants import die_with_parent

_MISSING = 127


def main() -> int:
    """Read the request from standard input and send the notice.

    The request is JSON with `parent` (a process id), `project` (a folder), `via` and `message`. A command
    gets the message as JSON on its standard input, a function as a dict.

    Returns:
        The exit code; 0 if the notice was sent.
    """
    request = json.load(sys.stdin)
    die_with_parent(request["parent"])
    os.chdir(request["project"])
    via, message = request["via"], request["message"]
    if via[0].startswith("python:"):
        sys.path.insert(0, request["project"])
        module, _, name = via[0].removeprefix("python:").partition(":")
        getattr(import_module(module), name)(message)
        return 0
    _become(via, message)
    return _MISSING


def _become(words: list[str], message: dict[str, Any]) -> None:
    """Replace this process by a program of the project or of PATH; return only if there is none."""
    own = Path(words[0])
    program = str(own.resolve()) if own.is_file() else shutil.which(words[0])
    if program is None:
        sys.stderr.write(f"program {words[0]} was not found\n")
        return
    memory = os.memfd_create("message")
    os.write(memory, json.dumps(message, ensure_ascii=False).encode() + b"\n")
    os.lseek(memory, 0, os.SEEK_SET)
    os.dup2(memory, 0)
    os.execv(program, words)  # noqa: S606  a notify target has no shell


if __name__ == "__main__":
    sys.exit(main())
