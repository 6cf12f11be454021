"""Answer: what the server says, whole."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, a body and headers beside Content-Type and Content-Length."""

    body: bytes = b""
    status: int = 200
    content_type: str | None = HTML
    headers: tuple[tuple[str, str], ...] = ()

    def head(self, length: int | None = None) -> bytes:
        """The bytes before the body; `length` says another Content-Length than the true one."""
        return head(
            self.status,
            self.headers,
            self.content_type,
            len(self.body) if length is None else length,
        )


def head(
    status: int,
    headers: tuple[tuple[str, str], ...] = (),
    content_type: str | None = HTML,
    length: int | None = None,
) -> bytes:
    """Status line and headers, up to and with the empty line."""
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Odd"
    lines = [f"HTTP/1.1 {status} {phrase}"]
    if content_type is not None:
        lines.append(f"Content-Type: {content_type}")
    if length is not None and status != 204:
        lines.append(f"Content-Length: {length}")
    lines += [f"{name}: {value}" for name, value in headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8")
