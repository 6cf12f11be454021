"""LoaderHops: what a loader requests is noted as far as Scoopi sees it."""

from __future__ import annotations

import pytest

from scoopi.errors import FetchError, LoadFault
from scoopi.fetch.hop_recorder import HopRecorder
from scoopi.fetch.request import Request
from scoopi.model.locator import PageRequest
from scoopi.model.report.fetched_page import BY_LOADER
from scoopi.pages.loader_hops import LoaderHops
from scoopi.plugins.loader_port import Answer
from scoopi.worker.plugin_call import CallAnswered, CallNeedsGrant, Event, RequestSent

PAGE, TOKEN = "http://shop.example/list", "http://login.example/token"
REQUEST = Request(PAGE, content=PageRequest("POST"))
ANSWER = Answer(PAGE, b"rye", 200, {"Content-Type": "text/html", "Set-Cookie": "id=top-secret"})


def noted(*events: Event) -> HopRecorder:
    recorder = HopRecorder()
    hops = LoaderHops(recorder)
    for event in events:
        hops.note(REQUEST, event)
    return recorder


def test_a_page_is_a_hop_with_its_answer_whose_credentials_are_masked() -> None:
    (hop,) = noted(RequestSent("shop.example", PAGE), CallAnswered(ANSWER, is_public=True)).hops
    assert (hop.method, hop.url, hop.status, hop.size_bytes, hop.purpose) == ("POST", PAGE, 200, 3, "page")
    assert hop.response == (("Content-Type", "text/html"), ("Set-Cookie", "***"))


def test_an_answer_that_the_loader_keeps_to_itself_is_unknown() -> None:
    token, page = noted(
        RequestSent("login.example", TOKEN),
        CallNeedsGrant("shop.example", PAGE),
        RequestSent("shop.example", PAGE),
        CallAnswered(ANSWER, is_public=True),
    ).hops
    assert (token.method, token.url, token.status, token.purpose) == ("GET", TOKEN, 0, BY_LOADER)
    assert (page.url, page.status, page.purpose) == (PAGE, 200, "page")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (FetchError("busy", fault=LoadFault("status 503", is_transient=True, status=503)), 503),
        (FetchError("no connection"), 0),
        (MemoryError(), 0),
    ],
)
def test_a_request_that_fails_is_a_hop_without_an_answer(error: Exception, status: int) -> None:
    (hop,) = noted(RequestSent("shop.example", PAGE), error).hops
    assert (hop.status, hop.purpose, hop.size_bytes) == (status, "page", 0)


def test_a_loader_that_fails_before_it_asks_makes_no_hop() -> None:
    assert noted(FetchError("no token")).hops == []
