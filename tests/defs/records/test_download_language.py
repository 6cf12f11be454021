"""`download` in definitions: what is read, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoopi.app import check
from scoopi.defs.yaml.node import read_size

RECORDS = """\
locatorGroups: {{ list: "https://shop.example/" }}
taskGroups: {{ list: {{ cards: {{ dataDef: card }} }} }}
dataDefs:
  card:
    fields:
      title: b
      image: {{ select: "img @src", {field} }}
"""
GRID = """\
locatorGroups: {{ list: "https://shop.example/" }}
taskGroups: {{ list: {{ cards: {{ dataDef: card }} }} }}
dataDefs:
  card:
    query: {{ block: ul, selector: b }}
    items: [ item: {{ name: title, value: x, {field} }} ]
"""
TO = "to: 'files/%{sha256}'"


def reported(folder: Path, text: str, field: str) -> list[str]:
    (folder / "defs.yml").write_text(text.format(field=field))
    report = check(folder / "defs.yml", strict=True, environ={})
    return [f"{each.place.line}:{each.place.column} {each.sentence()}" for each in report.findings]


@pytest.mark.parametrize(
    "field",
    [
        f"download: {{ {TO} }}",
        f"download: {{ {TO}, types: image/*, maxSize: 1.5 GB }}",
        f"list: true, download: {{ {TO}, types: [ image/png, application/pdf ], maxSize: 300 }}",
        "download: { to: 'files/%{record.title}/%{name}.%{ext}' }",
        f"type: url, onError: reject, download: {{ {TO} }}",
    ],
)
def test_a_field_may_be_downloaded(tmp_path: Path, field: str) -> None:
    assert reported(tmp_path, RECORDS, field) == []


def test_an_entry_of_a_grid_may_be_downloaded(tmp_path: Path) -> None:
    assert reported(tmp_path, GRID, "download: { to: 'files/%{item.title}-%{sha256}' }") == []


@pytest.mark.parametrize(
    ("field", "what"),
    [
        ("download: { types: image/png }", "7:36 dataDefs.card.fields.image.download: to is missing"),
        (
            "download: { to: '../%{sha256}' }",
            "7:52 dataDefs.card.fields.image.download.to: ../%{sha256} leads",
        ),
        (
            "download: { to: 'f/%{title}' }",
            "there is no placeholder %{title} here; did you mean %{record.title}?",
        ),
        ("download: { to: 'f/%{sha}' }", "there is no placeholder %{sha} here; did you mean %{sha256}?"),
        ("download: { to: 'f/%{xy}' }", "there is no placeholder %{xy} here; known are %{sha256}, %{ext}"),
        ("download: { to: 'f/%{sha256.pdf' }", "the placeholder %{sha256.pdf is not closed; close it with }"),
        ("download: true", "download must be a mapping, not true; write `download: { to: "),
        (f"download: {{ {TO}, types: png }}", "'png' is not a media type; write it as image/png or image/*"),
        (f"download: {{ {TO}, maxSize: much }}", "'much' is not a size above 0; write it as 20 MB"),
        (f"download: {{ {TO}, maxSize: 0 }}", "'0' is not a size above 0"),
        (f"download: {{ {TO}, max: 1 }}", "unknown key max; did you mean maxSize?"),
        (f"type: text, download: {{ {TO} }}", "its type text is not an address; write `type: url`"),
        (f"follow: list, download: {{ {TO} }}", "field image is both followed and downloaded"),
    ],
)
def test_what_is_wrong_with_a_download_is_said(tmp_path: Path, field: str, what: str) -> None:
    (finding,) = reported(tmp_path, RECORDS, field)
    assert what in finding


def test_records_that_no_output_has_name_no_files(tmp_path: Path) -> None:
    text = RECORDS.replace("dataDef: card", "dataDef: card, output: none")
    (finding,) = reported(tmp_path, text, f"download: {{ {TO} }}")
    assert "the records of card name files, but no output contains them" in finding


@pytest.mark.parametrize(
    ("output", "to", "is_wrong"),
    [
        ("cards.csv", "cards.csv/%{sha256}", True),
        ("f/cards.csv", "f/%{name}.%{ext}", True),
        ("f/cards.csv", "f/%{sha256}.%{ext}", False),
        ("cards.csv", "cards/%{name}.%{ext}", False),
    ],
)
def test_an_output_has_no_path_of_a_download(tmp_path: Path, output: str, to: str, is_wrong: bool) -> None:
    text = RECORDS.replace("dataDef: card", f"dataDef: card, output: {output}")
    findings = reported(tmp_path, text, f"download: {{ to: '{to}' }}")
    said = f"{output} may also be the path of a downloaded file or its folder: {to}; give the files a folder"
    assert [said in each for each in findings] == [True] * is_wrong


def test_an_entry_of_a_grid_is_checked_likewise(tmp_path: Path) -> None:
    (finding,) = reported(tmp_path, GRID, "download: { to: 'f/%{record.title}' }")
    assert "there is no placeholder %{record.title} here" in finding


@pytest.mark.parametrize(
    ("each", "field"),
    [
        ("each: li", "download: { to: files/logo.png }"),
        ("each: li", "download: { to: 'files/%{locator.name}.%{ext}' }"),
        ("key: title", "list: true, download: { to: files/logo.png }"),
    ],
)
def test_one_path_for_many_files_of_a_page_is_a_warning(tmp_path: Path, each: str, field: str) -> None:
    text = RECORDS.replace("    fields:", f"    {each}\n    fields:")
    (finding,) = reported(tmp_path, text, field)
    assert "dataDefs.card.fields.image.download.to: all files of a page have the path files/" in finding
    assert finding.endswith("so of different files only the first is saved; add %{sha256} to it, or %{name}")


@pytest.mark.parametrize(
    ("each", "to"),
    [("key: title", "files/logo.png"), ("each: li", "files/%{name}"), ("each: li", "f/%{record.title}")],
)
def test_a_path_that_differs_or_is_for_one_file_is_right(tmp_path: Path, each: str, to: str) -> None:
    text = RECORDS.replace("    fields:", f"    {each}\n    fields:")
    assert reported(tmp_path, text, f"download: {{ to: '{to}' }}") == []


def test_one_path_for_the_files_of_many_rows_of_a_grid_is_a_warning(tmp_path: Path) -> None:
    field = "download: { to: files/logo.png }"
    assert reported(tmp_path, GRID, field) == []
    (finding,) = reported(
        tmp_path, GRID.replace("value: x", "selector: 'i:nth-child(%{{index}})', indexRange: 1-3"), field
    )
    assert "all files of a page have the path files/logo.png" in finding


@pytest.mark.parametrize(
    ("text", "size"),
    [("5", 5), ("5B", 5), ("2 kb", 2000), ("0.5 MB", 500_000), ("1GB", 10**9), ("", None), ("-1", None)],
)
def test_sizes(text: str, size: int | None) -> None:
    assert read_size(text) == size
