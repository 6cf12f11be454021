"""A request is reported at once where the next one waits for it, and else with its answer."""

from __future__ import annotations

from scoopi.model.handover import Grant
from scoopi.worker.messages import Sent
from scoopi.worker.request_reports import RequestReports

HOST = "a.example:80"


def test_a_paced_request_is_reported_by_a_message_of_its_own() -> None:
    reports = RequestReports()
    reports.begin("a", Grant(HOST, 5.0))
    reports.sent("a", HOST)
    (sent,) = reports.messages
    assert isinstance(sent, Sent)
    assert (sent.job, sent.host) == ("a", HOST)
    assert reports.end("a") is None


def test_another_request_is_reported_with_its_answer() -> None:
    reports = RequestReports()
    reports.begin("a", Grant(HOST, 5.0, is_paced=False))
    reports.sent("a", HOST)
    assert reports.messages == []
    assert reports.end("a") is not None
    assert reports.end("a") is None


def test_a_request_that_was_not_sent_has_no_time() -> None:
    reports = RequestReports()
    reports.begin("a", Grant(HOST, 5.0, is_paced=False))
    assert reports.end("a") is None


def test_the_last_grant_of_a_job_decides() -> None:
    reports = RequestReports()
    reports.begin("a", Grant(HOST, 5.0, is_paced=False))
    reports.begin("a", Grant(HOST, 6.0))
    reports.sent("a", HOST)
    assert len(reports.messages) == 1
