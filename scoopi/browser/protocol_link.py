"""ProtocolLink: a connection to a browser over its own protocol, in addition to the driver's."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

import websocket
from selenium.common.exceptions import WebDriverException

OnEvent = Callable[[str, Mapping[str, Any]], None]
"""Takes the name of an event and its parameters; runs in the connection's thread, so it must not `call`."""
_ANSWER_S = 10.0


class ProtocolLink:
    """A connection to a browser over its own protocol, in addition to the driver's; for any thread.

    The protocols are DevTools (Chromium) and WebDriver BiDi (Firefox), whose messages look alike.

    The driver handles one command at a time, so while it waits for a page it could not continue a paused
    request.

    Args:
        address: address of a WebSocket of the browser.

    Raises:
        WebDriverException: the browser cannot be reached.
    """

    def __init__(self, address: str) -> None:
        try:
            self._link: Any = websocket.create_connection(address, _ANSWER_S, suppress_origin=True)
        except (OSError, websocket.WebSocketException) as error:
            raise WebDriverException(f"the browser's own protocol cannot be used: {error}") from error
        self._link.settimeout(None)
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._is_open = True
        self._calls: dict[int, Future[Mapping[str, Any]]] = {}
        self._listeners: dict[str, OnEvent] = {}
        threading.Thread(target=self._read, name="browser-link", daemon=True).start()

    def call(
        self, method: str, params: Mapping[str, Any] | None = None, session: str = ""
    ) -> Mapping[str, Any]:
        """Send a command and return its result.

        Raises:
            WebDriverException: the browser rejects the command, does not answer, or has ended.
        """
        number, answer = next(self._numbers), Future[Mapping[str, Any]]()
        with self._lock:
            self._calls[number] = answer
            if not self._is_open:
                answer.set_exception(WebDriverException(f"{method}: the browser has ended"))
        self._send(number, method, params, session)
        try:
            return answer.result(_ANSWER_S)
        except TimeoutError as error:
            raise WebDriverException(f"{method}: the browser does not answer") from error
        finally:
            with self._lock:
                self._calls.pop(number, None)

    def post(self, method: str, params: Mapping[str, Any] | None = None, session: str = "") -> None:
        """Send a command without waiting for its result; it is executed before commands sent later."""
        self._send(next(self._numbers), method, params, session)

    def listen(self, session: str, on_event: OnEvent) -> None:
        """Report the events of a session to a callback from now on."""
        self._listeners[session] = on_event

    def forget(self, *sessions: str) -> None:
        """Stop reporting the events of these sessions."""
        for session in sessions:
            self._listeners.pop(session, None)

    def close(self) -> None:
        """Close the connection; the browser removes what was created over it."""
        self._link.abort()  # which also wakes the thread that reads from it

    def _send(self, number: int, method: str, params: Mapping[str, Any] | None, session: str) -> None:
        message = {"id": number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        try:
            self._link.send(json.dumps(message))
        except (OSError, websocket.WebSocketException):
            self._end()

    def _read(self) -> None:
        try:
            while text := self._link.recv():
                self._take(json.loads(text))
        except (OSError, websocket.WebSocketException):
            pass
        self._end()
        self._link.shutdown()

    def _take(self, message: Mapping[str, Any]) -> None:
        if "id" not in message:
            on_event = self._listeners.get(message.get("sessionId", ""))
            if on_event is not None:
                on_event(message["method"], message["params"])
            return
        with self._lock:
            answer = self._calls.pop(message["id"], None)
        if answer is None:
            return
        if "error" in message:
            reason = message.get("message", message["error"])
            answer.set_exception(WebDriverException(f"the browser refuses a command: {reason}"))
        else:
            answer.set_result(message["result"])

    def _end(self) -> None:
        """Fail all commands that wait, as no answer comes any more."""
        with self._lock:
            self._is_open = False
            waiting, self._calls = list(self._calls.values()), {}
        for answer in waiting:
            answer.set_exception(WebDriverException("the browser has ended"))
