"""Robots texts: which lines of a robots.txt are meant for an agent."""

from __future__ import annotations

import pytest

from scoopi.errors import FetchError, LoadFault
from scoopi.fetch.http_faults import redirects_fault, status_fault
from scoopi.fetch.robots_text import LONGEST_LINE, answer_of_body, answer_of_error, lines_for, product_token
from scoopi.model.robots import RobotsAnswer, RobotsKind, RobotsLine


def texts(text: str, token: str = "scoopi") -> list[str]:
    """The rules for the agent, without their numbers."""
    return [line.text for line in lines_for(text, token)]


@pytest.mark.parametrize(
    ("agent", "token"),
    [
        ("Scoopi/1.0", "scoopi"),
        ("Bread-Bot_x (+https://b.example)", "bread-bot_x"),
        ("Mozilla/5.0 (compatible; Breadbot/2.1; +https://b.example)", "breadbot"),
        ("Mozilla/5.0 (X11; Linux x86_64)", "mozilla"),
        ("", "scoopi"),
        ("123", "scoopi"),
    ],
)
def test_the_product_token_is_the_name_in_the_user_agent(agent: str, token: str) -> None:
    assert product_token(agent) == token


def test_the_group_that_names_the_agent_replaces_the_one_for_all() -> None:
    text = "User-agent: *\nDisallow: /\n\nUser-agent: SCOOPI\nDisallow: /x\nUser-agent: other\nDisallow: /y\n"
    assert texts(text) == ["Disallow: /x"]
    assert texts(text, "third") == ["Disallow: /"]
    assert texts("User-agent: *\nDisallow: /\nUser-agent: scoopi\n") == [], "a named group without rules"


def test_groups_that_name_the_agent_are_joined_and_several_agents_share_one() -> None:
    text = "User-agent: a\nUser-agent: Scoopi/2\nDisallow: /1\nAllow: /2\nuser-agent:b\nDisallow: /3\n"
    text += "USER-AGENT : scoopi # we\nDISALLOW:/4#x\nCrawl-Delay: 2\nSitemap: /no\n"
    assert texts(text) == ["Disallow: /1", "Allow: /2", "Disallow: /4", "Crawl-delay: 2"]


def test_lines_are_counted_as_an_editor_counts_them() -> None:
    text = "\ufeff# first\r\nUser-agent: *\r\n\r\nDisallow: /a\rDisallow: /b\x0c\u2028c\nDisallow: /c"
    assert [line.number for line in lines_for(text, "scoopi")] == [4, 5, 6]


def test_what_is_not_a_rule_is_passed_over() -> None:
    text = f"Disallow: /before-any-group\n<html>\nUser-agent: *\nnonsense\nDisallow: /{'x' * LONGEST_LINE}\n"
    assert texts(text + "Disallow: /y") == ["Disallow: /y"]


def test_bytes_that_are_not_utf_8_do_not_hide_the_other_rules() -> None:
    answer = answer_of_body(b"User-agent: *\nDisallow: /\xff\nDisallow: /a", "scoopi")
    assert answer.lines[-1] == RobotsLine(3, "Disallow: /a")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 204, 302])
def test_a_host_without_the_file_allows_everything(status: int) -> None:
    answer = answer_of_error(status_fault(status, "http://a.example/robots.txt"))
    assert answer == RobotsAnswer(RobotsKind.KNOWN, note=f"status {status}")


def test_a_chain_of_too_many_redirects_is_a_file_that_does_not_exist() -> None:
    assert answer_of_error(redirects_fault(5, "http://a.example/robots.txt")).kind is RobotsKind.KNOWN


@pytest.mark.parametrize("status", [408, 425, 429, 500, 503])
def test_with_an_error_of_its_own_the_host_is_asked_later(status: int) -> None:
    answer = answer_of_error(status_fault(status, "http://a.example/robots.txt"))
    assert (answer.kind, answer.lines) == (RobotsKind.LATER, ())


def test_pages_of_a_host_that_cannot_be_asked_have_its_reason() -> None:
    error = FetchError("no TLS", at="https://a.example/robots.txt", hint="look", fault=LoadFault())
    answer = answer_of_error(error)
    assert answer == RobotsAnswer(RobotsKind.NEVER, (), "no TLS", "no TLS", "no TLS", "look")
    assert answer_of_error(ValueError("odd")).kind is RobotsKind.NEVER
