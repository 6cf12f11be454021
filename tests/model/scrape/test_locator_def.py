"""LocatorDef: a template is filled page by page, wherever it has a placeholder, also in its request."""

from __future__ import annotations

from scoopi.model.locator import PageRequest
from scoopi.model.scrape.locator_def import MOST_SINGLE, LocatorDef, LocatorGroup
from scoopi.model.text.locator_values import NumberValues, TextValues

TOWNS = TextValues("town", ("Ely", "Ayr"))


def template(*values: NumberValues | TextValues, request: PageRequest | None = None) -> LocatorDef:
    """Locators of the pages of towns."""
    return LocatorDef("%{town}", "http://maps.example/%{town}", request=request, values=values)


def test_a_single_page_stands_for_itself() -> None:
    single = LocatorDef("home", "http://maps.example/")
    assert (single.count, list(single.each())) == (1, [single])


def test_a_template_gives_its_pages_with_the_values_that_they_were_made_of() -> None:
    assert list(template(TOWNS).each()) == [
        LocatorDef("Ely", "http://maps.example/Ely", given={"town": "Ely"}),
        LocatorDef("Ayr", "http://maps.example/Ayr", given={"town": "Ayr"}),
    ]


def test_the_first_pages_of_all_combinations_are_left_out() -> None:
    both = LocatorDef("%{town} %{page}", "http://a/%{town}", values=(TOWNS, NumberValues("page", 1, 3)))
    assert both.count == 6
    assert [page.name for page in both.each(skip=4)] == ["Ayr 2", "Ayr 3"]


def test_a_request_is_filled_and_only_numbers_without_width_stay_numbers_in_json() -> None:
    written = PageRequest(
        params=(("q", "%{town}"),),
        headers=(("X-Town", "%{town}"),),
        form=(("place", "%{town}"),),
        json='{"page": "%{page}", "code": "%{code}"}',
    )
    numbers = NumberValues("page", 7, 7), NumberValues("code", 7, 7, width=3)
    (page, _) = template(TOWNS, *numbers, request=written).each()
    assert page.request is not None
    assert page.request.params == (("q", "Ely"),)
    assert page.request.headers == (("X-Town", "Ely"),)
    assert page.request.form == (("place", "Ely"),)
    assert page.request.json == '{"page": 7, "code": "007"}'


def test_a_request_without_a_form_gets_none() -> None:
    (page, _) = template(TOWNS, request=PageRequest(params=(("q", "%{town}"),))).each()
    assert page.request is not None
    assert page.request.form is None


def test_of_templates_a_bounded_number_of_pages_is_searched_but_all_single_pages() -> None:
    pages = LocatorDef("p%{n}", "http://a/%{n}", values=(NumberValues("n", 1, MOST_SINGLE - 1),))
    more = LocatorDef("q%{n}", "http://b/%{n}", values=(NumberValues("n", 1, 5),))
    last = LocatorDef("last", "http://c/")
    names = [page.name for page in LocatorGroup("g", (pages, more, last)).single_pages()]
    assert len(names) == MOST_SINGLE + 1
    assert names[-3:] == [f"p{MOST_SINGLE - 1}", "q1", "last"]
