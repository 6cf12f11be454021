"""The bridge gives the pure-Python tree, leaks nothing, and is not used when it cannot be trusted."""

from __future__ import annotations

import gc
import logging
import random
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lxml import etree

from scoopi.errors import ParseError
from scoopi.parse.bridge import build, html_backend
from scoopi.parse.bridge.html_backend import NativeParser, trusted_bridge
from scoopi.parse.parts.page_part import Anchor, PagePart
from scoopi.parse.tree.html_copier import copy_html
from tests.parse.tree.built_bridge import built_bridge
from tests.parse.tree.dat_reader import read_cases
from tests.parse.tree.tree_drawing import draw

PAGES = [case.page.encode() for case in read_cases()]
PIECES = (
    b"<",
    b">",
    b"</",
    b"&",
    b"\x00",
    b"\r",
    b"\x0c",
    b"'",
    b"<!--",
    b"-->",
    b"<table>",
    b"<b>",
    b"</p>",
    b"<tr>",
)


def drawn(parse: Callable[[bytes, int, int], Any], page: bytes, max_nodes: int = 10_000) -> object:
    try:
        return draw(parse(page, 40, max_nodes))
    except ParseError as error:
        return str(error)


def resident_kb() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4


def mutated(chance: random.Random) -> bytes:
    """Two pages run into one another, with pieces put in and bytes taken out."""
    page = bytearray(chance.choice(PAGES) + chance.choice(PAGES))
    for _ in range(chance.randrange(1, 8)):
        at = chance.randrange(len(page) + 1)
        if chance.random() < 0.6:
            page[at:at] = chance.choice(PIECES)
        else:
            del page[at : at + chance.randrange(1, 5)]
    return bytes(page).decode("utf-8", "replace").encode()


@pytest.mark.parametrize("seed", range(10))
def test_mutated_pages_give_equal_trees_or_fail_in_both_backends(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(200):
        page = mutated(chance)
        assert drawn(built_bridge(), page) == drawn(copy_html, page), page


@pytest.mark.parametrize("seed", range(3))
def test_both_backends_count_the_same_nodes(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(200):
        page, most = mutated(chance), chance.randrange(4, 60)
        assert drawn(built_bridge(), page, most) == drawn(copy_html, page, most), (page, most)


@pytest.mark.parametrize("chunk", [1, 2, 3, 17])
def test_where_a_page_is_cut_into_chunks_changes_nothing(chunk: int) -> None:
    native = built_bridge()
    for page in PAGES:
        capsule = native.module.parse(page, 40, 10_000, chunk)
        assert draw(etree.adopt_external_document(capsule)) == draw(native(page, 40)), page


def test_5000_pages_leave_no_memory_behind() -> None:
    native = built_bridge()
    text = b"".join(PAGES)
    pages = [text[at : at + 2000].decode("utf-8", "ignore").encode() for at in range(0, 20_000, 2000)]

    def parse_many(times: int) -> int:
        for number in range(times):
            page = pages[number % len(pages)]
            native(page, 400)
            native(page, 400, part=PagePart((Anchor("t", "td"), Anchor("c", "a"))))
            with pytest.raises(ParseError):
                native(b"<i>" * 9, 5)
            native.module.parse(b"<p>never adopted", 9, 99)
        gc.collect()
        return resident_kb()

    before_kb = parse_many(200)
    assert parse_many(4800) - before_kb < 4096


def test_a_tree_outlives_its_parser_and_may_be_changed() -> None:
    root = built_bridge()(b"<ul><li a=1>long enough not to live inside its node<li>short</ul>", 9).getroot()
    gc.collect()
    first, second = root.iter("li")
    first.text, second.tail = "x", "y"
    first.set("@odd", "2")
    second.append(etree.SubElement(root, "b"))
    other = etree.Element("other")
    other.append(first)
    del root, second
    gc.collect()
    assert etree.tostring(other) == b'<other><li a="1" @odd="2">x</li></other>'


def test_two_threads_parse_at_once() -> None:
    native = built_bridge()
    wanted = [draw(native(page, 400)) for page in PAGES]
    wrong: list[bytes] = []

    def parse_all(pages: list[bytes]) -> None:
        for _ in range(3):
            wrong.extend(
                page for page, tree in zip(pages, wanted, strict=True) if draw(native(page, 400)) != tree
            )

    threads = [threading.Thread(target=parse_all, args=(PAGES,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_page_that_would_fill_memory_is_refused() -> None:
    formats = b"".join(b"<font a=%d>" % number for number in range(1500))
    page = b"<p>" + formats + b"</p>" + b"<p>x</p>" * 5000
    with pytest.raises(ParseError, match="repeats its open elements without end"):
        built_bridge()(page, 2000)


def test_a_page_that_repeats_long_attributes_is_refused_before_it_fills_memory() -> None:
    page = b"<p><b a='" + b"x" * 500_000 + b"'></p>" + b"<p>x</p>" * 4000
    with pytest.raises(ParseError, match="repeats its open elements without end"):
        built_bridge()(page, 2000)


def test_a_page_that_takes_the_parser_too_long_is_refused() -> None:
    page = b"<select>" + b"<option>x" * 5000  # each option looks at all before it
    with pytest.raises(OverflowError, match="takes the parser longer than"):
        built_bridge().module.parse(page, 2000, 10**9, 4096, 1)
    assert len(draw(built_bridge()(page, 2000))) > 5000


@pytest.mark.parametrize("tag", [b"<p %s>", b"<svg %s>"])
@pytest.mark.parametrize("attribute", [b"xmlns=a ", b"a='>' ", b"a=1/", b'b="x"'])
def test_a_tag_of_too_many_attributes_is_refused(tag: bytes, attribute: bytes) -> None:
    with pytest.raises(ParseError, match="has a tag of more than 50000 attributes"):
        built_bridge()(tag % (attribute * 60_000), 2000)


@pytest.mark.parametrize(
    "page",
    [
        b"<script>if (i<n) { s = 'WORDS' }</script><p>y",
        b"<STYLE>a<b WORDS</style ><p>y",
        b"<i title='WORDS'>x</i><p>y",
        b"<i>WORDS<p>y",
    ],
)
def test_many_words_are_no_attributes(page: bytes) -> None:
    tree = built_bridge()(page.replace(b"WORDS", b"word " * 60_000), 2000)
    assert [each.text for each in tree.iter("p")] == ["y"]


@pytest.mark.parametrize(
    "page",
    [
        b"<i>x</i>" * 10_000 + b"<svg>" + b"<path d=x />" * 2001 + b"</svg>",
        b"<i>x</i>" * 10_000 + b"<script>" + b"s += '<b>';" * 2001 + b"</script>",
        b"<i>x</i>" * 10_000 + b"<!--" + b"<b>" * 2001 + b"-->",
        b"<i>x</i>" * 10_000 + b"<a href=x>y" * 2001,
    ],
)
def test_the_copier_reads_flat_pages_of_many_tags_as_the_bridge_does(page: bytes) -> None:
    assert draw(copy_html(page, 2000)) == draw(built_bridge()(page, 2000))


def test_a_page_that_would_take_the_copier_long_is_rejected_before() -> None:
    with pytest.raises(ParseError, match="more than 2,000 deep"):
        copy_html(b"<svg><path/></svg>" + b"<div/>" * 1_000_000, 2000)


def test_a_template_of_mathml_holds_a_template_of_html() -> None:
    page = b"<math><template><mo><template><b>x"
    assert draw(copy_html(page, 2000)) == draw(built_bridge()(page, 2000))


def test_a_page_leaves_nothing_for_the_next_one_that_the_same_parser_reads() -> None:
    parse = built_bridge()
    quirks = b"<p>one<table><tr><td>in quirks mode a table may stand in a paragraph</table>"
    strict = b"<!doctype html>" + quirks
    head = b"<my-own data-own=1><svg xlink:href=x></svg></my-own><form><select><template><title>x</title>"
    for page in (quirks, strict, head, strict, quirks, head * 3, strict):
        tree = parse(page, 64)
        assert draw(tree) == draw(copy_html(page, 64))


def test_wrong_arguments_are_refused() -> None:
    bridge = built_bridge().module
    with pytest.raises(ValueError, match="at least 1"):
        bridge.parse(b"", 0, 1)
    with pytest.raises(TypeError):
        bridge.parse("text", 9, 9)


def test_a_bridge_with_the_right_tree_is_trusted(caplog: pytest.LogCaptureFixture) -> None:
    assert trusted_bridge(built_bridge().module) is not None
    assert caplog.records == []


def test_a_bridge_with_another_tree_is_not_used_and_logs_one_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    real = built_bridge().module
    other = SimpleNamespace(
        parse=lambda page, *limits: real.parse(page + b"<p>", *limits),
        positions=real.positions,
        cells=real.cells,
        part=real.part,
        tails=real.tails,
        column=real.column,
        is_utf8=real.is_utf8,
    )
    assert trusted_bridge(other) is None
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "parsed the test page differently" in caplog.text


def test_a_bridge_that_fails_is_not_used_and_logs_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    def fail(page: bytes, *limits: int) -> object:
        raise RuntimeError("lexbor failed")

    names = ("parse", "positions", "cells", "part", "tails", "column", "is_utf8")
    fake = SimpleNamespace(**dict.fromkeys(names, fail))
    assert trusted_bridge(fake) is None
    assert [record.getMessage() for record in caplog.records] == [
        "the bridge failed its check, so the pure-Python copier parses pages: lexbor failed"
    ]


def test_a_bridge_of_an_older_checkout_is_not_used(caplog: pytest.LogCaptureFixture) -> None:
    real = built_bridge().module
    older = SimpleNamespace(
        parse=real.parse, positions=real.positions, cells=real.cells, part=real.part, tails=real.tails
    )
    assert trusted_bridge(older) is None
    assert "has no attribute 'column'" in caplog.text


def test_a_bridge_without_the_walk_for_elements_leaves_them_to_queries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = built_bridge().module
    names = ("parse", "positions", "cells", "part", "tails", "column", "is_utf8", "values", "values_plan")
    older = NativeParser(SimpleNamespace(**{name: getattr(real, name) for name in names}))
    monkeypatch.setattr(html_backend, "compiled_parser", lambda: older)
    assert html_backend.found_elements.__wrapped__() is None
    assert html_backend.block_values.__wrapped__() is None
    assert html_backend.record_values.__wrapped__() is not None


def test_without_a_compiler_the_build_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(build.BridgeUnavailableError, match="there is no C compiler"):
        build.build(tmp_path)


def test_a_compiler_that_fails_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CC", "false")
    with pytest.raises(build.BridgeUnavailableError, match="false failed"):
        build.build(tmp_path)
    monkeypatch.setenv("CC", "/no/such/compiler")
    with pytest.raises(build.BridgeUnavailableError, match="cannot be started"):
        build.build(tmp_path)
    assert list(tmp_path.iterdir()) == []
