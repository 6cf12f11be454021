"""What an author learns of fields on one page."""

from __future__ import annotations

import pytest

from scoopi.parse.parts.definition_parts import record_part
from scoopi.parse.records.record_compiler import compile_records
from scoopi.parse.records.record_inspection import RecordInspection
from scoopi.parse.records.selector_prefix import longest_prefix
from scoopi.parse.tree.page import Page, TreeLimits
from tests.parse.record_page import facts_of, page_of, record_def, records_of

PAGE = "<ul><li class=card><a href=x>A</a><p class=price>x</p></li><li class=card><a>B</a></li></ul>"


def test_fields_show_matches_missing_values_and_the_longest_prefix_that_matches() -> None:
    fields = {
        "a": "a",
        "link": "a @href",
        "price": {"select": "p.price", "type": "price"},
        "none": "p.price > b.now @x",
        "path": "./p/b[2]/text()",
        "value": {"value": "x"},
    }
    definition = record_def(fields, each="li.card")
    views = RecordInspection(definition, page_of(PAGE), records_of(PAGE, fields, each="li.card")).fields()
    shown = {view.field: (view.matches, view.missing, view.unreadable, view.prefix) for view in views}
    assert shown == {
        "a": (2, 0, 0, ""),
        "link": (1, 1, 0, ""),
        "price": (1, 1, 1, ""),
        "none": (0, 2, 0, "p.price"),
        "path": (0, 2, 0, "./p"),
        "value": (None, 0, 0, ""),
    }


def test_an_each_that_finds_nothing_shows_how_much_of_it_does() -> None:
    definition = record_def({"a": "a"}, each="ul > li.cart")
    view = RecordInspection(
        definition, page_of(PAGE), records_of(PAGE, {"a": "a"}, each="ul > li.cart")
    ).each()
    assert view is not None
    assert (view.matches, view.prefix, view.prefix_matches) == (0, "ul > li", 2)


@pytest.mark.parametrize("each", ["ul > li.cart", "ul > li.card"])
def test_it_looks_at_the_whole_page_although_the_records_are_read_from_a_part(each: str) -> None:
    fields = {"price": "i b.price", "sign": "p > b", "last": {"select": "nav > a.x", "page": True}}
    text = f"{PAGE.replace('x</p>', 'x<i>y</i></p>')}<nav>z</nav>"
    definition, whole = record_def(fields, each=each), page_of(text)
    part = Page(whole.document, TreeLimits(), record_part(definition))
    reader = compile_records(definition, 1000, {})
    seen, wanted = (
        RecordInspection(definition, page, reader.read(page, facts_of())) for page in (part, whole)
    )
    assert seen.fields() == wanted.fields()
    assert seen.each() == wanted.each()
    assert [view.prefix for view in wanted.fields()] == (
        ["", "", "nav"] if "cart" in each else ["i", "p", "nav"]
    )


def test_a_selector_is_not_cut_inside_brackets_or_quotes() -> None:
    tried: list[str] = []

    def nothing(text: str) -> int:
        tried.append(text)
        return 0

    longest_prefix("a[title='x > y'] b:has(i > u)", nothing, is_css=True)
    assert tried == ["a[title='x > y'] b", "a[title='x > y']", "a"]


@pytest.mark.parametrize(
    ("label", "labels"),
    [
        ("Wieght", ("Weight",)),
        ("ISBN", ("Weight", "Colour", "Maker")),
    ],
)
def test_a_label_that_no_value_stands_beside_shows_the_labels_of_the_page(
    label: str, labels: tuple[str, ...]
) -> None:
    page = "<dl><dt>Weight<dd>2 kg</dl><p><b>Colour:</b> red</p><table><tr><th>Maker<td>A</table>"
    fields = {"found": {"label": "Maker"}, "none": {"label": label}}
    inspection = RecordInspection(record_def(fields), page_of(page), records_of(page, fields))
    found, none = inspection.fields()
    assert (found.matches, found.label, found.labels) == (1, "", ())
    assert (none.matches, none.missing, none.label, none.labels) == (0, 1, label, labels)
