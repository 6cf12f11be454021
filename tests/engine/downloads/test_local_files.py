"""Pages of this machine whose rows name files: these are copied as others are downloaded."""

from __future__ import annotations

from hashlib import sha256

import pytest

from tests.engine.workspace import Workspace

LOCAL = """\
locatorGroups: {{ list: pages/list.html }}
taskGroups: {{ list: {{ cards: {{ dataDef: card{output} }} }} }}
dataDefs:
  card:
    {definition}
"""
RECORDS = (
    'each: li\n    fields: { title: b, image: { select: "a @href", type: url, '
    'download: { to: "files/%{sha256}.%{ext}", types: image/* } } }'
)
GRID = """query: { block: ul, selector: "li:nth-child(%{item.index}) a attribute: href" }
    items: [ item: { name: title, selector: "li:nth-child(%{index}) b", index: 1, breakAfter: [ end ] } ]
    facts: [ item: { name: image, download: { to: "files/%{sha256}.%{ext}", types: image/* } } ]
"""


@pytest.mark.parametrize("is_grid", [False, True])
def test_pages_of_this_machine_have_their_files_copied(workspace: Workspace, is_grid: bool) -> None:
    folder = workspace.folder / "pages"
    (folder / "img").mkdir(parents=True)
    (folder / "img" / "a b.jpg").write_bytes(b"picture")
    (folder / "notes.txt").write_bytes(b"notes")
    links = ("img/a%20b.jpg", "none.jpg", "notes.txt", "data:image/png;base64,AAAA")
    cards = (f"<li><b>t{at}</b><a href='{link}'>x</a></li>" for at, link in enumerate(links))
    (folder / "list.html").write_text(f"<ul>{''.join(cards)}</ul>")
    output, definition = ("", GRID) if is_grid else (", output: cards.csv", RECORDS)
    (workspace.folder / "defs.yml").write_text(LOCAL.format(output=output, definition=definition))
    ended = workspace.scoopi("run", "defs.yml", "--workers", "0")
    assert ended.code == 0, ended.err
    for cause in (
        "there is no such file",
        "the file is text/plain, not image/*",
        "only http and https URLs can be downloaded",
    ):
        assert f"image: {cause}" in ended.err
    run, path = workspace.run_folder(), f"files/{sha256(b'picture').hexdigest()}.jpg"
    assert (run / path).read_bytes() == b"picture"
    lines = (run / ("data.txt" if is_grid else "cards.csv")).read_text().splitlines()
    assert len([line for line in lines if path in line]) == 1
    assert workspace.run_json()["files"] == {"number": 1, "bytes": 7}
