"""answers_of: what a client is answered when it sends many requests at a time."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from scoopi.fetch.http_client import Answer, HttpClient
from scoopi.fetch.request import Request, Unsent


def answers_of(
    client: HttpClient, urls: Iterable[str], at_a_time: int
) -> list[tuple[str, Answer | Exception]]:
    """The address and the answer of each, in the order in which they came; what was in vain is sent anew."""
    answers: list[tuple[str, Answer | Exception]] = []

    def tell(url: str, answer: Answer | Exception) -> None:
        if answer == Unsent(in_vain=True):
            client.begin(Request(url, fresh=True), partial(tell, url))
        else:
            answers.append((url, answer))

    for url in urls:
        while client.under_way() >= at_a_time:
            client.turn()
        client.begin(Request(url), partial(tell, url))
    while client.under_way():
        client.turn()
    return answers
