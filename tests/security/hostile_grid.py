"""What anyone who reaches a member's port can write into the maps of a cluster."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scoopi.store.cluster.cluster_client import ClusterClient, client_class

HazelcastClient = client_class()  # loaded first, it warns of nothing


class Touch:
    """Makes a file where it is unpickled."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __reduce__(self) -> tuple[object, ...]:
        return open, (str(self._file), "w")


def json_value(text: str) -> Any:
    """As Scoopi writes jobs."""
    from hazelcast.core import HazelcastJsonValue

    return HazelcastJsonValue(text)


def raw(type_id: int, body: bytes) -> Any:
    """A value that no client would make, as it goes over the wire."""
    from hazelcast.serialization.data import Data

    return Data(bytearray(b"\0\0\0\0" + type_id.to_bytes(4, signed=True) + body))  # type: ignore[no-untyped-call]


NO_TYPE = "a value of a type that no member knows"
UNREGISTERED: Mapping[str, Any] = MappingProxyType(
    {
        NO_TYPE: raw(-99, b"abc"),
        "a compact value of a schema that no member has": raw(-55, b"\0\0\0\0\0\0\0\1\0\0\0\0"),
        "a portable value of a class that no member has": raw(-1, b"\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\0"),
    }
)
DEEP = "[" * 100_000
HUGE = "9" * 400
VALUES: Mapping[str, Any] = MappingProxyType(
    {
        "a number": 7,
        "a number that as a length would fill the memory": 2**62,
        "a number of 500 digits": 10**500,
        "a fraction": 0.5,
        "a truth value": True,
        "a text": "RUNNING",
        "a list": ["run", 1],
        "a uuid": uuid.UUID(int=1),
        "no bytes": bytearray(),
        "bytes that are no text": bytearray(b"\xff\xfe\x00\x80" * 10),
        "truncated JSON": bytearray(b'{"incarnation":"a","phase":"RUNN'),
        "JSON of another shape": bytearray(b'[{"run":[]}]'),
        "JSON of other types": bytearray(b'{"incarnation":1,"phase":{},"seeded":"x","node":[],"number":"1"}'),
        "JSON with huge numbers": bytearray(
            f'{{"holder":"","node":"a","state":"LIVE","number":{HUGE},"takes":{HUGE},"idle":true}}'.encode()
        ),
        "JSON of great depth": bytearray(DEEP.encode()),
        "JSON of the grid": json_value('{"state_key":5,"host":null}'),
        "JSON of the grid that is a list": json_value("[1,2]"),
        "JSON of the grid that is truncated": json_value('{"state_key":"R/x","ho'),
        "JSON of the grid of great depth": json_value("[" * 500 + "]" * 500),
        "a job of another shape": json_value('{"state_key":"R/file","host":"file"}'),
        "a job of nobody": json_value(
            '{"fence":0,"host":"nowhere:80","incarnation":"x","lost":0,"payload":"","state_key":"R/nowhere:80",'
            '"state":"READY"}'
        ),
        "a text that is not UTF-8": raw(-11, b"\0\0\0\4\xff\xff\xff\xff"),
        "a length beyond the end": raw(-12, b"\0\0\1\0abc"),
        **UNREGISTERED,
    }
)
KEYS: Mapping[str, Any] = MappingProxyType(
    {
        "a number": 5,
        "a fraction": 1.5,
        "a truth value": True,
        "bytes": bytearray(b"x"),
        "a uuid": uuid.UUID(int=1),
        "JSON": json_value('{"a":1}'),
        "a list": ["a"],
        **UNREGISTERED,
    }
)


@contextmanager
def attacker_of(cluster: ClusterClient) -> Iterator[Any]:
    """A client that pickles and unpickles, as any other program's does."""
    reached = cluster.settings
    client = HazelcastClient(
        cluster_members=list(reached.addresses),
        cluster_name=reached.name,
        default_int_type="VAR",
        cluster_connect_timeout=20.0,
    )
    yield client
    client.shutdown()


def plant(attacker: Any, name: str, key: Any, value: Any) -> None:
    """Put it, whatever the members say."""
    attacker.get_map(name).blocking().set(key, value)


def uproot(attacker: Any, name: str, key: Any) -> None:
    """The members of a test session serve other tests, too."""
    attacker.get_map(name).blocking().delete(key)
