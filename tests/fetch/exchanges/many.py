"""send, page and answers_of: the answers to one request, and to many at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial

from scoopi.fetch.hop_results import GrantNeeded, HopResult, Response
from scoopi.fetch.http_client import HttpClient
from scoopi.fetch.request import Request

LIMIT_S = 60.0


def send(client: HttpClient, request: Request, on_sent: Callable[[], None] | None = None) -> HopResult:
    """Do one hop and wait for its end; raises the error of the page."""
    answers: list[HopResult | Exception] = []
    client.begin(request, answers.append, on_sent)
    end = time.monotonic() + LIMIT_S
    while not answers:
        assert time.monotonic() < end, "no answer"
        client.turn()
    if isinstance(answers[0], Exception):
        raise answers[0]
    return answers[0]


def page(client: HttpClient, url: str, on_sent: Callable[[], None] | None = None) -> Response:
    """The page of a URL; raises an AssertionError for any other answer."""
    answer = send(client, Request(url), on_sent)
    assert isinstance(answer, Response)
    return answer


def answers_of(
    client: HttpClient, urls: Iterable[str], at_a_time: int
) -> list[tuple[str, HopResult | Exception]]:
    """The address and the answer of each, in the order in which they came; lost requests are sent again."""
    answers: list[tuple[str, HopResult | Exception]] = []

    def collect(url: str, answer: HopResult | Exception) -> None:
        if answer == GrantNeeded(was_lost=True):
            client.begin(Request(url, lost=1), partial(collect, url))
        else:
            answers.append((url, answer))

    for url in urls:
        while client.under_way() >= at_a_time:
            client.turn()
        client.begin(Request(url), partial(collect, url))
    while client.under_way():
        client.turn()
    return answers
