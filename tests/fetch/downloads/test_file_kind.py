"""What files are called, and of which type they are."""

from __future__ import annotations

import pytest

from scoopi.fetch.downloads.file_kind import file_extension, file_name, file_type


@pytest.mark.parametrize(
    ("disposition", "url", "name"),
    [
        ("", "http://h/a/b.jpg?x=1#y", "b.jpg"),
        ("", "http://h/", ""),
        ("", "http://h/a%2Fb.jpg", "b.jpg"),
        ("inline", "http://h/b.jpg", "b.jpg"),
        ("attachment; filename=rye.pdf", "http://h/get", "rye.pdf"),
        ('attachment; filename="a/../b.pdf"', "http://h/get", "b.pdf"),
        ('attachment; filename="c:\\\\x\\\\b.pdf"', "http://h/get", "b.pdf"),
        ("attachment; filename=\"x\"; filename*=UTF-8''r%C3%BCbe.pdf", "http://h/get", "rübe.pdf"),
        (f"attachment; filename={'x' * 500}", "http://h/get", "x" * 200),
    ],
)
def test_the_name_of_a_file(disposition: str, url: str, name: str) -> None:
    assert file_name({"content-disposition": disposition}, url) == name


@pytest.mark.parametrize(
    ("content_type", "name", "kind"),
    [
        ("image/png", "a.pdf", "image/png"),
        ("", "a.pdf", "application/pdf"),
        ("binary/octet-stream", "a.jpeg", "image/jpeg"),
        ("application/octet-stream", "a", "application/octet-stream"),
        ("", "a.webp", "image/webp"),
    ],
)
def test_the_type_of_a_file(content_type: str, name: str, kind: str) -> None:
    assert file_type(content_type, name) == kind


@pytest.mark.parametrize(
    ("kind", "name", "extension"),
    [
        ("image/jpeg", "a.jpeg", "jpg"),
        ("image/webp", "", "webp"),
        ("application/pdf", "a.php", "pdf"),
        ("application/x-nobody-knows", "a.xyz", "xyz"),
        ("", "a.averylongend", "bin"),
        ("", "a.b/c", "bin"),
    ],
)
def test_the_extension_of_a_file(kind: str, name: str, extension: str) -> None:
    assert file_extension(kind, name) == extension
