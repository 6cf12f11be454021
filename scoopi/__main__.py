"""`python -m scoopi`, and the command `scoopi`: the same program."""

import gc
import sys

from scoopi.cli.main import main
from scoopi.cli.terminal import open_closed_streams

SWITCH_S = 0.0005
"""Seconds after which a waiting thread may take the interpreter's lock.

SQLite and the pipes release it at each call, and would wait up to 5 ms, the default, to get it back.
"""
COLLECTED_AFTER = 100_000
"""New objects after which the garbage collector looks for cycles. A run makes few, but its start makes 60,000
objects that stay: looking through these after every 10,000 took 20 ms."""


def program() -> int:
    """Run the command `scoopi`, with settings of the interpreter for a process that does nothing else.

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
