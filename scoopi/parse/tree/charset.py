"""Determines the charset of a page as the HTML standard does: BOM, header, `meta`, guess."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from functools import cache, lru_cache

from webencodings.labels import LABELS

REPLACEMENT = "replacement"
"""The standard's name for encodings that are unsafe to decode: the whole page becomes one U+FFFD."""

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le"))
_USER_DEFINED = "x-user-defined"
_FALLBACK = "cp1252"
_CODECS = {
    "big5": "big5hkscs",
    "euc-kr": "cp949",
    "gbk": "gb18030",
    "ibm866": "cp866",
    "iso-8859-8-i": "iso-8859-8",
    "macintosh": "mac-roman",
    "shift_jis": "cp932",
    "utf-16be": "utf-16-be",
    "utf-16le": "utf-16-le",
    "x-mac-cyrillic": "mac-cyrillic",
}
"""Encodings of the standard that Python knows by another name, or only as part of a larger encoding."""

_PRESCANNED = 1024
LATEST_META = 65_536
"""Number of bytes in which a `meta` after the prescanned part still counts, as in a browser's parser."""

_LONGEST_META = 1000

_MARKUP = re.compile(
    rb"<!--(?:-?>|.*?(?:-->|\Z))|<meta(?=[\s/])(?P<meta>)|</?[A-Za-z][^\s>]*(?P<tag>)|<[!/?][^>]*>",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = re.compile(
    rb"[\s/]*(?P<name>[^\s/>=][^\s/>=]*|=[^\s/>=]*)"
    rb"(?:\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^\s>\"'][^\s>]*|(?=>))))?"
)
_PLAIN_HEAD = re.compile(
    rb"(?:[^<>]|<!doctype [^<>\"']*>"
    rb"|</?[a-z][a-z0-9]*(?:\s+[a-z][a-z0-9-]*(?:=(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=`]+))?)*\s*/?>)*",
    re.IGNORECASE,
)
"""Texts and well-formed tags only, so that later bytes cannot change their meaning."""
_LATE_META = re.compile(rb"<!--.*?(?:-->|\Z)|<body[\s>]|<meta(?=[\s/])(?P<meta>)", re.IGNORECASE | re.DOTALL)
_XML = b"<?xml"
_UTF_16_XML = ((b"<\0?\0x\0", "utf-16-le"), (b"\0<\0?\0x", "utf-16-be"))
_XML_ENCODING = re.compile(
    rb"<\?xml[^>]*?encoding[\x00-\x20]*=[\x00-\x20]*(?:\"(?P<double>[^\">]*)\"|'(?P<single>[^'>]*)')"
)
_CONTENT_CHARSET = re.compile(
    rb"charset\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^\s;\"'][^\s;]*))", re.IGNORECASE
)


def is_decodable(page: bytes) -> bool:
    """Whether the page is valid UTF-8."""
    try:
        page.decode()
    except UnicodeDecodeError:
        return False
    return True


def to_utf8(
    page: bytes, declared: str | None = None, is_utf8: Callable[[bytes], bool] = is_decodable
) -> bytes:
    """The page as valid UTF-8 without BOM; the same object if it already is.

    Never fails: undecodable bytes become U+FFFD.

    Args:
        declared: the charset of the Content-Type header; an unknown label is ignored.
        is_utf8: a faster `is_decodable`.
    Source: defs/README.md, 3.1; HTML standard, "Determining the character encoding".
    """
    body, codec = _with_codec(page, declared)
    if codec in (None, "utf-8") and is_utf8(body):
        return body
    return _text(body, codec).encode("utf-8", "replace")


def _with_codec(page: bytes, declared: str | None) -> tuple[bytes, str | None]:
    """The page without its BOM, and its codec; None if it declares none."""
    for bom, codec in _BOMS:
        if page.startswith(bom):
            return page[len(bom) :], codec
    return page, codec_of(declared) or prescanned(page)


def _text(body: bytes, codec: str | None) -> str:
    if codec is not None:
        return _decoded(body, codec)
    try:
        return body.decode()
    except UnicodeDecodeError:
        return _decoded(body, _late_meta(body) or _FALLBACK)


def codec_of(label: str | None) -> str | None:
    """Python's codec for a label of the Encoding Standard, or REPLACEMENT; None for an unknown label."""
    name = LABELS.get(label.strip(" \t\n\f\r").lower()) if label else None
    return _CODECS.get(name, name.replace("windows-", "cp")) if name else None


def prescanned(page: bytes) -> str | None:
    """The codec declared by a `meta` in the first 1024 bytes, or by an XML declaration; None without one.

    >>> prescanned(b"<meta charset=gb2312>"), prescanned(b"<?xml version='1.0' encoding='koi8-r'?>")
    ('gb18030', 'koi8-r')

    Implements "prescan a byte stream to determine its encoding" of the HTML standard.
    """
    head = page[:_PRESCANNED]
    for begin, codec in _UTF_16_XML:
        if head.startswith(begin):
            return codec
    at = head.lower().find(b"charset")
    if at < 0:  # most pages need no search
        return _xml_encoding(head)
    return _of_head(head[: head.find(b">", at) + 1]) or _searched(head)


@lru_cache(256)
def _of_head(head: bytes) -> str | None:
    """The codec that this head of a page declares; None if that depends on more than the head."""
    return _searched(head) if _PLAIN_HEAD.fullmatch(head) else None


def _searched(head: bytes) -> str | None:
    position = 0
    while found := _MARKUP.search(head, position):
        position = found.end()
        if found["meta"] is None and found["tag"] is None:
            continue
        attributes, position = _attributes(head, position)
        if found["meta"] is not None and (declared := _declared_by(attributes)):
            return declared
    return _xml_encoding(head)


def _late_meta(page: bytes) -> str | None:
    """The codec that a `meta` after the prescanned bytes declares."""
    head = page[:LATEST_META]
    position = 0
    while found := _LATE_META.search(head, position):
        position = found.end()
        if found["meta"] is not None:
            attributes, length = _attributes(head[position : position + _LONGEST_META], 0)
            position += length
            if codec := _declared_by(attributes):
                return codec
        elif not found[0].startswith(b"<!--"):
            break
    return None


def _xml_encoding(head: bytes) -> str | None:
    found = _XML_ENCODING.match(head) if head.startswith(_XML) else None
    return _in_ascii(found["double"] or found["single"] or b"") if found else None


def _attributes(head: bytes, position: int) -> tuple[dict[bytes, bytes], int]:
    attributes: dict[bytes, bytes] = {}
    while found := _ATTRIBUTE.match(head, position):
        value = found["double"] or found["single"] or found["bare"] or b""
        attributes.setdefault(found["name"].lower(), value)
        position = found.end()
    return attributes, position


def _declared_by(attributes: dict[bytes, bytes]) -> str | None:
    label = attributes.get(b"charset")
    if label is None and attributes.get(b"http-equiv", b"").lower() == b"content-type":
        found = _CONTENT_CHARSET.search(attributes.get(b"content", b""))
        label = found and (found["double"] or found["single"] or found["bare"])
    codec = _in_ascii(label) if label else None
    return _FALLBACK if codec == _USER_DEFINED else codec


def _in_ascii(label: bytes) -> str | None:
    """The codec of a label in a page; UTF-8 for UTF-16, in which the label would not have been readable."""
    codec = codec_of(label.decode("latin-1"))
    if codec in ("utf-16-be", "utf-16-le"):
        return "utf-8"
    return codec


def _decoded(page: bytes, codec: str) -> str:
    if codec == REPLACEMENT:
        return "�" if page else ""
    if codec == _USER_DEFINED or codec.startswith("cp125") or codec == "cp874":
        return codecs.charmap_decode(page, "replace", _byte_table(codec))[0]
    return page.decode(codec, "replace")


@cache
def _byte_table(codec: str) -> str:
    """The 256 characters of a codec; bytes 0x80-0x9F that Python leaves undefined are control characters."""
    if codec == _USER_DEFINED:
        return "".join(chr(byte if byte < 0x80 else 0xF700 + byte) for byte in range(256))
    characters = [bytes([byte]).decode(codec, "replace") for byte in range(256)]
    for byte in range(0x80, 0xA0):
        if characters[byte] == "�":
            characters[byte] = chr(byte)
    return "".join("\ufffe" if character == "�" else character for character in characters)
