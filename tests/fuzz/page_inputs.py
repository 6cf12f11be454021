"""FuzzPages: broken pages without end, each made from its number alone, so that any can be made again."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from webencodings.labels import LABELS

from tests.parse.tree.dat_reader import read_cases

_EXAMPLES = Path(__file__).resolve().parents[2] / "defs" / "examples"
_MOST_BYTES = 60_000
_DEEPEST = 3000
_TAGS = """
    html head body title base meta link style script noscript template div p span a b i em font nobr u big
    table caption colgroup col thead tbody tfoot tr td th ul ol li dl dt dd select option optgroup form input
    button textarea iframe noembed noframes plaintext xmp listing pre h1 h6 br hr img image frameset frame
    applet marquee object svg math mi mtext annotation-xml foreignObject desc linearGradient circle ruby rb
    rt rtc rp details main address center dir keygen isindex x-odd o'p q"q a<b {x}y é
""".encode().split()
_ATTRIBUTES = """
    class id href name type=hidden charset=utf-8 encoding=text/html xlink:href xml:lang xmlns @click {a}b=c
    color=red 'x "y <z =w é=ü viewBox definitionURL content='text/html;charset=koi8-r' http-equiv=content-type
""".encode().split()
_SIGNS = (
    *b"< > </ /> <!-- --> --!> <! <? ?> <![CDATA[ ]]> & ; = ' &amp &notit; &nbsp &#x80; &#1; &#0;".split(),
    *b"&#xD800; &#x110000; \xef\xbf\xbe \xef\xbb\xbf \xed\xa0\x80 \xf0\x9f\x98\x80 \xcc\x88 \xff\xfe".split(),
    *(b'"', b"\x00", b"\r", b"\r\n", b"\x0c", b"\x1b", b"\x7f"),
    *(b"<!doctype html>", b"<!doctype a public 'x' \"y\">"),
)
_CODECS = ("utf-8", "utf-16-le", "utf-16-be", "utf-16", "cp1251", "latin-1", "shift_jis", "gb18030", "euc-kr")
_LABELS = (*sorted(LABELS), "no-such-charset", "", "utf-8;x")


@dataclass(frozen=True, slots=True)
class FuzzPage:
    """What is given to the parser.

    Attributes:
        charset: of the Content-Type header; may be a lie.
        max_depth: as in TreeLimits.
    """

    body: bytes
    charset: str | None
    max_depth: int


class FuzzPages:
    """Mutations of the pages of the tree cases and of the examples.

    Args:
        seed: pages of another seed are others.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def page(self, number: int) -> FuzzPage:
        """The same number gives the same page."""
        chance = random.Random(f"{self._seed}-{number}")
        body = _original(chance)
        for _ in range(chance.choice((1, 1, 2, 3, 5, 8))):
            body = chance.choice(_MUTATIONS)(body, chance)[:_MOST_BYTES]
        charset = None if chance.random() < 0.8 else chance.choice(_LABELS)
        return FuzzPage(body, charset, chance.choice((2, 10, 40, 300, 2000, 2000)))


@cache
def originals() -> tuple[bytes, ...]:
    """The pages that are mutated."""
    cases = [case.page.encode() for case in read_cases()]
    return (*cases, *(path.read_bytes() for path in sorted(_EXAMPLES.rglob("pages/**/*.html"))))


def _original(chance: random.Random) -> bytes:
    return chance.choice(originals())


def _spliced(body: bytes, chance: random.Random) -> bytes:
    other = _original(chance)
    return body[: _place(body, chance)] + other[_place(other, chance) :]


def _stuffed(body: bytes, chance: random.Random) -> bytes:
    at = _place(body, chance)
    return body[:at] + _original(chance) + body[at:]


def _truncated(body: bytes, chance: random.Random) -> bytes:
    at = _place(body, chance)
    return body[:at] if chance.random() < 0.7 else body[at:]


def _shortened(body: bytes, chance: random.Random) -> bytes:
    at = _place(body, chance)
    return body[:at] + body[at + chance.randrange(1, 40) :]


def _flipped(body: bytes, chance: random.Random) -> bytes:
    changed = bytearray(body)
    for _ in range(chance.randrange(1, 9)):
        if changed:
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _noisy(body: bytes, chance: random.Random) -> bytes:
    return _inserted(body, chance.randbytes(chance.randrange(1, 30)), chance)


def _signed(body: bytes, chance: random.Random) -> bytes:
    return _inserted(body, b"".join(chance.choices(_SIGNS, k=chance.randrange(1, 4))), chance)


def _tagged(body: bytes, chance: random.Random) -> bytes:
    for _ in range(chance.randrange(1, 6)):
        body = _inserted(body, _tag(chance), chance)
    return body


def _nested(body: bytes, chance: random.Random) -> bytes:
    """One to three tags within one another, now and then very deep."""
    tags = b"".join(_tag(chance) for _ in range(chance.randrange(1, 4)))
    depth = chance.randrange(2, _DEEPEST if chance.random() < 0.01 else 60)
    return _inserted(body, tags * depth, chance)


def _repeated(body: bytes, chance: random.Random) -> bytes:
    at = _place(body, chance)
    piece = body[at : at + chance.randrange(1, 200)]
    return body[:at] + piece * chance.randrange(2, 12) + body[at:]


def _recoded(body: bytes, chance: random.Random) -> bytes:
    """In another charset, which may be declared or not."""
    codec = chance.choice(_CODECS)
    if chance.random() < 0.5:
        label = chance.choice((codec, chance.choice(_LABELS)))
        body = b"<meta charset=" + label.encode() + b">" + body
    return body.decode("utf-8", "replace").encode(codec, "replace")


def _tag(chance: random.Random) -> bytes:
    name = chance.choice(_TAGS)
    if chance.random() < 0.3:
        return b"</" + name + b">"
    attributes = chance.choices(_ATTRIBUTES, k=chance.choice((0, 0, 0, 1, 2, 4)))
    ending = b" />" if chance.random() < 0.1 else b">"
    return b" ".join((b"<" + name, *attributes)) + ending


def _inserted(body: bytes, piece: bytes, chance: random.Random) -> bytes:
    at = _place(body, chance)
    return body[:at] + piece + body[at:]


def _place(body: bytes, chance: random.Random) -> int:
    return chance.randrange(len(body) + 1)


_MUTATIONS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(_spliced, _stuffed, _truncated, _shortened, _flipped, _noisy, _signed, _tagged, _tagged, _nested),
    *(_repeated, _recoded),
)
