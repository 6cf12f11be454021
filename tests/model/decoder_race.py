"""Threads meet types for the first time together; the exit code is 0 if each decodes its value."""

from __future__ import annotations

import sys
import threading
import types
from typing import Any

import msgspec

from scoopi.model.decoders import converted, json_decoder

TYPES, THREADS = 400, 4
SOURCE = """
from __future__ import annotations
import msgspec
class Inner(msgspec.Struct):
    number: int = 0
    texts: tuple[str, ...] = ()
class Outer(msgspec.Struct):
    inner: Inner
    by_name: dict[str, Inner] = {}
    more: tuple[Inner, ...] = ()
    outers: list[Outer] = []
"""
TEXT = b'{"inner":{"number":1,"texts":["a"]},"by_name":{"k":{"number":2}},"more":[{}],"outers":[]}'


def decode(kind: Any, barrier: threading.Barrier, is_converted: bool, faults: list[BaseException]) -> None:
    """Decode one value, at the same moment as the other threads."""
    barrier.wait(30)
    try:
        if is_converted:
            converted(msgspec.json.decode(TEXT), kind)
        else:
            json_decoder(kind).decode(TEXT)
    except BaseException as error:
        faults.append(error)


def main() -> int:
    """As many types as make a crash all but certain without the lock."""
    sys.setswitchinterval(1e-6)
    code = compile(SOURCE, "module", "exec")
    faults: list[BaseException] = []
    for each in range(TYPES):
        module = types.ModuleType(f"module{each}")
        sys.modules[module.__name__] = module
        exec(code, module.__dict__)
        barrier = threading.Barrier(THREADS)
        given = [(module.Outer, barrier, bool(number % 2), faults) for number in range(THREADS)]
        threads = [threading.Thread(target=decode, args=arguments) for arguments in given]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(*faults[:3], file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
