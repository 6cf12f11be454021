"""`python -m scoopi`, and the command `scoopi`: the same program."""

import gc
import sys

from scoopi.cli.main import main
from scoopi.cli.terminal import open_closed_streams

SWITCH_S = 0.0005
"""SQLite and the pipes give the interpreter's lock away at each call; 5 ms to get it back is long."""
COLLECTED_AFTER = 10_000
"""So many objects more, and circles are looked for: a process that imports much makes many that stay."""


def program() -> int:
    """The command line of a process that has nothing else to do.

    Returns:
        The exit code.
    """
    open_closed_streams()
    sys.setswitchinterval(SWITCH_S)
    gc.set_threshold(COLLECTED_AFTER)
    code = main()
    gc.freeze()  # what is left goes with the process; looking through it once more takes its time
    return code


if __name__ == "__main__":
    sys.exit(program())
