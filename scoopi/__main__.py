"""`python -m scoopi`, and the command `scoopi`: the same program."""

import gc
import sys

from scoopi.cli.main import main
from scoopi.cli.streams import open_closed_streams

COLLECTED_AFTER = 10_000
"""So many objects more, and circles are looked for: a process that imports much makes many that stay."""


def program() -> int:
    """The command line of a process that has nothing else to do.

    Returns:
        The exit code.
    """
    open_closed_streams()
    gc.set_threshold(COLLECTED_AFTER)
    code = main()
    gc.freeze()  # what is left goes with the process; looking through it once more takes its time
    return code


if __name__ == "__main__":
    sys.exit(program())
