"""read_value: the text of a value, checked and brought into its one form."""

from __future__ import annotations

import re

from scoopi.configs.setting import Kind, Setting
from scoopi.errors import ConfigError, ScoopiError

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


def read_value(setting: Setting, text: str, *, shown: str, at: str) -> str:
    """The value in the form that all readers of it rely on: `true`, `1000`, `auto`.

    Args:
        text: the value as given.
        shown: the value as it may be shown, secrets masked.
        at: its place, for the error.
    Raises:
        ConfigError: the text is not a valid value.
    """
    value = _read(setting, text)
    if value is None:
        what = f"{setting.key} needs {setting.domain}, got {shown!r}"
        raise ConfigError(what, at=at, hint=_hint(setting))
    return value


def _read(setting: Setting, text: str) -> str | None:
    match setting.kind:
        case Kind.BOOL:
            return _choice(text, ("true", "false"))
        case Kind.CHOICE:
            return _choice(text, setting.choices)
        case Kind.INT:
            return _whole(setting, text)
        case Kind.WORKERS:
            return _choice(text, ("auto",)) or _whole(setting, text)
        case Kind.PATH:
            return text.strip() if "\0" not in text and text.strip() else None
        case Kind.PATTERN:
            return text if _is_pattern(text) else None
        case Kind.TEXT:
            return None if any(sign in text for sign in "\0\r\n") else text


def _choice(text: str, choices: tuple[str, ...]) -> str | None:
    word = text.strip().lower()
    return word if word in choices else None


def _whole(setting: Setting, text: str) -> str | None:
    digits = text.strip()
    if not _WHOLE.fullmatch(digits) or not setting.least <= int(digits) <= setting.most:
        return None
    return str(int(digits))


def _is_pattern(text: str) -> bool:
    from scoopi.java.dates.date_pattern import DatePattern

    try:
        DatePattern(text)
    except (ScoopiError, ValueError):
        return False
    return True


def _hint(setting: Setting) -> str:
    if setting.default is None:
        return "correct it, or remove it"
    unit = f" {setting.unit}" if setting.unit else ""
    return f"correct it, or remove it: the default is {setting.default}{unit}"
