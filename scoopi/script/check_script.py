"""check_script: finds syntax errors of a script without running it."""

from __future__ import annotations

from _quickjs import Context, JSException  # type: ignore[import-not-found]

from scoopi.script.sandbox import SCRIPT_POSITION

# A text is parsed as a whole before its first statement runs, and this one ends it.
_STOP = "throw 0;"
_MEMORY_BYTES = 256 << 20
_HINT = "correct it there: it must be JavaScript as browsers read it"


def check_script(text: str) -> tuple[str, str] | None:
    """What is wrong, with line and column of the script, and the hint; None when its syntax is right.

    Placeholders `%{…}` must have been replaced by something harmless before.
    """
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        return f"there is a NUL character (line {line} of the script)", "take it out"
    context = Context()
    context.set_memory_limit(_MEMORY_BYTES)
    try:
        context.eval(_STOP + text)
    except UnicodeEncodeError as error:
        return (
            f"there is half a character, {error.object[error.start]!a}, which is not text",
            "write the whole character",
        )
    except JSException as error:
        return _syntax_error(str(error))
    return None


def _syntax_error(report: str) -> tuple[str, str] | None:
    message, _, stack = report.partition("\n")
    if not message.startswith("SyntaxError: "):
        return None
    what = message.removeprefix("SyntaxError: ")
    place = SCRIPT_POSITION.search(stack)
    if not place:
        return what, _HINT
    line, column = int(place["line"]), int(place["column"])
    column -= len(_STOP) if line == 1 else 0
    return f"{what} (line {line}, column {column} of the script)", _HINT
