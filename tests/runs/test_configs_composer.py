"""ConfigsComposer: the settings of a run are read once for all readers."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from scoopi.configs.configs import Configs
from scoopi.configs.configs_reader import ConfigsReader
from scoopi.configs.original_keys import original_note
from scoopi.runs.configs_composer import ConfigsComposer, conflicts, merge
from scoopi.runs.run_request import RunRequest

ORIGINAL = "scoopi.highDate"


def test_a_key_of_the_original_is_warned_of_once_in_a_run(caplog: pytest.LogCaptureFixture) -> None:
    assert original_note(ORIGINAL)
    composer = ConfigsComposer(RunRequest(overrides={ORIGINAL: "1"}, environ={}))
    with caplog.at_level(logging.WARNING):
        assert composer.compose() is composer.compose()
    assert [ORIGINAL in record.getMessage() for record in caplog.records] == [True]


MAX_ROWS, DELAY, WORKERS = "scoopi.parser.maxRows", "scoopi.loader.fetch.delay", "scoopi.workers"


def configs_of(**overrides: str) -> Configs:
    keys = {"rows": MAX_ROWS, "delay": DELAY, "workers": WORKERS}
    return ConfigsReader().read(
        {keys[name]: value for name, value in overrides.items()}, None, {}, Path("/nowhere")
    )


def composed_configs(**overrides: str) -> Configs:
    return Configs.from_composed(configs_of(**overrides).composed())


def test_another_value_of_scope_run_is_an_error_that_names_both() -> None:
    errors, warnings = conflicts(configs_of(rows="7"), composed_configs(rows="5"))
    assert errors == ("-D: scoopi.parser.maxRows is '7', but the run has '5'",)
    assert warnings == ()


def test_another_value_of_scope_shared_is_a_warning_that_names_both() -> None:
    errors, warnings = conflicts(configs_of(delay="7"), composed_configs())
    assert errors == ()
    assert warnings == ("-D: scoopi.loader.fetch.delay is '7', but the run has '1000'",)


def test_defaults_equal_values_and_scope_node_do_not_count() -> None:
    assert conflicts(configs_of(), composed_configs(rows="5", delay="5")) == ((), ())
    assert conflicts(configs_of(rows="5", delay="005"), composed_configs(rows="5", delay="5")) == ((), ())
    assert conflicts(configs_of(workers="1"), composed_configs(workers="2")) == ((), ())


def test_a_date_that_the_run_had_not_is_reported_as_unset() -> None:
    mine = ConfigsReader().read(
        {
            "scoopi.runDateTimeText": "01-07-2020 10:59:59",
            "scoopi.dateTimePattern": "dd-MM-yyyy HH:mm:ss",
        },
        None,
        {},
        Path("/nowhere"),
    )
    errors, _ = conflicts(mine, composed_configs())
    assert len(errors) == 2
    assert any("but the run has unset" in error for error in errors)


def test_the_run_rules_except_for_what_is_free() -> None:
    merged = merge(configs_of(rows="7", delay="7", workers="7"), composed_configs(rows="5"), take_shared=True)
    assert (merged.text(MAX_ROWS), merged.text(DELAY), merged.text(WORKERS)) == ("5", "7", "7")
    joined = merge(configs_of(delay="7"), composed_configs(delay="5"), take_shared=False)
    assert joined.text(DELAY) == "5"
    assert merge(configs_of(), composed_configs(delay="5"), take_shared=True).text(DELAY) == "5"
