"""ScriptProcess: the process in which the script plugins of a browser run."""

from __future__ import annotations

import os
import select
import subprocess
import threading
import time
from collections.abc import Sequence

import msgspec

from scoopi.browser.scripts.script_messages import ScriptFailed, ScriptRequest
from scoopi.descendants import kill_tree
from scoopi.model.decoders import json_decoder
from scoopi.model.scrape.plugin_def import PluginDef

_ANSWERS = json_decoder(ScriptFailed | None)


class ScriptProcess:
    """The process in which the script plugins of a browser run.

    A script may take very long or never end, and only a kill ends an endless loop; therefore scripts have a
    process of their own. It starts with the first page that has scripts, and also serves later ones. Belongs
    to one thread, except for `kill`.

    Args:
        command: the program, which reads requests and writes the result of each; see `DriverPlugins.serve`.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = [*command]
        self._process: subprocess.Popen[bytes] | None = None
        self._running = threading.Lock()

    def run(self, request: ScriptRequest, timeout_s: float) -> ScriptFailed | None:
        """Run the plugins of a request; return the failure of the first that fails, None if none does.

        The process is killed, which is a failure, too, if they have not ended within `timeout_s` seconds.
        """
        ends = time.monotonic() + timeout_s
        with self._running:
            line = self._answer(msgspec.json.encode(request) + b"\n", ends)
        if line.endswith(b"\n"):
            failed: ScriptFailed | None = _ANSWERS.decode(line)
            return failed
        self.kill()
        return _failure(request.plugins[0], time.monotonic() >= ends, timeout_s)

    def kill(self) -> None:
        """Kill the process and all that it has started, if it runs; callable from any thread."""
        process = self._process
        if process is None:
            return
        kill_tree(process.pid)
        process.wait()
        if self._running.acquire(blocking=False):  # else `run` is active, notices the end and calls this
            try:
                process.communicate()
                self._process = None
            finally:
                self._running.release()

    def _answer(self, request: bytes, ends: float) -> bytes:
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        given, answers = self._process.stdin, self._process.stdout
        assert given is not None
        assert answers is not None
        try:
            given.write(request)
        except BrokenPipeError:
            return b""
        return _line(answers.fileno(), ends)


def _line(pipe: int, ends: float) -> bytes:
    """What a process writes up to the end of a line; less if it ends, or does not write in time."""
    found = b""
    poll = select.poll()  # select.select does not accept descriptors above 1023
    poll.register(pipe, select.POLLIN)
    while not found.endswith(b"\n"):
        ready = poll.poll(max(0.0, ends - time.monotonic()) * 1000)
        part = os.read(pipe, 65536) if ready else b""
        if not part:
            break
        found += part
    return found


def _failure(plugin: PluginDef, is_late: bool, timeout_s: float) -> ScriptFailed:
    of = f"the script plugin {plugin.name} at {plugin.place}"
    if is_late:
        hint = "look for an endless loop, or raise the `timeout` of its site"
        return ScriptFailed(f"{of} did not end within {timeout_s:.0f} s", f"{of} did not end", hint)
    cause = f"the process of {of} has ended"
    return ScriptFailed(cause, cause, "it may need too much memory")
