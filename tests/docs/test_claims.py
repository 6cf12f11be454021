"""What the language reference claims in single sentences, tried on small pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from scoopi import extract
from scoopi.plugins.converters.date_roller import DateRoller
from tests.docs.markdown import Page

URL = "https://shop.example/p/q.html"
Value = Callable[..., str | None]
PAGE = b"<div class=A id=b>one<b>two</b> tail<br>x</div><div class='B c'>three</div><p>p1<p><p>p3"


@pytest.fixture
def value(tmp_path: Path) -> Value:
    """Reads one item of a page, by its keys as a definition writes them."""

    def read(keys: str, page: bytes = PAGE, steps: str = "css", block: str = "body") -> str | None:
        (tmp_path / "one.yml").write_text(
            f"locatorGroups: {{ g: {{ locators: [ {{ name: a, url: '{URL}' }} ] }} }}\n"
            f"taskGroups: {{ g: {{ t: {{ dataDef: d, steps: {steps} }} }} }}\n"
            f"dataDefs: {{ d: {{ query: {{ block: {block} }}, items: [ item: {{ name: i, {keys} }} ] }} }}\n"
        )
        found: str | None
        ((_, _, found, _),) = extract(tmp_path, page, URL)
        return found

    return read


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        (".a", "one tail x"),
        ("#B", None),
        ("p", "p1 p3"),
        ("p:eq(3)", ""),
        ("div:contains(TWO)", "one tail x"),
        ("div:matchesOwn(^three$)", "three"),
        ("div.b:matchText", "three"),
        ("div attribute: title", ""),
    ],
)
def test_css_reads_what_section_3_2_claims(value: Value, selector: str, expected: str | None) -> None:
    assert value(f'selector: "{selector}"') == expected


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("DIV", "three"),
        ("//div[1]", "onetwo tailx"),
        ("count(p)", "3"),
        ("1 = 1", "true"),
        ("lower-case('AB')", "ab"),
    ],
)
def test_xpath_reads_what_section_3_3_claims(value: Value, selector: str, expected: str) -> None:
    assert value(f'selector: "{selector}"', steps="xpath", block="//BODY") == expected


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("10/5", "2"),
        ("1e21", "1e+21"),
        ("[1, {a: 2}]", '[1,{"a":2}]'),
        ("null", None),
        ("document.name", "a"),
        ("item.index", "1"),
    ],
)
def test_scripts_give_what_section_2_8_claims(value: Value, script: str, expected: str | None) -> None:
    assert value(f'script: "{script}"') == expected


def test_prefixes_are_applied_as_section_2_6_claims(value: Value) -> None:
    assert value('selector: "div.c", prefix: [ "A-", "B-" ]') == "B-A-three"


def test_the_absolute_address_of_section_2_7_is_joined_to_the_base(value: Value) -> None:
    page = b"<base href='/r/'><a href=k.html>k</a>"

    assert value('selector: "a attribute: abs:href"', page) == "https://shop.example/r/k.html"


def test_the_date_of_section_4_5_is_rolled_as_shown() -> None:
    (shown,) = Page("defs/README.md").blocks("text")
    fields = yaml.safe_load(shown.text)
    found = re.search(r"reads `(.+)` as `(.+)`", Page("defs/README.md").prose)
    assert found

    roller = DateRoller(fields["item"], fields["inPattern"], fields["outPattern"], fields["roll"])

    assert roller.convert(found[1]) == found[2]
