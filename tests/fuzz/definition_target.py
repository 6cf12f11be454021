"""DefinitionTarget: mutated definitions get a report, and those that pass are run on a page."""

from __future__ import annotations

import json
import random
import re
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

from scoopi.app import check, extract
from scoopi.errors import ScoopiError

EXAMPLES = Path(__file__).resolve().parents[2] / "defs" / "examples"
VALUES = (
    *("", "[]", "{}", "null", "~", "-1", "1e9", "true", "2-1", "-", "1-", '"  "', '"%{"', '"%{item.value}"'),
    *('"["', "[a, b]", "{a: b}", "&a x", "*a", "!!int x", "|", "99999999999999999999", "css", "fact", "@x"),
)
ODD_VALUES = (
    *(
        '"p ~ p ~ p"',
        '"a:has(b:not(c + d))"',
        '":is(a, :matches((x{40}){40}))"',
        '"tr:nth-child(%{item.index})"',
    ),
    *(
        "\"//a[starts-with(@b, '%{item.value}')]\"",
        '"count(//*)"',
        '"(a+)+$"',
        '"[a-z&&[^b]]{2,}"',
        '"\\\\p{IsGreek}"',
    ),
    *(
        '"(?<x>a)\\\\k<x>"',
        '"%{item.index}%{item.index}"',
        '"%{dim.index.month}"',
        "\"yyyy-MM-dd'T'HH:mm\"",
        '"1-999999999"',
    ),
    *(
        '"javascript:alert(1)"',
        '"file:///etc/hostname"',
        '"http://[x/"',
        '"while(true){}"',
        '"document.getName()"',
    ),
    *(
        "&x [*x]",
        "<<: {a: 1}",
        "? a",
        "%TAG",
        "- - - - -",
        "0x1F",
        "010",
        "1_000",
        "2001-01-01",
        ".inf",
        "\u2028",
    ),
)
SIGNS = "{}[]:,\"'%#&*!|>-?@ \tz0\u00e9\u0000\ufeff"
_MOST_PAGE_BYTES = 200_000


def mutated(
    text: str, chance: random.Random, values: tuple[str, ...] = VALUES, signs: str = SIGNS[:22]
) -> str:
    """The text with a line removed, doubled or indented, a value replaced, or a character changed."""
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    kind = chance.choice(["removed", "doubled", "indented", "value", "value", "value", "sign"])
    found = list(re.finditer(r":\s+([^,{}\[\]]+)", lines[at]))
    if kind == "removed":
        del lines[at]
    elif kind == "doubled":
        lines.insert(at, chance.choice(lines))
    elif kind == "indented":
        lines[at] = " " * chance.randint(1, 3) + lines[at]
    elif kind == "value" and found:
        one = chance.choice(found)
        lines[at] = lines[at][: one.start(1)] + chance.choice(values) + lines[at][one.end(1) :]
    elif lines[at]:
        sign = chance.randrange(len(lines[at]))
        lines[at] = lines[at][:sign] + chance.choice(signs) + lines[at][sign + 1 :]
    return "\n".join(lines)


class DefinitionTarget:
    """A check ends with a report; definitions without an error give rows or a named error on a page."""

    name = "definitions"
    host_timeout_s = 60.0

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._folder = Path(tempfile.mkdtemp(prefix="scoopi-fuzz-"))

    def feed(self, number: int) -> bool:
        """As `Target`; refused when the report has an error."""
        chance, defs = self._written(number)
        try:
            report = check(defs)
            assert json.loads(report.json())["errors"] == len(report.errors)
            assert report.text()
            if not report.errors:
                _extract(defs, chance)
            return not report.errors
        finally:
            shutil.rmtree(defs)

    def shown(self, number: int) -> bytes:
        """All files of the folder, one after another."""
        _, defs = self._written(number)
        files = sorted(defs.rglob("*.yml"))
        shown = b"".join(
            f"# {file.relative_to(defs)}\n".encode() + file.read_bytes() + b"\n" for file in files
        )
        shutil.rmtree(defs)
        return shown

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _written(self, number: int) -> tuple[random.Random, Path]:
        chance = random.Random(f"{self._seed}-{number}")
        defs = self._folder / "defs"
        shutil.copytree(chance.choice(examples()), defs)
        for _ in range(chance.choice((1, 1, 2, 3, 6))):
            file = chance.choice(sorted(defs.rglob("*.yml")))
            text = mutated(file.read_text(encoding="utf-8"), chance, VALUES + ODD_VALUES, SIGNS)
            file.write_text(text, encoding="utf-8")
        return chance, defs


@cache
def examples() -> tuple[Path, ...]:
    """The folders of the project's examples."""
    return tuple(sorted(path for path in EXAMPLES.iterdir() if path.is_dir()))


def _extract(defs: Path, chance: random.Random) -> None:
    """Rows of one page by one of its groups, or an error that a user can act on."""
    pages = sorted(defs.rglob("pages/**/*.html")) or sorted(EXAMPLES.rglob("pages/**/*.html"))
    groups = re.findall(
        r"^ {2,4}(\w+):", "\n".join(file.read_text() for file in defs.rglob("*.yml")), re.MULTILINE
    )
    page = chance.choice(pages).read_bytes()[:_MOST_PAGE_BYTES]
    with suppress(ScoopiError):
        extract(defs, page, "http://site.test/page.html", group=chance.choice(groups or [None]))
