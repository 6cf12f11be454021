"""FilePath: paths of files stay where they belong, whatever a page says."""

from __future__ import annotations

import pytest

from scoopi.model.text.file_path import FilePath, safe_part, template_fault

DIGEST = "ab" * 32


@pytest.mark.parametrize(
    ("value", "part"),
    [
        ("../../etc/passwd", "_.._etc_passwd"),
        ("/etc", "_etc"),
        ("..", "_"),
        (".", "_"),
        ("", "_"),
        ("a\0b\nc", "a_b_c"),
        ("a\\b:c", "a_b_c"),
        ("  Rye bread. ", "Rye bread"),
        ("...hidden", "hidden"),
        ("ü" * 100, "ü" * 40),
        ("e\u0301", "é"),
        ("\ud800", "_"),
        ("a" * 79 + "üx", "a" * 79),
    ],
)
def test_a_value_is_one_part_of_a_path(value: str, part: str) -> None:
    assert safe_part(value) == part


def test_a_path_is_filled_from_values_of_the_row_and_the_file() -> None:
    path = FilePath("files/%{locator.name}/%{record.shelf}-%{sha256}.%{ext}")
    values = {"locator.name": "oslo", "record.shelf": "a/b", "sha256": DIGEST, "ext": "pdf"}
    assert path.filled(values) == f"files/oslo/a_b-{DIGEST}.pdf"
    assert path.filled({"sha256": DIGEST}) == f"files/_/_-{DIGEST}._", "what is missing leaves no part empty"
    assert path.is_by_content


def test_a_path_that_is_longer_than_file_systems_take_is_none() -> None:
    path = FilePath("files/%{a}%{b}%{c}%{d}")
    assert path.filled(dict.fromkeys("abcd", "x" * 80)) is None
    assert not path.is_by_content


@pytest.mark.parametrize(
    "template",
    [
        "files/%{sha256}.%{ext}",
        "a/b/%{name}",
        "files/%{record.x}/%{name}.%{ext}",
        "f/100%%{x}",
        "s3://b/%{sha256}",
    ],
)
def test_templates_that_are_right(template: str) -> None:
    assert template_fault(template, ["record.x"]) is None


@pytest.mark.parametrize(
    ("template", "fault"),
    [
        ("%{sha256}", "does not begin with the name of a folder"),
        ("%{sha256}/a", "does not begin with the name of a folder"),
        ("/files/%{sha256}", "leads out of the folder of the run"),
        ("files/../../%{sha256}", "leads out of the folder of the run"),
        ("files\\%{sha256}", "leads out of the folder of the run"),
        (".scoopi/%{sha256}", "has a part that is empty, hidden"),
        ("files//%{sha256}", "has a part that is empty, hidden"),
        ("files/", "has a part that is empty, hidden"),
        ("files./a", "has a part that is empty, hidden"),
        ("files/a?%{sha256}", "contains a character that not all file systems allow"),
        ("s3://b/%{name}", "has no %{sha256}"),
        ("s3:///%{sha256}", "does not begin with the fixed name of a bucket"),
        ("s3://%{name}/%{sha256}", "does not begin with the fixed name of a bucket"),
        ("s3://b", "has a part that is empty"),
        ("s3://b//%{sha256}", "has a part that is empty"),
        ("s3://b/../%{sha256}", "has a part that is empty"),
        ("s3://b/a?%{sha256}", "contains a character that not all stores allow"),
        ("sftp://me:secret@host/%{sha256}", "sftp://…@host/%{sha256} contains a password"),
        ("files/%{name", "the placeholder %{name is not closed"),
        ("files/%{sha}", "there is no placeholder %{sha} here"),
    ],
)
def test_templates_that_are_wrong(template: str, fault: str) -> None:
    found = template_fault(template, [])
    assert found is not None
    assert fault in found[0]
