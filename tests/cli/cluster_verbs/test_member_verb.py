"""`scoopi member`: its options, before any Java is started."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Screen


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--port 0", "needs a number from 1 to 65535, got '0'"),
        ("--port 65536", "needs a number from 1 to 65535, got '65536'"),
        ("--port ٣", "needs a number from 1 to 65535"),
        ("--members 2", "needs an odd number below 100, so that there is a majority, got '2'"),
        ("--members 101", "needs an odd number below 100"),
        ("--heap 2", "needs a size such as 256m or 2g, got '2'"),
        ("--config nowhere.yaml", "nowhere.yaml: file not found; give the path of a Hazelcast configuration"),
    ],
)
def test_a_wrong_option_is_one_clear_error(screen: Screen, words: str, message: str) -> None:
    assert screen.run("member", *words.split()) == 2
    assert message in screen.err.getvalue()


def test_without_java_the_error_says_what_to_install(screen: Screen) -> None:
    screen.environ = {"PATH": "/nowhere", "JAVA_HOME": "/nowhere"}
    assert screen.run("member") != 0
    assert "ava" in screen.err.getvalue()
