"""MetricsServer: serves the probes and metrics of a process over HTTP."""

from __future__ import annotations

import logging
import threading
from types import TracebackType
from typing import TYPE_CHECKING

from scoopi.configs.groups import MetricsSettings
from scoopi.errors import RunError
from scoopi.metrics.http_response import Endpoints

if TYPE_CHECKING:
    from scoopi.metrics.listener import Listener

log = logging.getLogger(__name__)

POLL_S = 0.1
"""Seconds between two checks of the listening thread whether it should end."""
END_S = 2.0
"""How long `__exit__` waits for the listening thread, in seconds."""


class MetricsServer:
    """Serves the probes and metrics of a process over HTTP.

    Listens while its `with` block runs; does nothing if it is disabled.
    """

    def __init__(self, settings: MetricsSettings, endpoints: Endpoints) -> None:
        self._settings = settings
        self._endpoints = endpoints
        self._listener: Listener | None = None
        self._thread: threading.Thread | None = None

    @property
    def address(self) -> tuple[str, int] | None:
        """The host and port that it listens on; None while it does not listen."""
        if self._listener is None:
            return None
        host, port = self._listener.server_address[:2]
        return str(host), int(port)

    def __enter__(self) -> MetricsServer:
        """Listen.

        Raises:
            RunError: it cannot listen on the host and port of the settings.
        """
        if self._settings.enable:
            self._listen()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._listener is None or self._thread is None:
            return
        self._listener.shutdown()
        self._thread.join(END_S)
        self._listener.server_close()
        self._listener = None

    def _listen(self) -> None:
        from scoopi.metrics.listener import Listener

        host, port = self._settings.host, self._settings.port
        try:
            listener = Listener(
                host, port, self._endpoints, names=filter(None, self._settings.names.split(","))
            )
        except OSError as error:
            raise RunError(
                f"the metrics server cannot listen on {host} port {port}: {error.strerror or error}",
                at="scoopi.metrics.server.port",
                hint="choose another port (0 for a free one) or scoopi.metrics.server.host",
            ) from error
        self._listener = listener
        self._thread = threading.Thread(
            target=listener.serve_forever, args=(POLL_S,), name="metrics", daemon=True
        )
        self._thread.start()
        # Only this line shows a port that the system chose, so it is a warning then.
        level = logging.INFO if port else logging.WARNING
        url = http_url(host, listener.server_address[1])
        log.log(level, "metrics: %s answers %s", url, " ".join(self._endpoints.paths))


def http_url(host: str, port: object) -> str:
    """The URL of a server.

    >>> http_url("::1", 9010)
    'http://[::1]:9010'
    """
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
