"""A field of a group declares its setting: key, kind, default, range and help stand in one place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pytest

from scoopi.configs.configs import Configs
from scoopi.configs.groups import FetchLimits
from scoopi.configs.setting import NODE, RUN, Group, Key, Kind, Setting, declared


class Sample(Group, frozen=True):
    count: Annotated[int, Key("scoopi.count", RUN, "How many.", unit="ms", least=1, most=9)] = 3
    is_on: Annotated[bool, Key("scoopi.on", NODE, "Whether.")] = False
    mode: Annotated[Literal["a", "b"], Key("scoopi.mode", NODE, "Which.")] = "a"
    derived: float = 1.5


@dataclass(frozen=True, slots=True)
class Parsed:
    names: Annotated[tuple[str, ...], Key("scoopi.names", NODE, "Who.", kind=Kind.TEXT, default=None)]
    file: Annotated[Path | None, Key("scoopi.file", NODE, "Where.", kind=Kind.PATH)] = None


def test_a_field_gives_its_setting_the_type_default_and_choices() -> None:
    assert dict(declared(Sample)) == {
        "count": Setting("scoopi.count", Kind.INT, "3", RUN, "How many.", "ms", 1, 9),
        "is_on": Setting("scoopi.on", Kind.BOOL, "false", NODE, "Whether."),
        "mode": Setting("scoopi.mode", Kind.CHOICE, "a", NODE, "Which.", choices=("a", "b")),
    }


def test_a_key_may_state_another_kind_and_default_than_its_field() -> None:
    assert [(setting.kind, setting.default) for setting in declared(Parsed).values()] == [
        (Kind.TEXT, None),
        (Kind.PATH, None),
    ]


@pytest.mark.parametrize(("text", "expected"), [("7", 7), ("1000", 1000)])
def test_a_group_takes_the_effective_values(text: str, expected: int) -> None:
    assert (
        FetchLimits.of(Configs.from_composed({"scoopi.loader.fetch.parallelism": text})).parallelism
        == expected
    )
