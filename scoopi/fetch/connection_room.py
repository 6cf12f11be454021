"""connection_room: how many connections this process may have open, by its limit of open files."""

from __future__ import annotations

import os
import resource

OTHER_FILES = 24
"""So many more a process opens while it runs: segments, the store, plugins, what looks names up."""
LEAST_CONNECTIONS = 4


def connection_room() -> int:
    """Connections that fit beside what is open now and what will be; LEAST_CONNECTIONS at least."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(LEAST_CONNECTIONS, most - len(os.listdir("/proc/self/fd")) - OTHER_FILES)
