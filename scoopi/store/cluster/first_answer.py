"""first_answer_within: a client that gives up on an address which takes its connection and says nothing.

The client bounds how long a connection may take to be made, not how long the answer to its first request
may. A port of something else, or a member that stands still, would hold the node up for ever, and it
would not even hear that it is to stop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hazelcast.client import HazelcastClient


def first_answer_within(limit_s: float, client_class: type[HazelcastClient]) -> type[HazelcastClient]:
    """The class of clients that close a connection whose first request is not answered in time."""

    class Client(client_class):  # type: ignore[misc, valid-type]
        def _start(self) -> None:
            manager = self._connection_manager
            authenticate = manager._authenticate

            def bounded(connection: Any) -> Any:
                answer = authenticate(connection)

                def give_up() -> None:  # in the reactor's thread, as the answer itself
                    if not answer.done():
                        connection.close_connection("no answer to the first request", None)
                        answer.set_exception(TimeoutError("no answer to the first request"))

                timer = self._reactor.add_timer(limit_s, give_up)
                answer.add_done_callback(lambda _: timer.cancel())
                return answer

            manager._authenticate = bounded
            super()._start()

    return Client
