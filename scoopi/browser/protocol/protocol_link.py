"""ProtocolLink: a connection to a browser over its own protocol, in addition to the driver's."""

from __future__ import annotations

import itertools
import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

import websocket
from selenium.common.exceptions import WebDriverException

log = logging.getLogger(__name__)
_ANSWER_S = 10.0


class RejectedError(WebDriverException):
    """Raised when the browser rejects a command.

    Attributes:
        method: name of the command.
        code: the kind of fault: a number in DevTools, a text in BiDi.
        reason: the fault in words, as the browser reports it.
    """

    def __init__(self, method: str, code: int | str, reason: str) -> None:
        super().__init__(f"the browser rejected the command {method}: {reason}")
        self.method = method
        self.code = code
        self.reason = reason


class NoAnswerError(WebDriverException):
    """Raised when the browser does not answer a command within 10 s."""


Command = tuple[str, Mapping[str, Any]]
"""(name, parameters) of a command."""
OnEvent = Callable[[str, Mapping[str, Any]], None]
"""Takes the name of an event and its parameters; runs in the connection's thread, so it must not `call`."""
OnRejected = Callable[[RejectedError], None]
"""Takes the rejection of a command; runs in the connection's thread, so it must not `call`."""


def ignore(error: RejectedError) -> None:
    """Do nothing, for commands whose rejection does not matter."""


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
        self._calls: dict[int, tuple[str, Future[Mapping[str, Any]]]] = {}
        self._posts: dict[int, tuple[str, OnRejected]] = {}
        self._listeners: dict[str, OnEvent] = {}
        threading.Thread(target=self._read, name="browser-link", daemon=True).start()

    def call(
        self, method: str, params: Mapping[str, Any] | None = None, session: str = ""
    ) -> Mapping[str, Any]:
        """Send a command, wait for its result for 10 s at most, and return it.

        Args:
            session: the DevTools session that the command is for; empty for the browser itself, and in BiDi.
        Raises:
            RejectedError: the browser rejects the command.
            WebDriverException: it does not answer, or has ended.
        """
        return self.call_all([(method, params or {})], session)[0]

    def call_all(self, commands: Sequence[Command], session: str = "") -> list[Mapping[str, Any]]:
        """Send commands at once, and return their results, in their order.

        Raises:
            RejectedError, WebDriverException: as for `call`.
        """
        asked = [self._asked(*command, session) for command in commands]
        try:
            return [answer.result(_ANSWER_S) for _, answer in asked]
        except TimeoutError as error:
            raise NoAnswerError(f"{commands[0][0]}: the browser does not answer") from error
        finally:
            with self._lock:
                for number, _ in asked:
                    self._calls.pop(number, None)

    def ask(self, method: str) -> Future[Mapping[str, Any]]:
        """Send a command without waiting; return a future of its result, with the errors of `call`."""
        return self._asked(method, {}, "")[1]

    def post(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        session: str = "",
        on_rejected: OnRejected = ignore,
    ) -> None:
        """Send a command without waiting for its result; it is executed before commands sent later.

        Args:
            session: as for `call`.
            on_rejected: called if the browser rejects the command.
        """
        number = next(self._numbers)
        if on_rejected is not ignore:
            with self._lock:
                self._posts[number] = (method, on_rejected)
        self._send(number, method, params, session)

    def listen(self, session: str, on_event: OnEvent) -> None:
        """Report the events of a session to a callback from now on; `session` as for `call`."""
        self._listeners[session] = on_event

    def forget(self, *sessions: str) -> None:
        """Stop reporting the events of these sessions."""
        for session in sessions:
            self._listeners.pop(session, None)

    def close(self) -> None:
        """Close the connection; the browser removes what was created over it."""
        self._link.abort()  # which also wakes the thread that reads from it

    def _asked(
        self, method: str, params: Mapping[str, Any], session: str
    ) -> tuple[int, Future[Mapping[str, Any]]]:
        number, answer = next(self._numbers), Future[Mapping[str, Any]]()
        with self._lock:
            is_open = self._is_open
            if is_open:
                self._calls[number] = (method, answer)
        if is_open:
            self._send(number, method, params, session)
        else:
            answer.set_exception(WebDriverException(f"{method}: the browser has ended"))
        return number, answer

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
        except Exception:  # without this thread no request of a page would continue
            log.exception("a message of the browser cannot be handled; its page fails")
        self._end()
        self._link.shutdown()

    def _take(self, message: Mapping[str, Any]) -> None:
        if "id" not in message:
            on_event = self._listeners.get(message.get("sessionId", ""))
            if on_event is not None:
                on_event(message["method"], message["params"])
            return
        number, is_rejected = message["id"], "error" in message
        with self._lock:
            method, answer = self._calls.pop(number, ("", None))
            posted, on_rejected = self._posts.pop(number, ("", ignore))
        if is_rejected:
            error = _rejection(method or posted, message)
            if answer is not None:
                answer.set_exception(error)
            on_rejected(error)
        elif answer is not None:
            answer.set_result(message["result"])

    def _end(self) -> None:
        """Fail all commands that wait, as no answer comes any more."""
        with self._lock:
            self._is_open = False
            waiting, self._calls = list(self._calls.values()), {}
            self._posts.clear()
        for _, answer in waiting:
            answer.set_exception(WebDriverException("the browser has ended"))


def _rejection(method: str, message: Mapping[str, Any]) -> RejectedError:
    """What the browser reports: in DevTools an object with code and text, in BiDi a code beside the text."""
    error = message["error"]
    if isinstance(error, str):
        return RejectedError(method, error, message.get("message", error))
    return RejectedError(method, error.get("code", 0), error.get("message", ""))
