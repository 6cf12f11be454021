"""`scoopi member`: starts one real Hazelcast member, for development and tests."""

from __future__ import annotations

import re
import signal
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import UNREACHABLE, code_of_signal
from scoopi.cli.terminal import Terminal
from scoopi.errors import UsageError

_HEAP = re.compile(r"[1-9][0-9]*[kmgKMG]")
_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Member:
    """Runs a member as a child process and reports on stderr when it is ready."""

    usage = (
        "scoopi member [--port P] [--heap 256m] [--host ADDRESS] [--join HOST:PORT,…] [--members N] "
        "[--config FILE]"
    )
    sentence = (
        "Runs one member of a Hazelcast cluster until Ctrl-C. Members on this machine find each other.\n"
        "For development and tests: the member has no authentication, so do not expose its port."
    )
    example = "scoopi member\nscoopi member --port 5702 --heap 512m"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options."""
        parser.add_argument("--port", type=_port, help="port (default: the first free one from 5701 on)")
        parser.add_argument("--heap", type=_heap, default="256m", help="maximum heap size (default: 256m)")
        parser.add_argument("--host", default="127.0.0.1", help="address to bind to (default: 127.0.0.1)")
        parser.add_argument("--name", default="scoopi", help="name of the cluster (default: scoopi)")
        parser.add_argument(
            "--join",
            metavar="HOST:PORT,…",
            action="append",
            default=[],
            help="addresses of other members of the cluster; may be repeated",
        )
        parser.add_argument(
            "--members",
            metavar="N",
            type=_members,
            default=1,
            help="planned number of members: 1 (default), 3 or 5; members without a majority reject calls, "
            "so that a split cluster does no work twice",
        )
        parser.add_argument(
            "--config",
            metavar="FILE",
            type=Path,
            help="Hazelcast configuration, .yaml or .xml, instead of Scoopi's; it also sets the name of the "
            "cluster, the other members and their number",
        )
        parser.add_argument("-v", "--verbose", action="store_true", help="show the member's own log")

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Start the member and wait until it ends.

        Returns:
            130, 143 or 129 after a signal; 5 if the member ended by itself.
        Raises:
            UsageError: the configuration file does not exist.
            ClusterError: the member does not start.
        """
        from scoopi.store.cluster.member_config import MemberConfig
        from scoopi.store.cluster.member_process import MemberProcess

        if options.config is not None and not options.config.is_file():
            raise UsageError(
                "file not found", at=str(options.config), hint="give the path of a Hazelcast configuration"
            )
        join = tuple(word.strip() for word in ",".join(options.join).split(",") if word.strip())
        config = MemberConfig(
            options.port, options.host, options.heap, options.name, join, options.config, options.members
        )
        show = terminal.say if options.verbose else len
        with _signals() as caught, MemberProcess(config, terminal.environ) as member:
            caught.serve(member.end)
            try:
                address = member.wait_ready(show)
            except Exception:
                if caught.number is not None:
                    return code_of_signal(caught.number)
                raise
            terminal.say(f"member ready at {address}, pid {member.pid}")
            member.follow(show)
            if caught.number is not None:
                return code_of_signal(caught.number)
            terminal.say("the member ended unexpectedly; --verbose shows its log")
            return UNREACHABLE


class _Caught:
    """Handles signals: the first one shuts the member down gracefully, the second immediately."""

    def __init__(self) -> None:
        self.number: int | None = None
        self._end: Callable[[bool], None] | None = None

    def serve(self, end: Callable[[bool], None]) -> None:
        """Pass signals to `end`, including one received before this call."""
        self._end = end
        if self.number is not None:
            end(False)

    def take(self, number: int, _frame: FrameType | None) -> None:
        """Handle a signal; safe, as `end` takes no lock and the main thread only reads the member's log."""
        is_first = self.number is None
        self.number = self.number or number
        if self._end is not None:
            self._end(not is_first)


@contextmanager
def _signals() -> Iterator[_Caught]:
    caught = _Caught()
    before = {number: signal.signal(number, caught.take) for number in _STOPPING}
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and 0 < int(text) < 65536:
        return int(text)
    raise ArgumentTypeError(f"needs a number from 1 to 65535, got {text!r}")


def _members(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text) % 2 and int(text) < 100:
        return int(text)
    raise ArgumentTypeError(f"needs an odd number below 100, so that there is a majority, got {text!r}")


def _heap(text: str) -> str:
    if _HEAP.fullmatch(text):
        return text
    raise ArgumentTypeError(f"needs a size such as 256m or 2g, got {text!r}")


VERB: Verb = Member()
