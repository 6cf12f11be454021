"""The Hazelcast client's faults: the messages for its errors, and workarounds for its bugs."""

from __future__ import annotations

import logging
import os
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scoopi.configs.groups import ClusterSettings
from scoopi.errors import ClusterError

if TYPE_CHECKING:
    from hazelcast.client import HazelcastClient

_PROBE_S = 1.0
_GAVE_UP = "an error occurred after invocation timeout: "
"""What the client writes before the reason."""
log = logging.getLogger(__name__)
_CHUNK = 4096


def no_member_error(settings: ClusterSettings, fault: Exception) -> ClusterError:
    """The error when this node cannot connect to any member.

    Connects to each address to find out what answers there, which takes up to a second each.

    Args:
        fault: the client's error.
    """
    tried = "; ".join(f"{address} {_probed(address)}" for address in settings.addresses)
    within = f"{settings.connect_timeout_ms / 1000:g} s"
    # For members that are not running, the client only says that it could not connect.
    why = "" if "Unable to connect to any cluster" in str(fault) else f" ({reason_of(fault)})"
    return ClusterError(
        f"no member of the cluster {settings.name} let this node in within {within}{why}: {tried}",
        hint="start a member (scoopi member), or correct scoopi.cluster.addresses and .name",
    )


def reason_of(fault: BaseException) -> str:
    """The reason why a call failed, as one line, from the client's error."""
    text = str(fault).partition("\n")[0]
    if _GAVE_UP in text:
        return text.rpartition(_GAVE_UP)[2]
    return f"{type(fault).__name__}: {text}" if text else type(fault).__name__


def _probed(address: str) -> str:
    """What happens when connecting to an address, as a clause."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_PROBE_S):
            return (
                "answers, but is not a member of that name, hangs, or has other credentials or TLS settings"
            )
    except OSError as fault:
        return f"cannot be reached ({fault.strerror or fault})"


def first_answer_within(limit_s: float, client_class: type[HazelcastClient]) -> type[HazelcastClient]:
    """A subclass of the client that closes a connection whose first request is not answered in time.

    The client limits the time for opening a connection, but not for the answer to its first request. The
    port of another program, or a member that hangs, would block the node for ever, so that it could not
    even be stopped.

    Args:
        limit_s: the time limit in seconds.
        client_class: the client's class.
    """

    class Client(client_class):  # type: ignore[misc, valid-type]  # a late import
        def _start(self) -> None:
            manager = self._connection_manager
            authenticate = manager._authenticate

            def bounded(connection: Any) -> Any:
                answer = authenticate(connection)

                def give_up() -> None:  # in the reactor's thread, like the answer itself
                    if not answer.done():
                        connection.close_connection("no answer to the first request", None)
                        answer.set_exception(TimeoutError("no answer to the first request"))

                timer = self._reactor.add_timer(limit_s, give_up)
                answer.add_done_callback(lambda _: timer.cancel())
                return answer

            manager._authenticate = bounded
            super()._start()

    return Client


def fix_waking(client: Any) -> bool:
    """Work around a race in this client: its reactor can miss the wake-up for a new call.

    The client's `_PipedWaker.handle_read` first clears its flag `awake`, then empties its pipe. A call in
    between sets the flag, and its byte is lost: from then on no call wakes the reactor, and each waits for
    the reactor's next poll, every 10 ms (measured: a call takes 12 ms instead of 0.4). If the pipe is
    emptied first, nothing is lost, as a message is queued before the reactor is woken, and the reactor
    checks its queue before it sleeps.

    Returns:
        False if the client's implementation is not the expected one; it is left unchanged.
    """
    try:
        waker = client._reactor._loop.waker
        pipe, _ = int(waker._read_fd), int(waker._write_fd)
        known = callable(waker.handle_read) and callable(waker.wake) and isinstance(waker.awake, bool)
    except (AttributeError, TypeError, ValueError):
        known = False
    if not known:
        log.info("the Hazelcast client's reactor is not as expected; its wake-up is left unchanged")
        return False

    def handle_read() -> None:
        with suppress(OSError):
            while len(os.read(pipe, _CHUNK)) == _CHUNK:
                pass
        waker.awake = False

    waker.handle_read = handle_read
    waker.awake = False  # the race may already have happened
    return True
