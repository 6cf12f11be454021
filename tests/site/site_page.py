"""SitePage: one misbehaviour of the site, on a host of its own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from tests.server.answer import HTML, Answer
from tests.server.exchange import Exchange
from tests.server.misbehaviours import PAGE, Misbehaviour

TEXT = "Brot, Käse und Öl"
"""The text of PAGE, and of every page that says nothing else."""
NEVER = math.inf


async def plain(exchange: Exchange) -> None:
    """A page that is in order."""
    await exchange.send(Answer(PAGE))


@dataclass(frozen=True, slots=True)
class SitePage:
    """What the host of this name does.

    Attributes:
        answer: answers every path of the host.
        query: of the URL that `MisbehavingSite.url` gives.
        text: the text that a reader of the page sees in its first paragraph.
        robots: answers `/robots.txt`; None: status 404.
        opens_after_s: seconds in which the host refuses connections.
        host: how the host is reached.
        hangs: whether the client has to end it by a timeout.
        does: what it does, where the docstring of `answer` does not say it.
    """

    answer: Misbehaviour = plain
    query: str = ""
    text: str = TEXT
    robots: Misbehaviour | None = None
    opens_after_s: float = 0.0
    host: Literal["plain", "ipv6", "tls", "tls-wrong-name", "https-to-http"] = "plain"
    hangs: bool = False
    does: str = ""

    @property
    def description(self) -> str:
        """What the host does, in a line."""
        return self.does or ((self.robots or self.answer).__doc__ or "").partition("\n")[0]


def says(
    body: bytes | str,
    content_type: str | None = HTML,
    *headers: tuple[str, str],
    status: int = 200,
    does: str = "",
) -> Misbehaviour:
    """A misbehaviour that always gives the same answer; `does` is its description."""
    answer = Answer(body.encode() if isinstance(body, str) else body, status, content_type, headers)

    async def send(exchange: Exchange) -> None:
        await exchange.send(answer)

    send.__doc__ = does or None
    return send


def html(paragraph: str, head: str = "") -> str:
    """A page with that paragraph."""
    return (
        f"<!doctype html><html><head>{head}<title>Käse</title></head><body><p>{paragraph}</p></body></html>"
    )
