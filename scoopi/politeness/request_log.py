"""RequestLog: logs each request, error and pause of this node to a file of the run; reads such files."""

from __future__ import annotations

import logging
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from scoopi.model.report.request_figures import HostRequestFigures

log = logging.getLogger(__name__)

PREFIX, SUFFIX = "requests-", ".log"
SENT, ERROR, SLEEP, REST, ROBOTS = "S", "E", "Z", "R", "T"
"""The first word of a line; the time, the host's number and, except for SENT, a detail follow."""
HOST = "H"
"""The first word of a line that gives a host its number, before all other lines of that host."""


class RequestLog:
    """Logs each request, error and pause of this node to a file of the run.

    Each process has its own file, so only the last line can be incomplete. Belongs to one thread.

    A run does not fail for missing figures: if the file cannot be written, one warning is logged.

    Args:
        file: its path; it is created with the first entry.
    """

    def __init__(self, file: Path) -> None:
        self._path = file
        self._handle: int | None = None
        self._is_broken = False
        self._numbers: dict[str, int] = {}
        self._lines: list[str] = []
        self._offset_s = time.time() - time.monotonic()

    def sent(self, host: str, at: float) -> None:
        """Log a request that was sent at `at`, in monotonic seconds."""
        self._note(SENT, host, at, "")

    def happened(self, kind: str, host: str, at: float, what: str) -> None:
        """Log an event at `at`, in monotonic seconds.

        Args:
            kind: ERROR, SLEEP, REST or ROBOTS.
            what: the reason of an ERROR, the seconds of a SLEEP or REST, or what is known of a robots.txt.
        """
        self._note(kind, host, at, f" {what}")

    def flush(self) -> None:
        """Write the buffered entries, which then survive any end of this process."""
        if not self._lines:
            return
        text, self._lines = "".join(self._lines), []
        if self._is_broken:
            return
        try:
            if self._handle is None:
                self._handle = os.open(
                    self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600
                )
            rest = memoryview(text.encode())
            while rest:  # on a full disk a part may be written
                rest = rest[os.write(self._handle, rest) :]
        except OSError as error:
            self._is_broken = True
            log.warning("figures of politeness are incomplete: %s: %s", self._path, error.strerror)

    def close(self) -> None:
        """Write the buffered entries, and close the file."""
        self.flush()
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _note(self, kind: str, host: str, at: float, what: str) -> None:
        number = self._numbers.get(host)
        if number is None:
            number = self._numbers[host] = len(self._numbers)
            self._lines.append(f"{HOST} {host}\n")
        self._lines.append(f"{kind} {at + self._offset_s:.6f} {number}{what}\n")


class _Tally:
    """The entries of one host, added up over all files; times are seconds since 1970."""

    def __init__(self) -> None:
        self.sent: list[float] = []
        self.errors: Counter[str] = Counter()
        self.slept: list[float] = []
        self.rests = 0
        self.robots: tuple[float, str] = (0.0, "")

    def add(self, kind: str, at: float, what: str) -> None:
        if kind == SENT:
            self.sent.append(at)
        elif kind == ERROR:
            self.errors[what] += 1
        elif kind == SLEEP:
            self.slept.append(float(what))
        elif kind == REST:
            self.rests += 1
        elif kind == ROBOTS:
            self.robots = max(self.robots, (at, what))

    def figures(self, host: str) -> HostRequestFigures:
        times = sorted(self.sent)
        seconds = times[-1] - times[0] if times else 0.0
        return HostRequestFigures(
            host=host,
            requests=len(times),
            per_s=round((len(times) - 1) / seconds, 3) if seconds else None,
            shortest_gap_ms=min((round((b - a) * 1000, 1) for a, b in pairwise(times)), default=None),
            errors=dict(sorted(self.errors.items())),
            sleeps=len(self.slept),
            slept_s=round(sum(self.slept), 1),
            rests=self.rests,
            robots=self.robots[1],
        )


def read_logs(files: Iterable[Path]) -> tuple[HostRequestFigures, ...]:
    """The request figures of each host, sorted by host, summed over the processes that wrote the files.

    Raises:
        OSError: a file cannot be read.
        ValueError, IndexError: a file is damaged; a last line that is cut off is no damage, and is ignored.
    """
    tallies: dict[str, _Tally] = {}
    for file in files:
        hosts: list[str] = []
        for words in _whole_lines(file):
            if words[0] == HOST:
                hosts.append(words[1])
            else:
                tally = tallies.setdefault(hosts[int(words[2])], _Tally())
                tally.add(words[0], float(words[1]), words[3] if len(words) > 3 else "")
    return tuple(tallies[host].figures(host) for host in sorted(tallies))


def _whole_lines(file: Path) -> Iterator[list[str]]:
    """The words of each line, without a last line that a crash has cut."""
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            if line.endswith("\n"):
                yield line[:-1].split(" ", 3)
