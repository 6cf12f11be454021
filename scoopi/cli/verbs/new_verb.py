"""`scoopi new`: creates a folder with example definitions."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE
from scoopi.cli.terminal import Terminal, printable
from scoopi.errors import RunError, UsageError

STARTER = Path(__file__).parent / "starter"
FILES = ("books.yml", *(f"pages/{name}.html" for name in ("list", "bread", "harbour", "rivers")))


class New:
    """Copies the starter definitions; overwrites nothing."""

    usage = "scoopi new DIR"
    sentence = "Creates a folder with commented example definitions and the pages that they read."
    example = "scoopi new demo\nscoopi demo"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add DIR."""
        parser.add_argument("folder", metavar="DIR", type=Path, help="folder, created if it does not exist")

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Write the files and show the next command.

        Raises:
            UsageError: a file already exists.
            RunError: the folder cannot be written.
        """
        targets = {options.folder / name: STARTER / name for name in FILES}
        for target in targets:
            if target.exists() or target.is_symlink():
                raise UsageError("this file already exists", at=str(target), hint="choose another folder")
        for target, source in targets.items():
            _write(target, source.read_bytes())
        folder = printable(str(options.folder))
        first, *pages = targets
        terminal.say(f"wrote {printable(str(first))}, and {len(pages)} pages that it reads")
        terminal.say(f"run it with:  scoopi {folder}")
        return DONE


def _write(target: Path, content: bytes) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            file.write(content)
    except OSError as error:
        at, hint = str(error.filename or target), "choose another folder"
        raise RunError(f"the file cannot be written: {error.strerror}", at=at, hint=hint) from error


VERB: Verb = New()
