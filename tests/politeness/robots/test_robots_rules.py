"""RobotsRules: what the lines of a robots.txt forbid, and which of them does."""

from __future__ import annotations

import time

import pytest

from scoopi.model.robots import RobotsLine
from scoopi.politeness.robots.robots_rules import MOST_SEARCHED, RobotsRules

HOST = "http://a.example"


def rules_of(*texts: str) -> RobotsRules:
    """The rules of these lines, counted from 1."""
    return RobotsRules([RobotsLine(number, text) for number, text in enumerate(texts, 1)])


@pytest.mark.parametrize(
    ("texts", "path", "line"),
    [
        (["Disallow: /a"], "/a", 1),
        (["Disallow: /a"], "/about", 1),
        (["Disallow: /a/"], "/a", 0),
        (["Disallow:"], "/a", 0),
        (["Disallow: /"], "/robots.txt", 0),
        (["Disallow: /*.pdf$"], "/x/y.pdf", 1),
        (["Disallow: /*.pdf$"], "/x/y.pdf?z", 0),
        (["Disallow: /a", "Allow: /a/b"], "/a/b/c", 0),
        (["Allow: /a", "Disallow: /a"], "/a", 0),
        (["Disallow: /", "Disallow: /a/b", "Allow: /a"], "/a/b", 2),
        (["Disallow: /?q="], "/?q=1", 1),
        (["Disallow: /caf%C3%A9"], "/caf%c3%a9", 1),
        (["Disallow: /café"], "/caf%C3%A9", 1),
    ],
)
def test_the_longest_rule_decides_and_is_named(texts: list[str], path: str, line: int) -> None:
    refusal = rules_of(*texts).refusal(HOST + path)
    assert refusal == (f"line {line} of robots.txt: {texts[line - 1]}" if line else "")


def test_a_file_of_very_many_rules_is_followed_without_naming_one() -> None:
    rules = rules_of(*(f"Disallow: /{number}/" for number in range(MOST_SEARCHED + 1)))
    assert rules.refusal(f"{HOST}/7/x") == "robots.txt"
    assert rules.refusal(f"{HOST}/x") == ""


def test_the_crawl_delay_is_in_seconds_and_nonsense_is_none() -> None:
    assert rules_of("Crawl-delay: 2.5").crawl_delay_s == 2.5
    assert rules_of("Crawl-delay: soon").crawl_delay_s == 0.0
    assert rules_of("Crawl-delay: inf").crawl_delay_s == 0.0
    assert rules_of().crawl_delay_s == 0.0


def test_a_hostile_pattern_takes_no_time() -> None:
    rules = rules_of("Disallow: /" + "*a" * 2000 + "b")
    began = time.process_time()
    assert rules.refusal(f"{HOST}/{'a' * 60_000}") == ""
    assert time.process_time() - began < 2
