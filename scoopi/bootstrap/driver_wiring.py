"""The process that runs script plugins with the driver of a browser; its orders come from stdin.

`ScriptProcess` starts it. It writes a reply to each order on stdout, and ends at the end of stdin.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from scoopi.browser.scripts.driver_plugins import CompiledScript, DriverPlugins
from scoopi.configs.groups import ScriptLimits
from scoopi.fetch.file_client import FileFinder
from scoopi.plugins.builtin_scripts import BasicScript
from scoopi.plugins.builtins import finder_of


def driver_plugins(current: Path, defs: Path, limits: ScriptLimits) -> DriverPlugins:
    """Make the object that runs the script plugins of definitions.

    Args:
        current: folder in which script files are searched first.
        defs: the definitions, or their folder.
        limits: of JavaScript; only that of memory applies, as the caller limits the time.
    """
    files = FileFinder(current, defs)

    def compiled(plugin: BasicScript) -> CompiledScript:
        from scoopi.script.driver_script import DriverScript  # late: Python functions do not need it

        inline = [plugin.script] if plugin.script.strip() else []
        texts = [files.find(name).read_text(encoding="utf-8") for name in plugin.scripts]
        return DriverScript([*inline, *texts], plugin.entry_point, limits)

    return DriverPlugins(finder_of(defs, current), compiled)


def main() -> None:
    """Run the plugin of each order on stdin, until its end."""
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a plugin prints must not mix with the replies
    current, defs, memory_mb = sys.argv[1:]
    limits = ScriptLimits(memory_mb=int(memory_mb))
    driver_plugins(Path(current), Path(defs), limits).serve(orders, answers)


if __name__ == "__main__":
    main()
