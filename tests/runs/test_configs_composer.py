"""ConfigsComposer: the settings of a run are read once, whoever asks."""

from __future__ import annotations

import logging

import pytest

from scoopi.configs.original_keys import original_note
from scoopi.runs.configs_composer import ConfigsComposer
from scoopi.runs.run_request import RunRequest

ORIGINAL = "scoopi.highDate"


def test_a_key_of_the_original_is_warned_of_once_in_a_run(caplog: pytest.LogCaptureFixture) -> None:
    assert original_note(ORIGINAL)
    composer = ConfigsComposer(RunRequest(overrides={ORIGINAL: "1"}, environ={}))
    with caplog.at_level(logging.WARNING):
        assert composer.compose() is composer.compose()
    assert [ORIGINAL in record.getMessage() for record in caplog.records] == [True]
