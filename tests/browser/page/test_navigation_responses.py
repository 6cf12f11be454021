"""Which answer gave the document that is shown."""

from __future__ import annotations

import threading
from typing import Any

from scoopi.browser.page.navigation_responses import NavigationResponse, NavigationResponses


def test_the_answer_of_a_document_is_the_newest_of_its_address_and_status() -> None:
    answers = NavigationResponses()
    answers.note("http://a/x#top", 200, {"X-Number": "1"})
    answers.note("http://a/x", 404, {"X-Number": "2"})
    answers.note("http://a/x", 200, {"X-Number": "3"})
    answers.note("http://a/frame", 500, {})
    found = answers.of("http://a/x#end", 200, 0.0)
    assert found is not None
    assert found.headers == {"x-number": "3"}
    unknown = answers.of("http://a/x", 0, 0.0)
    assert unknown is not None
    assert unknown.headers == {"x-number": "3"}
    assert answers.of("http://a/y", 200, 0.0) is None
    newest = answers.newest(0.0)
    assert newest is not None
    assert newest.status == 500


def document(shown: str, url: str, status: int = 0) -> dict[str, Any]:
    return {"shown": shown, "url": url, "status": status, "kind": "text/html"}


def test_status_and_headers_of_a_document_are_those_of_its_answer() -> None:
    answers = NavigationResponses()
    written = document("http://a/x", "about:blank")
    assert answers.of_document(written) == (200, {"content-type": "text/html"}), "nothing is waited for"
    answers.note("http://a/x", 404, {"X-Number": "1"})
    assert answers.of_document(document("http://a/x#top", "http://a/x#top", 404)) == (404, {"x-number": "1"})
    answers.note("http://a/empty", 204, {})
    assert answers.of_document(document("about:blank", "about:blank")) == (204, {})


def test_an_answer_that_a_browser_saves_is_a_file() -> None:
    headers = {"content-disposition": " Attachment; filename=a.csv"}
    assert NavigationResponse("http://a/x", 200, headers).is_file
    assert not NavigationResponse("http://a/x", 200, {"content-disposition": "inline"}).is_file


def test_an_answer_that_is_reported_late_is_waited_for() -> None:
    answers = NavigationResponses()
    answers.note("http://a/", 200, {})
    later = threading.Timer(0.05, answers.note, ("http://b/", 200, {}))
    later.start()
    assert answers.of("http://b/", 200, 60.0) is not None
    later.join()
    answers.clear()
    assert answers.newest(0.0) is None
    assert len(answers) == 0
