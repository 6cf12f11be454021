"""A time zone that has summer time, for the tests of dates."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest


@pytest.fixture
def in_oslo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Oslo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
