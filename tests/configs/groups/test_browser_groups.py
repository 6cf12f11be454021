"""Settings for browsers: the programs of each kind, and a share of the memory."""

from __future__ import annotations

import pytest

from scoopi.configs.groups import BrowserSettings


def test_firefox_has_its_own_programs_unless_others_are_given() -> None:
    assert BrowserSettings(browser="firefox").with_firefox().binary == "/usr/bin/firefox-esr"
    given = BrowserSettings(browser="firefox", binary="/opt/firefox", driver="/opt/geckodriver")
    assert given.with_firefox() == given


@pytest.mark.parametrize(
    ("bound_mb", "browsers", "memory_mb"),
    [(65_536, 4, 2048), (8192, 4, 1024), (4096, 4, 512), (2048, 2, 512), (1024, 1, 512), (256, 1, 512)],
)
def test_browsers_take_half_of_the_memory_at_most_and_one_is_always_possible(
    bound_mb: int, browsers: int, memory_mb: int
) -> None:
    within = BrowserSettings(browsers=4, memory_mb=2048).within(bound_mb)
    assert (within.browsers, within.memory_mb) == (browsers, memory_mb)
