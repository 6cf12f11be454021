"""Ids are derived from what a job is: equal for equal jobs, and different for others."""

from __future__ import annotations

import re

import pytest

from scoopi.model.job import (
    RUN_NAME,
    ancestor_digest,
    link_id,
    new_incarnation,
    once_per_locator_id,
    once_per_run_id,
    page_url,
    retry_id,
    seed_id,
)


def test_ids_are_the_same_in_every_process() -> None:
    assert seed_id("group", "name", "/a") == seed_id("group", "name", "/a")
    assert re.fullmatch("[0-9a-f]{32}", seed_id("group", "name", "/a"))


def test_no_two_kinds_of_jobs_have_one_id() -> None:
    seed = seed_id("g", "n", "/a")
    ids = [
        seed,
        seed_id("gn", "", "/a"),
        seed_id("g", "n", "/a", "POST"),
        link_id(seed, "g", "/a", 0),
        link_id(seed, "g", "/a", 1),
        once_per_locator_id(seed, "g", "/a"),
        once_per_locator_id(seed, "g", "/a", {"k": 1}),
        once_per_run_id("g", "/a"),
        once_per_run_id("g", "/a", {"k": 1}),
        once_per_run_id("g", "/a", {"k": 2}),
        retry_id(seed),
    ]
    assert len(set(ids)) == len(ids)


def test_the_order_of_a_parents_values_does_not_count() -> None:
    assert once_per_locator_id("s", "g", "/a", {"a": 1, "b": 2}) == once_per_locator_id(
        "s", "g", "/a", {"b": 2, "a": 1}
    )


def test_a_page_read_once_per_run_is_one_job_from_a_link_and_from_a_locator() -> None:
    assert once_per_run_id("g", "/a") == seed_id("g", "g", "/a")


def test_a_fragment_names_no_other_page() -> None:
    assert page_url("/a?b#c") == page_url("/a?b#") == page_url("/a?b#", each_fragment=True) == "/a?b"
    assert page_url("/a?b#/c#d", each_fragment=True) == "/a?b#/c#d"
    assert ancestor_digest("g", "/a") != ancestor_digest("g", "/a", "POST")
    assert len(ancestor_digest("g", "/a")) == 8


def test_each_start_has_an_incarnation_of_its_own() -> None:
    assert len({new_incarnation() for _ in range(100)}) == 100


@pytest.mark.parametrize(
    ("name", "is_valid"),
    [("a", True), ("a.b-c_1", True), ("", False), (".a", False), ("a/b", False), ("a" * 101, False)],
)
def test_a_runs_name_is_a_folder_name(name: str, is_valid: bool) -> None:
    assert bool(RUN_NAME.fullmatch(name)) is is_valid
