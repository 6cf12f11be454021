"""RecordFiles: records get the paths of their files, or what their fields want instead."""

from __future__ import annotations

from typing import Any

import pytest

from scoopi.errors import FetchError
from scoopi.fetch.downloads.file_reception import LocalFaultError
from scoopi.model.downloads import Download, Downloads, FileRequest, KeptFile
from scoopi.model.handover import Payload, ToFiles, ToTask
from scoopi.model.locator import Locator
from scoopi.model.records import Column, Records, RecordSchema
from scoopi.model.records.record_def import FieldDef, RecordDef
from scoopi.steps.downloads.record_files import RecordFiles

ONE, TWO, GONE = "http://h/1.jpg", "http://h/2.jpg", "http://h/gone.jpg"
FILES = {ONE: KeptFile("11", 3, "image/jpeg", "1.jpg"), TWO: KeptFile("22", 4, "", "2.b.PNG")}
TO = "files/%{record.title}/%{name}-%{sha256}.%{ext}"


def step(to: str = TO, **field: Any) -> RecordFiles:
    image = FieldDef("image", type="url", download=Download(to), **field)
    columns = (Column("title"), Column("image", is_list=image.is_list, is_file=True))
    fields = (FieldDef("title"), image)
    return RecordFiles(RecordDef("card", RecordSchema("card", columns), fields), lambda *_: True, "stream")


def run(given: RecordFiles, *rows: tuple[Any, ...], fault: FetchError | None = None) -> ToTask:
    """The handover after the files have come."""
    payload = Payload("job", Locator("oslo", "list", "http://h/list"), 1, "cards", Records("card", rows))
    asked = given.run(payload)
    if isinstance(asked, ToTask):
        return asked
    assert isinstance(asked, ToFiles)
    failed = fault or FetchError("status 404", at=GONE)
    files = {each: FILES.get(each.url, failed) for each in asked.requests}
    made = given.run(payload.advance(Downloads(payload.input, files)))
    assert isinstance(made, ToTask)
    return made


def records(made: ToTask) -> Records:
    return made.payload.expect(Records)


def test_values_become_paths_and_the_files_are_named() -> None:
    made = run(step(), ("Rye", ONE), ("../Oat", TWO), ("None", None))
    paths = ["files/Rye/1-11.jpg", "files/_Oat/2.b-22.png"]
    assert records(made).rows == (("Rye", paths[0]), ("../Oat", paths[1]), ("None", None))
    assert [(ref.path, ref.sha256, ref.size, ref.stream) for ref in made.files] == [
        (paths[0], "11", 3, "stream"),
        (paths[1], "22", 4, "stream"),
    ]


def test_each_address_is_ordered_once_and_without_one_nothing_is() -> None:
    payload = Payload("job", Locator("a", "b", "c"), 1, "t", Records("card", (("a", ONE), ("b", ONE))))
    asked = step().run(payload)
    assert isinstance(asked, ToFiles)
    assert asked.requests == (FileRequest(ONE),)
    assert records(run(step(), ("a", None))).rows == (("a", None),)


def test_of_a_list_the_files_that_came_are_kept() -> None:
    made = run(step(is_list=True), ("Rye", [ONE, GONE, TWO]), ("Oat", [GONE]), ("Bun", []))
    assert [row[1] for row in records(made).rows] == [
        ["files/Rye/1-11.jpg", "files/Rye/2.b-22.png"],
        [],
        [],
    ]
    (warning,) = made.warnings
    assert warning.cause == "image: status 404"
    assert warning.message.startswith(
        "2 files of image could not be downloaded, so their values are missing: http://h/gone"
    )


@pytest.mark.parametrize(
    ("field", "rows", "rejected"),
    [
        ({}, (("a", None), ("b", "files/b/1-11.jpg")), 0),
        ({"on_error": "keep"}, (("a", GONE), ("b", "files/b/1-11.jpg")), 0),
        ({"on_error": "reject"}, (("b", "files/b/1-11.jpg"),), 1),
        ({"required": True}, (("b", "files/b/1-11.jpg"),), 1),
    ],
)
def test_a_file_that_did_not_come_is_for_the_field_to_judge(
    field: dict[str, Any], rows: tuple[Any, ...], rejected: int
) -> None:
    made = records(run(step(**field), ("a", GONE), ("b", ONE)))
    assert made.rows == rows
    assert len(made.rejections) == rejected
    for rejection in made.rejections:
        assert (rejection.field, rejection.url) == ("image", "http://h/list")
        assert rejection.record == {"title": "a", "image": GONE}
        assert "could not be downloaded: status 404" in rejection.reason


def test_a_field_may_want_its_task_to_fail() -> None:
    with pytest.raises(FetchError, match="status 404"):
        run(step(on_error="fail"), ("a", GONE))


def test_a_fault_of_this_machine_always_fails_the_task() -> None:
    with pytest.raises(LocalFaultError):
        run(step(), ("a", GONE), fault=LocalFaultError("the file cannot be written"))


def test_one_path_for_two_contents_is_a_file_that_did_not_come() -> None:
    made = run(step("files/%{locator.name}"), ("a", ONE), ("b", TWO), ("c", ONE))
    assert [row[1] for row in records(made).rows] == ["files/oslo", None, "files/oslo"]
    assert [ref.sha256 for ref in made.files] == ["11"]
    assert "already that of another file" in made.warnings[0].cause


def test_a_path_that_is_too_long_is_a_file_that_did_not_come() -> None:
    made = run(step("files/" + "%{record.title}" * 4), ("x" * 80, ONE))
    assert records(made).rows == (("x" * 80, None),)
    assert "too long" in made.warnings[0].message
