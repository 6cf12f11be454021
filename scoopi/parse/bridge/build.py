"""Builds the compiled bridge from lexbor to lxml; in a checkout, run `python -m scoopi.parse.bridge.build`.

Uses only the standard library and lxml's headers, as installers run it before anything else is installed.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent
_SOURCES = (
    "column_values.c",
    "element_tests.c",
    "found_elements.c",
    "kept_nodes.c",
    "label_values.c",
    "lexbor_bridge.c",
    "record_values.c",
    "row_cells.c",
    "seen_text.c",
    "valid_utf8.c",
)
_HEADERS = (
    "class_list.h",
    "column_values.h",
    "element_tests.h",
    "found_elements.h",
    "kept_nodes.h",
    "label_values.h",
    "lexbor_view.h",
    "node_text.h",
    "record_values.h",
    "row_cells.h",
    "seen_text.h",
    "valid_utf8.h",
)
_COMPILERS = ("cc", "gcc", "clang")


class BridgeUnavailableError(Exception):
    """The bridge cannot be built here; the message names what is missing."""


def compiler() -> list[str]:
    """The command line of the C compiler: that in the variable `CC`, else the first of cc, gcc and clang.

    Raises:
        BridgeUnavailableError: `CC` is not set, and none of these is on the path.
    """
    if given := os.environ.get("CC"):
        return shlex.split(given)
    for name in _COMPILERS:
        if found := shutil.which(name):
            return [found]
    raise BridgeUnavailableError("there is no C compiler (cc, gcc or clang)")


def build(target: Path = _FOLDER) -> Path:
    """Compile the bridge into a folder, by default that of its sources.

    Returns:
        Path of the module.
    Raises:
        BridgeUnavailableError: not on Linux, no compiler, no headers, or the compiler's own error.
    """
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    if sys.platform != "linux" or not suffix:
        raise BridgeUnavailableError("the bridge supports only Linux")
    command = compiler()
    includes = [f"-I{folder}" for folder in _include_folders()]
    made = target / f"_bridge{suffix}"
    unfinished = target / f".{made.name}.{os.getpid()}"
    options = ["-O3", "-std=c11", "-D_GNU_SOURCE", "-shared", "-fPIC", "-Wall", "-Wextra"]
    source = [*(str(_FOLDER / name) for name in _SOURCES), "-o", str(unfinished)]
    _compile([*command, *options, *includes, *source, "-ldl"])
    unfinished.replace(made)
    return made


def _compile(command: list[str]) -> None:
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError as error:
        raise BridgeUnavailableError(f"{command[0]} cannot be started: {error}") from None
    if ran.returncode != 0:
        raise BridgeUnavailableError(f"{command[0]} failed:\n{ran.stderr}")


def build_if_older() -> Path:
    """Build the bridge beside its sources, unless a module there is newer than all of them.

    Returns and raises as `build`.
    """
    made = _FOLDER / f"_bridge{sysconfig.get_config_var('EXT_SUFFIX')}"
    sources = [_FOLDER / name for name in (*_SOURCES, *_HEADERS)]
    if made.exists() and all(made.stat().st_mtime > source.stat().st_mtime for source in sources):
        return made
    return build()


def _include_folders() -> list[str]:
    python = sysconfig.get_paths()["include"]
    if not Path(python, "Python.h").exists():
        raise BridgeUnavailableError(f"Python.h is not in {python} (Debian: apt install python3-dev)")
    try:
        from lxml import get_include  # type: ignore[attr-defined]  # the stubs lack it
    except ImportError:
        raise BridgeUnavailableError("lxml, whose headers are needed, is not installed") from None
    return [python, *get_include()]


def main() -> int:
    """Build the bridge beside its sources and report the result on stderr.

    Returns:
        The exit code: 0 if it was built, else 1.
    """
    try:
        made = build()
    except BridgeUnavailableError as error:
        sys.stderr.write(f"The bridge is not built: {error}\n")
        return 1
    sys.stderr.write(f"Built {made}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
