"""Charsets are found and decoded by the order of the HTML standard."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st
from webencodings.labels import LABELS

from scoopi.parse.tree.charset import REPLACEMENT, codec_of, prescanned, to_utf8

META = b"<meta charset=%s>"


def to_text(page: bytes, declared: str | None = None) -> str:
    """The page as it is read."""
    return to_utf8(page, declared).decode()


def test_a_byte_order_mark_wins_over_header_and_meta() -> None:
    assert to_text(b"\xef\xbb\xbf" + META % b"latin1" + "é".encode(), "koi8-r").endswith("é")
    assert to_text("\ufeffé漢".encode("utf-16-le"), "utf-8") == "é漢"
    assert to_text("\ufeffé漢".encode("utf-16-be"), "utf-8") == "é漢"


def test_the_header_wins_over_meta() -> None:
    assert to_text(META % b"utf-8" + b"\xcf", "koi8-r").endswith("о")


def test_meta_wins_over_the_guess() -> None:
    assert to_text(META % b"koi8-r" + b"\xcf").endswith("о")


def test_undeclared_pages_are_utf_8_if_they_can_be_else_windows_1252() -> None:
    assert to_text("é€".encode()) == "é€"
    assert to_text(b"\xe9\x80\x81") == "送"
    assert to_text(b"\xe9\x80 ") == "é€ "


@pytest.mark.parametrize("declared", ["", "utf8-really", "none", "\x00"])
def test_unknown_labels_are_passed_over(declared: str) -> None:
    assert to_text(META % b"greek" + b"\xe1", declared).endswith("α")
    assert to_text(META % b"nonsense" + "é".encode(), declared).endswith("é")


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("ISO-8859-1", "cp1252"),
        (" latin1\n", "cp1252"),
        ("us-ascii", "cp1252"),
        ("gb2312", "gb18030"),
        ("GBK", "gb18030"),
        ("Shift_JIS", "cp932"),
        ("ks_c_5601-1987", "cp949"),
        ("iso-8859-9", "cp1254"),
        ("tis-620", "cp874"),
        ("UTF8", "utf-8"),
        ("utf-16", "utf-16-le"),
        ("utf-7", None),
        (None, None),
    ],
)
def test_labels_are_those_of_the_encoding_standard(label: str | None, codec: str | None) -> None:
    assert codec_of(label) == codec


def test_every_label_has_a_codec() -> None:
    assert len(LABELS) > 200
    for codec in {codec_of(label) for label in LABELS} - {REPLACEMENT, "x-user-defined"}:
        codecs.lookup(str(codec))


@pytest.mark.parametrize(
    ("head", "codec"),
    [
        (b"<meta charset=koi8-r>", "koi8-r"),
        (b"<META CharSet = 'KOI8-R' >", "koi8-r"),
        (b'<meta name=x charset="koi8-r"/>', "koi8-r"),
        (b"<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>", "koi8-r"),
        (b"<meta content='text/html;charset = \"koi8-r\"' http-equiv=content-type>", "koi8-r"),
        (b"<meta content='text/html; charset=koi8-r'>", None),
        (b"<meta name=description content='charset=koi8-r'>", None),
        (b"<meta http-equiv=refresh content='charset=koi8-r'>", None),
        (b"<!-- <meta charset=greek> --><meta charset=koi8-r>", "koi8-r"),
        (b"<!--><meta charset=koi8-r>", "koi8-r"),
        (b"<!-- open <meta charset=koi8-r>", None),
        (b"<div title='<meta charset=greek>'><meta charset=koi8-r>", "koi8-r"),
        (b"<!doctype html><?x y?><meta charset=koi8-r>", "koi8-r"),
        (b"<metadata charset=koi8-r>", None),
        (b"<meta charset=nonsense><meta charset=koi8-r>", "koi8-r"),
        (b"<meta charset=a charset=koi8-r>", None),
        (b"<meta charset=utf-16le>", "utf-8"),
        (b"<meta charset=x-user-defined>", "cp1252"),
        (b" " * 1010 + b"<meta charset=koi8-r>", None),
        (b" " * 1000 + b"<meta charset=koi8-r>", "koi8-r"),
        (b"<?xml version='1.0' encoding='koi8-r'?><html>", "koi8-r"),
        (b'<?xml encoding = "KOI8-R"?>', "koi8-r"),
        (b"<?xml encoding=koi8-r?>", None),
        (b"<?xml version='1.0'?><p encoding='koi8-r'>", None),
        (b" <?xml encoding='koi8-r'?>", None),
        (b"<?xml encoding='utf-16'?>", "utf-8"),
        (b"<?xml encoding='nonsense'?>", None),
        (b"<?xml encoding='greek'?><meta charset=koi8-r>", "koi8-r"),
        ("<?xml version='1.0'?>".encode("utf-16-le"), "utf-16-le"),
        ("<?xml version='1.0'?>".encode("utf-16-be"), "utf-16-be"),
        (b"<meta", None),
        (b"<meta charset", None),
        (b"<meta charset=", None),
        (b"<", None),
        (b"", None),
    ],
)
def test_a_meta_is_found_as_the_standard_scans(head: bytes, codec: str | None) -> None:
    assert prescanned(head) == codec


PARTS = (
    *(
        b"<!doctype html>",
        b"<html lang=en>",
        b"<head>",
        b"<title>a 'b'</title>",
        b"<br/>",
        b" ",
        b"x>",
        b"<",
        b">",
    ),
    *(
        b"<meta charset=koi8-r>",
        b"<META Charset='greek'/>",
        b"<meta name=\"a\" content='c>d' charset=gbk>",
        b'"',
    ),
    *(
        b"<meta charset",
        b"=big5>",
        b"<!--",
        b"-->",
        b"<p title='",
        b"'>",
        b'<meta x="',
        b"charset",
        b"</a b=c>",
    ),
    b"<meta http-equiv=content-type content='text/html; charset=koi8-r'>",
)
NOT_PLAIN = b"<!'>"
"""Means nothing, but no page with it is known by its head."""


@given(parts=st.lists(st.sampled_from(PARTS), max_size=8))
def test_pages_that_are_known_by_their_head_are_read_as_others(parts: list[bytes]) -> None:
    page = b"".join(parts)
    assert prescanned(page) == prescanned(NOT_PLAIN + page)


@pytest.mark.parametrize(
    ("head", "text"),
    [
        (b"<meta charset=koi8-r>", "о"),
        (b"<meta http-equiv=content-type content='text/html; charset=koi8-r'>", "о"),
        (b"<!-- <meta charset=greek> --><meta name=a><meta charset=koi8-r>", "о"),
        (b"<body><meta charset=koi8-r>", "Ï"),
        (b"<!-- <meta charset=koi8-r>", "Ï"),
        (b" " * 70_000 + b"<meta charset=koi8-r>", "Ï"),
        (b"<meta charset=utf-8>", "�"),
    ],
)
def test_a_meta_behind_the_prescanned_bytes_counts_if_the_page_is_not_utf_8(head: bytes, text: str) -> None:
    assert to_text(b"<style>" + b"x" * 1100 + b"</style>" + head + b"\xcf").endswith(text)


@pytest.mark.parametrize("piece", [b"<!--", b"<!", b"<meta a='", b'<meta a="', b"<meta a=", b"<meta charset"])
def test_a_late_meta_is_searched_in_linear_time(piece: bytes) -> None:
    page = piece * (80_000 // len(piece)) + b"\xcf"
    assert to_text(page).endswith("Ï")


def test_undecodable_bytes_become_replacement_characters() -> None:
    assert to_text(b"a\xffb", "utf-8") == "a�b"
    assert to_text(b"a\x81\x20", "shift_jis").startswith("a�")


def test_windows_bytes_without_a_character_are_controls() -> None:
    assert to_text(b"\x80\x81\x8d\x9d", "latin1") == "€\x81\x8d\x9d"
    assert to_text(b"\xa1\xff", "windows-874") == "ก�"


def test_unsafe_encodings_hide_the_page() -> None:
    assert to_text(b"~{<script>", "hz-gb-2312") == "�"
    assert to_text(b"", "hz-gb-2312") == ""


def test_user_defined_bytes_are_private_characters() -> None:
    assert to_text(b"a\x80\xff", "x-user-defined") == "a\uf780\uf7ff"


def test_utf_8_is_valid_whatever_the_page_holds() -> None:
    for label in sorted(LABELS):
        to_utf8(bytes(range(256)) * 3, label).decode()
    assert to_utf8(b"\xd8\x00\x00a", "utf-16be").decode() == "�a"
