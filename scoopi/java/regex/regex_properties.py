r"""property_set: translates Java's `\p{…}` to the inside of a set of the `regex` module."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

import regex

_CATEGORY = re.compile("C[cfnos]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?")
_CASED_CATEGORIES = frozenset({"Lu", "Ll", "Lt"})
_ANY_CASE = r"\p{Lu}\p{Ll}\p{Lt}"
_ANY_CASE_BINARY = r"\p{Lowercase}\p{Uppercase}\p{Lt}"
_LETTER_DIGIT = r"\p{L}\p{Nd}"
_IGNORABLE = r"\x00-\x08\x0e-\x1b\x7f-\x9f\p{Cf}"
_VISIBLE = r"[^\p{Z}\p{Cc}\p{Cs}\p{Cn}]"
UNICODE_WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d"

_OTHER_CATEGORIES: Mapping[str, str] = MappingProxyType(
    {
        "LC": _ANY_CASE,
        "LD": _LETTER_DIGIT,
        "L1": r"\x00-\xff",
        "all": r"\x00-\U0010ffff",
        "ASCII": r"\x00-\x7f",
    }
)
_POSIX: Mapping[str, str] = MappingProxyType(
    {
        "Lower": "a-z",
        "Upper": "A-Z",
        "Alpha": "a-zA-Z",
        "Digit": "0-9",
        "Alnum": "a-zA-Z0-9",
        "Punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
        "Graph": r"\x21-\x7e",
        "Print": r"\x20-\x7e",
        "Blank": r"\x20\t",
        "Cntrl": r"\x00-\x1f\x7f",
        "XDigit": "0-9a-fA-F",
        "Space": r"\x20\x09-\x0d",
    }
)
_BINARY: Mapping[str, str] = MappingProxyType(
    {
        "ALPHABETIC": r"\p{Alphabetic}",
        "LETTER": r"\p{L}",
        "IDEOGRAPHIC": r"\p{Ideographic}",
        "LOWERCASE": r"\p{Lowercase}",
        "UPPERCASE": r"\p{Uppercase}",
        "TITLECASE": r"\p{Lt}",
        "WHITE_SPACE": r"\p{White_Space}",
        "CONTROL": r"\p{Cc}",
        "PUNCTUATION": r"\p{P}",
        "HEX_DIGIT": r"\p{Nd}0-9A-Fa-f\uff10-\uff19\uff21-\uff26\uff41-\uff46",
        "ASSIGNED": r"[^\p{Cn}]",
        "NONCHARACTER_CODE_POINT": r"\p{Noncharacter_Code_Point}",
        "DIGIT": r"\p{Nd}",
        "ALNUM": r"\p{Alphabetic}\p{Nd}",
        "BLANK": r"\p{Zs}\t",
        "GRAPH": _VISIBLE,
        "PRINT": _VISIBLE + r"\p{Zs}",
        "WORD": UNICODE_WORD,
        "JOIN_CONTROL": r"\u200c\u200d",
    }
)
_BINARY_ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "ALPHA": "ALPHABETIC",
        "LOWER": "LOWERCASE",
        "UPPER": "UPPERCASE",
        "SPACE": "WHITE_SPACE",
        "WHITESPACE": "WHITE_SPACE",
        "PUNCT": "PUNCTUATION",
        "CNTRL": "CONTROL",
        "XDIGIT": "HEX_DIGIT",
        "HEXDIGIT": "HEX_DIGIT",
        "JOINCONTROL": "JOIN_CONTROL",
        "NONCHARACTERCODEPOINT": "NONCHARACTER_CODE_POINT",
    }
)
_JAVA: Mapping[str, str] = MappingProxyType(
    {
        "LowerCase": r"\p{Lowercase}",
        "UpperCase": r"\p{Uppercase}",
        "TitleCase": r"\p{Lt}",
        "Alphabetic": r"\p{Alphabetic}",
        "Ideographic": r"\p{Ideographic}",
        "Digit": r"\p{Nd}",
        "Defined": r"[^\p{Cn}]",
        "Letter": r"\p{L}",
        "LetterOrDigit": _LETTER_DIGIT,
        "JavaIdentifierStart": r"\p{L}\p{Nl}\p{Sc}\p{Pc}",
        "JavaIdentifierPart": _LETTER_DIGIT + r"\p{Nl}\p{Sc}\p{Pc}\p{Mc}\p{Mn}" + _IGNORABLE,
        "UnicodeIdentifierStart": r"\p{ID_Start}",
        "UnicodeIdentifierPart": r"\p{ID_Continue}" + _IGNORABLE,
        "IdentifierIgnorable": _IGNORABLE,
        "SpaceChar": r"\p{Z}",
        "Whitespace": r"\x09-\x0d\x1c-\x1f[\p{Z}--[\xa0\u2007\u202f]]",
        "ISOControl": r"\x00-\x1f\x7f-\x9f",
        "Mirrored": r"\p{Bidi_Mirrored}",
    }
)
_NAME = re.compile(r"[A-Za-z0-9_ .-]+")


def property_set(name: str, *, any_case: bool, unicode_classes: bool) -> str | None:
    r"""The inside of a set of the `regex` module for `\p{name}`; None if Java has no such property.

    Args:
        name: as written: `Lu`, `IsLatin`, `InGreek`, `script=Latin`, `Alpha`, `javaLetter`, ….
        any_case: the flag i is set: lower, upper and title case match each other.
        unicode_classes: the flag U is set: POSIX names stand for Unicode properties.
    """
    key, equals, value = name.partition("=")
    if equals:
        return _of_pair(key.lower(), value, any_case)
    if name.startswith("Is"):
        rest = name[2:]
        return _binary(rest, any_case) or _category(rest, any_case) or _known("Script", rest)
    if name.startswith("In"):
        return _known("Block", name[2:])
    if name.startswith("java"):
        found = _JAVA.get(name[4:])
        cased = name[4:] in ("LowerCase", "UpperCase", "TitleCase")
        return _ANY_CASE_BINARY if any_case and cased else found
    if unicode_classes and name in _POSIX:
        return _binary(name, any_case)
    if any_case and name in ("Lower", "Upper"):
        return _POSIX["Alpha"]
    return _POSIX.get(name) or _category(name, any_case)


def _of_pair(key: str, value: str, any_case: bool) -> str | None:
    if key in ("sc", "script"):
        return _known("Script", value)
    if key in ("blk", "block"):
        return _known("Block", value)
    return _category(value, any_case) if key in ("gc", "general_category") else None


def _binary(name: str, any_case: bool) -> str | None:
    upper = name.upper()
    full = _BINARY_ALIASES.get(upper, upper)
    if any_case and full in ("LOWERCASE", "UPPERCASE", "TITLECASE"):
        return _ANY_CASE_BINARY
    return _BINARY.get(full)


def _category(name: str, any_case: bool) -> str | None:
    if any_case and name in _CASED_CATEGORIES:
        return _ANY_CASE
    return rf"\p{{{name}}}" if _CATEGORY.fullmatch(name) else _OTHER_CATEGORIES.get(name)


def _known(kind: str, value: str) -> str | None:
    text = rf"\p{{{kind}={value}}}"
    if not _NAME.fullmatch(value):
        return None
    try:
        regex.compile(text, regex.V1)
    except regex.error:
        return None
    return text
