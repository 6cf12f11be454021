"""Runs with downloads: files that rows name, whatever their servers do."""

from __future__ import annotations

import sqlite3
from hashlib import sha256

import pytest

from tests.engine.downloads.downloading import Downloading, path_of
from tests.server.file_pages import content

GRID = """\
locatorGroups: {{ list: "{url}" }}
taskGroups:
  list:
    cards: {{ dataDef: card }}
dataDefs:
  card:
    query: {{ block: "ul", selector: "li:nth-child(%{{item.index}}) a attribute: href" }}
    items:
      - item: {{ name: title, selector: "li:nth-child(%{{index}}) b", index: 1, breakAfter: [ end ] }}
    facts: [ item: {{ name: image, download: {{ to: "{to}" }} }} ]
"""


def test_rows_name_files_that_hold_what_was_sent(downloading: Downloading) -> None:
    downloading.run("ok/a.jpg", "/ok/b.png", "ok/c.pdf?size=0")
    bodies = [content("a.jpg"), content("b.png"), b""]
    paths = [path_of(body, ext) for body, ext in zip(bodies, ("jpg", "png", "pdf"), strict=True)]
    assert downloading.images() == paths
    assert downloading.files() == dict(zip(paths, bodies, strict=True))


def test_equal_content_is_one_file_and_an_address_is_asked_once(downloading: Downloading) -> None:
    downloading.run("/ok/a.jpg", "/ok/a.jpg", "/ok/x/a.jpg")
    assert downloading.images() == [path_of(content("a.jpg"))] * 3
    assert [*downloading.files()] == [path_of(content("a.jpg"))]
    assert downloading.site.files.times == {"/ok/a.jpg": 1, "/ok/x/a.jpg": 1}


@pytest.mark.parametrize("way", ["cut", "reset"])
def test_a_file_that_is_cut_off_is_resumed_where_it_ended(downloading: Downloading, way: str) -> None:
    downloading.run(f"/{way}/a.jpg", "/ok/b.jpg")
    assert downloading.images() == [path_of(content("a.jpg")), path_of(content("b.jpg"))]
    first, second = downloading.site.asked(f"/{way}/a.jpg")
    assert first is None
    assert second is not None, "only the rest is asked for"
    assert second != "bytes=0-"
    assert downloading.site.files.times["/ok/b.jpg"] == 1, "what the run has is not asked for again"


@pytest.mark.parametrize("way", ["no-range", "other-range", "beyond", "changes"])
def test_a_file_that_cannot_be_resumed_is_loaded_again(downloading: Downloading, way: str) -> None:
    downloading.run(f"/{way}/a.jpg")
    body = content("a.jpg")[::-1] if way == "changes" else content("a.jpg")
    assert downloading.images() == [path_of(body)]
    assert downloading.files() == {path_of(body): body}


def test_a_file_with_a_content_coding_is_unpacked(downloading: Downloading) -> None:
    downloading.run("/packed/a.jpg")
    assert downloading.files() == {path_of(content("a.jpg")): content("a.jpg")}


def test_a_redirect_leads_to_the_file(downloading: Downloading) -> None:
    downloading.run("/moved/a.jpg")
    assert downloading.files() == {path_of(content("a.jpg")): content("a.jpg")}


def test_a_busy_server_is_asked_again(downloading: Downloading) -> None:
    said = downloading.run("/busy/a.jpg?n=2")
    assert downloading.images() == [path_of(content("a.jpg"))]
    assert "warning" not in said


@pytest.mark.parametrize(
    ("link", "download", "cause"),
    [
        ("/ok/none/../../nothing.jpg", "", "the site answered with status 404"),
        ("/ok/a.html", ", types: image/*", "the file is text/html, not image/*"),
        ("/ok/a.jpg", ", maxSize: 200 kB", "the file is larger than 200,000 bytes"),
        ("/endless/a.jpg", ", maxSize: 1 MB", "the file is larger than 1,000,000 bytes"),
        ("/bomb/a.jpg", ", maxSize: 1 MB", "the file is larger than 1,000,000 bytes"),
        ("/cut-always/a.jpg", "", "the file was cut off"),
        ("/drip/a.jpg", "", "fewer than 100 bytes a second of the file came in 2 s"),
        ("ftp://127.0.0.1/a.jpg", "", "only http and https URLs can be downloaded"),
        ("data:image/png;base64,AAAA", "", "only http and https URLs can be downloaded"),
    ],
)
def test_a_file_that_does_not_come_leaves_its_value_empty_and_is_reported(
    downloading: Downloading, link: str, download: str, cause: str
) -> None:
    downloading.workspace.settings["scoopi.retry.attempts"] = 2
    said = downloading.run(link, "/ok/small.jpg?size=500", download=download)
    assert downloading.images() == [None, path_of(content("small.jpg", 500))]
    assert [*downloading.files()] == [path_of(content("small.jpg", 500))]
    assert f"image: {cause}" in said
    assert downloading.workspace.run_json()["jobs"]["warned"] == 1


@pytest.mark.parametrize(
    ("field", "images", "rejected"),
    [
        (", onError: keep", ["http://{host}/none.jpg"], 0),
        (", onError: reject", [], 1),
        (", required: true", [], 1),
    ],
)
def test_what_becomes_of_a_record_without_its_file_is_the_fields_to_say(
    downloading: Downloading, field: str, images: list[str], rejected: int
) -> None:
    downloading.run("none.jpg", field=field)
    assert downloading.images() == [each.format(host=downloading.site.server.host()) for each in images]
    lines = [*downloading.folder.glob("*.rejected.jsonl")]
    assert len(lines) == rejected
    if lines:
        (line,) = lines[0].read_text().splitlines()
        assert "could not be downloaded: the site answered with status 404" in line


def test_a_failed_task_can_be_run_again(downloading: Downloading) -> None:
    downloading.workspace.settings["scoopi.retry.attempts"] = 1
    downloading.run("/ok/b.jpg", "/busy/a.jpg", field=", onError: fail", code=1)
    assert (downloading.rows(), downloading.files()) == ([], {})
    ended = downloading.workspace.scoopi("retry")
    assert ended.code == 0, ended.err
    assert downloading.images() == [path_of(content("b.jpg")), path_of(content("a.jpg"))]
    assert {*downloading.files()} == {path_of(content("b.jpg")), path_of(content("a.jpg"))}


def test_the_path_has_what_its_placeholders_say_and_never_leads_elsewhere(downloading: Downloading) -> None:
    downloading.run("/named/get", to="files/%{locator.name}/%{record.title}/%{name}-%{sha256}.%{ext}")
    (path,) = downloading.files()
    digest = sha256(content("get")).hexdigest()
    assert path == f"files/list/t0/Price list-{digest}.pdf"


def test_two_files_never_share_a_path(downloading: Downloading) -> None:
    said = downloading.run(
        "/ok/x/a.jpg", "/ok/b.jpg?size=1", "/ok/y/a.jpg", to="files/%{locator.name}.%{ext}"
    )
    assert downloading.images() == ["files/list.jpg", None, "files/list.jpg"]
    assert downloading.files() == {"files/list.jpg": content("a.jpg")}
    assert "the path is already that of another file" in said


def test_the_rows_of_a_grid_name_files(downloading: Downloading) -> None:
    downloading.run(
        "/ok/a.jpg",
        "gone.jpg",
        text=GRID,
    )
    rows = sorted((downloading.folder / "data.txt").read_text().splitlines())
    assert [row.split("|")[-2:] for row in rows] == [["t0", path_of(content("a.jpg"))], ["t1", "not found"]]
    assert downloading.files() == {path_of(content("a.jpg")): content("a.jpg")}


def test_of_records_with_one_key_only_the_first_ones_file_is_published(downloading: Downloading) -> None:
    downloading.run("/ok/a.jpg", "/ok/b.jpg", key="key: [ page ]")
    assert downloading.images() == [path_of(content("a.jpg"))]
    assert [*downloading.files()] == [path_of(content("a.jpg"))]


def test_a_table_gets_rows_with_files(downloading: Downloading) -> None:
    downloading.run("/ok/a.jpg", "none.jpg", output="'sqlite:cards.db#cards'")
    with sqlite3.connect(downloading.workspace.folder / "cards.db") as database:
        found = sorted(database.execute("select title, image from cards"))
    assert found == [("t0", path_of(content("a.jpg"))), ("t1", None)]
    assert [*downloading.files()] == [path_of(content("a.jpg"))]


def test_nothing_is_left_in_the_hidden_folder_that_no_row_names(downloading: Downloading) -> None:
    downloading.workspace.settings["scoopi.retry.attempts"] = 1
    downloading.run("/ok/a.jpg", "/cut/b.jpg", "/ok/c.jpg", download=", types: image/jpeg, maxSize: 300 kB")
    hidden = [path for path in (downloading.folder / ".scoopi").glob("*/files/*/**/*") if path.is_file()]
    assert sorted(path.name for path in hidden) == sorted(
        sha256(content(name)).hexdigest() for name in ("a.jpg", "c.jpg")
    )


def test_a_page_that_was_posted_is_not_posted_again_for_a_file(downloading: Downloading) -> None:
    said = downloading.run("/busy/a.jpg?n=9", "/ok/b.jpg", request=", form: { q: x }")
    assert downloading.images() == [None, path_of(content("b.jpg"))]
    assert [each.method for each in downloading.site.server.log.all() if each.path == "/list"] == ["POST"]
    assert "status 503" in said


def test_a_retry_asks_again_for_a_file_that_was_missing(downloading: Downloading) -> None:
    downloading.run("/none.jpg", "/none.jpg", field=", onError: fail", code=1)
    assert len(downloading.site.asked("/none.jpg")) == 1
    assert downloading.workspace.scoopi("retry", "--workers", "0").code == 1
    assert len(downloading.site.asked("/none.jpg")) == 2
