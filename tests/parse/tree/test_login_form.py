"""Forms as a browser would send them."""

from __future__ import annotations

from datetime import UTC, datetime

from scoopi.model.locator import Document, Locator
from scoopi.parse.css.css_engine import CssEngine
from scoopi.parse.tree.login_form import LoginForm, find_form, has_element
from scoopi.parse.tree.page import Page, TreeLimits

URL = "https://a.example/in/login?next=1"


def page(body: str) -> Page:
    document = Document(Locator("n", "g", URL), URL, datetime.now(UTC), "utf-8", body.encode())
    return Page(document, TreeLimits())


def form_of(body: str, selector: str = "form") -> LoginForm | None:
    return find_form(page(body), selector, CssEngine())


def test_the_fields_of_a_form_are_those_that_a_browser_sends() -> None:
    form = form_of("""<form method=POST action=../enter>
        <input type=hidden name=csrf value=x><input name=user><input type=password name=pass>
        <input type=checkbox name=stay checked><input type=checkbox name=ads>
        <input type=submit name=go value=Go><input name=off disabled value=1><input value=nameless>
        <textarea name=note>hi</textarea>
        <select name=lang><option>a<option value=b selected>B</select></form>""")
    assert form is not None
    assert (form.url, form.method) == ("https://a.example/enter", "POST")
    assert form.fields == {"csrf": "x", "user": "", "pass": "", "stay": "on", "note": "hi", "lang": "b"}
    assert form.passwords == {"pass"}


def test_a_form_without_action_is_sent_to_its_page_and_base_counts() -> None:
    plain = form_of("<form method=post></form>")
    based = form_of("<base href='/b/'><form method=post action=x></form>")
    assert plain is not None
    assert based is not None
    assert (plain.url, based.url) == (URL, "https://a.example/b/x")


def test_a_form_is_found_by_what_it_holds() -> None:
    form = form_of("<form><input name=q></form><form id=f method=post><b id=x></b></form>", "#x")
    assert form is not None
    assert form.method == "POST"
    assert form_of("<p>none</p>") is None


def test_an_element_is_found_by_its_selector() -> None:
    assert has_element(page("<a class=out>x</a>"), "a.out", CssEngine())
    assert not has_element(page("<a>x</a>"), "a.out", CssEngine())


def test_a_form_of_a_malformed_address_is_found_so_that_it_can_be_refused() -> None:
    there = form_of("<form method=post action='http://[site]/x'></form>")
    based = form_of("<base href='//['><form method=post action=x></form>")
    assert there is not None
    assert based is not None
    assert (there.url, based.url) == ("http://[site]/x", "https://a.example/in/x")
