"""Decoders: threads may meet a type for the first time together, and no other code of Scoopi makes them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import scoopi
from scoopi.model.decoders import converted, json_decoder, msgpack_decoder

SOURCES = Path(scoopi.__file__).parent
UNGUARDED = re.compile(r"msgspec\.(?:json|msgpack)\.(?:Decoder\([^)]|decode\(.*\btype=)|msgspec\.convert\(")


class Pair(msgspec.Struct):
    left: int
    right: str = ""


def test_values_are_decoded_and_converted() -> None:
    assert json_decoder(Pair).decode(b'{"left":1}') == Pair(1)
    assert msgpack_decoder(Pair).decode(msgspec.msgpack.encode(Pair(2, "b"))) == Pair(2, "b")
    assert converted({"left": 3}, Pair) == Pair(3)
    with pytest.raises(msgspec.ValidationError):
        converted({"left": "x"}, Pair)


def test_threads_that_meet_a_type_together_do_not_end_the_process() -> None:
    command = [sys.executable, "-m", "tests.model.decoder_race"]
    ended = subprocess.run(command, cwd=SOURCES.parent, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr[-2000:]


def test_all_decoders_of_types_are_made_under_the_lock() -> None:
    files = [path for path in SOURCES.rglob("*.py") if path.name != "decoders.py"]
    found = [
        f"{path.relative_to(SOURCES)}:{number}: {line.strip()}"
        for path in files
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if UNGUARDED.search(line)
    ]
    assert not found, "use scoopi.model.decoders:\n" + "\n".join(found)
