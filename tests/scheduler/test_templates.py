"""Templates name the slot, the inputs before them, and the job that triggered theirs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from scoopi.errors import DefsError
from scoopi.model.place import Place
from scoopi.model.schedule.process import Executes, Process
from scoopi.model.schedule.schedule_records import JobRecord
from scoopi.scheduler.templates import environment_of, inputs_of, names_of, secret_inputs

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PLACE = Place("shop.yml", 3, 3)
PROCESS = Process(name="p", mode="manual", executes=Executes(kind="external", what=("x",)), place=PLACE)


def job(slot: str, **fields: object) -> JobRecord:
    record = JobRecord(process="p", slot=slot, state="embryo", phase="active", created=NOW, changed=NOW)
    return msgspec.structs.replace(record, **fields)


def inputs(
    slot: str, grouping: int = 1, given: dict[str, str] | None = None, **fields: object
) -> dict[str, str]:
    process = msgspec.structs.replace(PROCESS, grouping=grouping, inputs=given or {})
    return inputs_of(job(slot, **fields), process)


def test_a_period_has_its_bounds_and_the_first_and_last_period_of_its_group() -> None:
    given = {"from": "${slot.start}", "to": "${ slot.end }", "all": "${ from }..${ to }"}
    assert inputs("H:2026010103", 3, given) == {
        "start_id": "2026010100",
        "end_id": "2026010103",
        "from": "2026-01-01T03:00:00Z",
        "to": "2026-01-01T04:00:00Z",
        "all": "2026-01-01T03:00:00Z..2026-01-01T04:00:00Z",
    }


def test_an_instant_is_both_start_and_end_and_an_iteration_has_its_fire() -> None:
    names = names_of(job("@2026-02-01T06:00:00Z"))
    assert names["slot.start"] == names["slot.end"] == "2026-02-01T06:00:00Z"
    assert names_of(job("#7", due=NOW + timedelta(hours=1)))["slot.start"] == "2026-01-01T01:00:00Z"
    assert names_of(job("!7"))["slot.end"] == "2026-01-01T00:00:00Z"


def test_a_launch_overrides_the_inputs_of_the_process() -> None:
    assert inputs("!1", given={"a": "1", "b": "${ a }"}, inputs={"a": "2"}) == {"a": "2", "b": "2"}


def test_outputs_of_the_triggering_job_are_text_or_json() -> None:
    trigger = {"job": "q/!1", "slot": "!1", "outputs": {"name": "x", "rows": 7, "files": ["a"]}}
    names = names_of(job("!1", trigger=trigger))
    assert names["trigger.job"] == "q/!1"
    found = [names[f"trigger.outputs.{name}"] for name in ("name", "rows", "files")]
    assert found == ["x", "7", '["a"]']


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("${ slot.kex }", "shop.yml:3:3: inputs.a: unknown name 'slot.kex'; did you mean slot.key?"),
        ("${ a }", "shop.yml:3:3: inputs.a: unknown name 'a'"),
        ("x${ env:HOME }", "shop.yml:3:3: inputs.a: unknown name 'env:HOME'"),
    ],
)
def test_an_unknown_name_is_an_error_with_its_place(text: str, message: str) -> None:
    with pytest.raises(DefsError) as error:
        inputs("!1", given={"a": text})
    assert str(error.value).startswith(message)


def test_a_variable_of_the_worker_is_read_only_as_a_whole_value() -> None:
    given = {"TOKEN": "${env:SECRET}", "DAY": "day ${ day }"}
    found = environment_of(given, {"day": "1"}, {"SECRET": "s3"}, PLACE)
    assert found == {"TOKEN": "s3", "DAY": "day 1"}
    with pytest.raises(DefsError, match=r"env\.TOKEN: the worker has no environment variable SECRET"):
        environment_of(given, {"day": "1"}, {}, PLACE)
    with pytest.raises(DefsError, match="unknown name 'env:SECRET'"):
        environment_of({"A": "x${env:SECRET}"}, {}, {"SECRET": "s3"}, PLACE)


def test_a_secret_input_is_kept_by_name_and_no_other_input_may_name_one() -> None:
    given = {"token": "${ env:TOKEN }", "text": "${ trigger.outputs.text }"}
    caused = {"job": "q/!1", "slot": "!1", "outputs": {"text": "plain"}}
    kept = inputs("!1", 1, given, trigger=caused)
    assert kept == {"token": "${env:TOKEN}", "text": "plain"}
    assert secret_inputs(kept, {"TOKEN": "s3cret"}, PLACE) == {"token": "s3cret"}
    with pytest.raises(DefsError, match="the worker has no environment variable TOKEN"):
        secret_inputs(kept, {}, PLACE)
    with pytest.raises(DefsError, match="its value names a secret"):
        inputs("!1", 1, given, trigger={**caused, "outputs": {"text": "${env:HOME}"}})
    with pytest.raises(DefsError, match="unknown name 'token'"):
        inputs("!1", 1, {"token": "${env:TOKEN}", "text": "Bearer ${ token }"})
