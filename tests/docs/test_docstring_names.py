"""A name that a docstring or a comment mentions is still a name of the code."""

from __future__ import annotations

import re

import pytest

from tests.docs.code_names import CodeNames, texts
from tests.structure.sources import Source, sources

FOREIGN = {
    "BeautifulSoup",
    "BiDi",
    "Character.isWhitespace",
    "DateTimeFormatter",
    "DevTools",
    "ERR_CONNECTION_REFUSED",
    "Fetch.requestPaused",
    "GitHub",
    "InGreek",
    "WebSocket",
    "ZonedDateTime",
    "_PipedWaker.handle_read",
    "executemany",
    "javaLetter",
    "no_proxy",
    "standalone",
    "tool.hatch.build.targets.wheel.hooks.custom",
}
"""Names of other programs and languages."""
EXAMPLES = {"P1Y2M3D", "SCOOPI_JOB_MAXTAKES", "b1", "l0", "log.OFFSET", "yesterday"}
"""Names that stand for others, or that users choose."""

_SPAN = re.compile(r"`+([^`\n]+)`+")
_DOTTED = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:\(.*\))?")
_NAME = re.compile(r"(?<![\w./@$%#{-])[A-Z][a-z]+(?:[A-Z][a-z]+)+(?![\w/])")
"""A name that is seen as one without backticks, by capitals inside."""
_FILES = (".py", ".json", ".yml", ".toml", ".txt", ".csv", ".md", ".c", ".js")

SCOOPI, TESTS = sources("scoopi"), sources("tests")


def mentioned(text: str) -> set[str]:
    """The names in a text: those in backticks, and those that look like names."""
    marked = (_DOTTED.fullmatch(span) for span in _SPAN.findall(text))
    names = {found[1] for found in marked if found and not found[1].endswith(_FILES)}
    return names | set(_NAME.findall(_SPAN.sub("", text)))


def unknown(source: Source, code: CodeNames) -> list[str]:
    """Each name that a file mentions and the code does not have, with its place."""
    return [
        f"{source.name}:{line}: {name}"
        for line, text in texts(source)
        for name in sorted(mentioned(text) - FOREIGN - EXAMPLES)
        if not name.startswith("scoopi.") and not _is_known(name, code)
    ]


def _is_known(name: str, code: CodeNames) -> bool:
    """Whether the code has the name; also in the plural, as in `StoreErrors`."""
    return code.has(name) or (name[0].isupper() and code.has(name.removesuffix("s")))


@pytest.mark.parametrize(
    ("files", "code"), [(SCOOPI, SCOOPI), (TESTS, SCOOPI + TESTS)], ids=["scoopi", "tests"]
)
def test_a_name_that_is_mentioned_beside_the_code_is_in_it(files: list[Source], code: list[Source]) -> None:
    names = CodeNames(code)

    assert [each for source in files for each in unknown(source, names)] == []


def test_names_are_found_with_and_without_backticks() -> None:
    text = "`Store.cas_all()` is called by JobStore, after `ports.scan` or `put`; see `README.md`"
    assert mentioned(text) == {"Store.cas_all", "JobStore", "ports.scan", "put"}


def test_a_member_must_be_one_of_its_class_or_of_a_base() -> None:
    code = CodeNames(
        [Source("scoopi/runs/folders/run_state.py"), Source("scoopi/runs/folders/node_folder.py")]
    )
    known = ("NodeFolder.segments", "NodeFolder.join", "NodeFile.over", "node_folder.join")
    stale = ("NodeFile.join", "NodeFolder.over", "NodeFolder.pages", "NodePage")
    assert [name for name in (*known, *stale) if code.has(name)] == [*known]


def test_each_exception_is_mentioned() -> None:
    names = {name for source in SCOOPI + TESTS for _, text in texts(source) for name in mentioned(text)}

    assert sorted((FOREIGN | EXAMPLES) - names) == []
