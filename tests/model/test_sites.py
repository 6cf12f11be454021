"""Sites: the most specific pattern wins, key by key, and each value has an origin."""

from __future__ import annotations

from scoopi.model.limits.retry_policy import RetryPolicy
from scoopi.model.sites import Site, SiteBlock, Sites

DEFAULTS = Site(delay_ms=1000, parallelism=1, user_agent="Scoopi/1")


def sites(*blocks: SiteBlock) -> Sites:
    return Sites(DEFAULTS, blocks)


def test_a_host_that_no_pattern_matches_has_the_defaults() -> None:
    assert sites().for_host("a.example:80") is DEFAULTS
    assert sites(SiteBlock("b.example", {"delay_ms": 5})).for_host("a.example:80") is DEFAULTS


def test_the_most_specific_pattern_wins_key_by_key_in_whatever_order_they_are_written() -> None:
    made = sites(
        SiteBlock("shop.example.org:8443", {"delay_ms": 4}),
        SiteBlock("shop.example.org", {"delay_ms": 3, "parallelism": 3}),
        SiteBlock("*", {"delay_ms": 1, "parallelism": 1, "timeout_ms": 1, "user_agent": "all"}),
        SiteBlock("*.example.org", {"delay_ms": 2, "parallelism": 2, "timeout_ms": 2}),
    )
    site = made.for_host("shop.example.org:8443")
    assert (site.delay_ms, site.parallelism, site.timeout_ms, site.user_agent) == (4, 3, 2, "all")
    assert made.for_host("shop.example.org:443").delay_ms == 3
    assert made.for_host("www.example.org:443").delay_ms == 2
    assert made.for_host("example.org:443").delay_ms == 1


def test_a_star_stands_for_any_labels_and_the_rest_is_taken_by_its_letters() -> None:
    block = SiteBlock("*.example.org", {})
    assert block.matches("a.b.example.org:80")
    assert not block.matches("example.org:80")
    assert not block.matches("a.exampleXorg:80")
    assert SiteBlock("[::1]", {}).matches("[::1]:8080")
    assert not SiteBlock("a.example:80", {}).matches("a.example:8080")


def test_of_equally_specific_blocks_the_later_one_wins() -> None:
    made = sites(SiteBlock("a.example", {"delay_ms": 1}), SiteBlock("a.example", {"delay_ms": 2}))
    assert made.for_host("a.example:80").delay_ms == 2


def test_headers_are_merged_name_by_name_whatever_their_case() -> None:
    made = sites(
        SiteBlock("*", {"headers": {"Accept-Language": "de", "X-One": "1"}}),
        SiteBlock("a.example", {"headers": {"accept-language": "en"}}),
    )
    assert made.for_host("a.example:80").headers == {"X-One": "1", "accept-language": "en"}
    assert made.for_host("b.example:80").headers == {"Accept-Language": "de", "X-One": "1"}


def test_each_value_has_the_origin_of_the_block_that_gives_it() -> None:
    made = sites(
        SiteBlock("*", {"delay_ms": 1, "parallelism": 2}, {"delay_ms": "s.yml:2", "parallelism": "s.yml:3"}),
        SiteBlock("a.example", {"delay_ms": 3}, {"delay_ms": "s.yml:5"}),
    )
    assert made.origins("a.example:80") == {"delay_ms": "s.yml:5", "parallelism": "s.yml:3"}


def test_a_host_is_found_by_the_url_of_its_page() -> None:
    made = sites(SiteBlock("a.example:443", {"delay_ms": 7}))
    assert made.for_url("https://user:pass@a.example/x?y=http://b.example").delay_ms == 7
    assert made.for_url("http://a.example/").delay_ms == 1000


def test_the_longest_delay_is_that_of_any_block() -> None:
    none = Site(delay_ms=0)
    assert Sites(none).longest_delay_ms == 0
    assert Sites(none, [SiteBlock("*", {"delay_ms": 9}), SiteBlock("a", {})]).longest_delay_ms == 9


def test_retries_are_merged_key_by_key_with_the_settings_below() -> None:
    blocks = (
        SiteBlock("*", {"retry": {"attempts": 2, "delay": 10}}),
        SiteBlock("a.example", {"retry": {"attempts": 9}}),
    )
    sites = Sites(Site(retry=RetryPolicy().numbers()), blocks)
    assert RetryPolicy.of(sites.for_host("a.example:80").retry) == RetryPolicy(attempts=9, delay_ms=10)
    assert RetryPolicy.of(sites.for_host("b.example:80").retry) == RetryPolicy(attempts=2, delay_ms=10)
