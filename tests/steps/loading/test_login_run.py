"""LoginRun: what a login sends, and the pages that it recognizes."""

from __future__ import annotations

import pytest

from scoopi.errors import FetchError
from scoopi.model.locator import PageRequest
from scoopi.model.sites import Login, PageSign
from scoopi.steps.loading.load_state import FORM, SUBMIT
from scoopi.steps.loading.login_run import LoginRun
from tests.parse.tree.test_login_form import page

LOGIN = Login(
    "https://a.example/login",
    {"user": "me", "pass": "${env:P}"},
    PageSign(selector="a.out"),
    form="form",
)
BODY = "<form method=post action={action}><input type=hidden name=csrf value=x>{field}</form>"
FIELD = "<input type=password name=pass>"


@pytest.fixture
def run() -> LoginRun:
    return LoginRun(lambda url: "other" if "other" in url else "a")


def test_a_login_with_a_form_reads_its_page_first(run: LoginRun) -> None:
    stage, locator = run.first(LOGIN)
    assert (stage, locator.url, locator.request) == (FORM, LOGIN.url, None)
    stage, locator = run.first(Login("https://a.example/in", {"u": "x"}, PageSign(url="/")))
    assert (stage, locator.request) == (SUBMIT, PageRequest("POST", form=(("u", "x"),)))


def test_the_fields_are_put_beside_the_hidden_ones_and_stay_references(run: LoginRun) -> None:
    locator = run.submit(LOGIN, page(BODY.format(action="/enter", field=FIELD)))
    assert locator.url == "https://a.example/enter"
    assert locator.request is not None
    assert locator.request.form == (("csrf", "x"), ("pass", "${env:P}"), ("user", "me"))


@pytest.mark.parametrize(
    ("action", "field", "message"),
    [
        ("http://a.example/x", FIELD, "its form is sent without encryption"),
        ("https://other.example/x", FIELD, "its form is sent to another site"),
        ("/x", "<input type=password name=user>", "the password field user has a value that is not"),
    ],
)
def test_credentials_are_not_sent_where_they_do_not_belong(
    run: LoginRun, action: str, field: str, message: str
) -> None:
    with pytest.raises(FetchError, match=message):
        run.submit(LOGIN, page(BODY.format(action=action, field=field)))


def test_a_form_whose_password_has_another_name_is_not_sent(run: LoginRun) -> None:
    with pytest.raises(FetchError, match="its form has no field pass; it has csrf, pw;"):
        run.submit(LOGIN, page(BODY.format(action="/x", field="<input type=password name=pw>")))


def test_a_login_that_brings_the_form_again_says_so(run: LoginRun) -> None:
    with pytest.raises(FetchError, match=r"no element a\.out, but the form again"):
        run.ensure_success(LOGIN, page(BODY.format(action="/x", field=FIELD)))


def test_a_page_without_the_form_or_the_sign_of_success_is_an_error(run: LoginRun) -> None:
    with pytest.raises(FetchError, match="its page has no form"):
        run.submit(LOGIN, page("<p>x</p>"))
    with pytest.raises(FetchError, match=r"no element a\.out"):
        run.ensure_success(LOGIN, page("<p>x</p>"))
    run.ensure_success(LOGIN, page("<a class=out>x</a>"))


def test_a_page_that_asks_for_a_login_is_recognized(run: LoginRun) -> None:
    assert run.is_expired(LOGIN, page("<form>x</form>"))
    assert not run.is_expired(LOGIN, page("<p>x</p>"))
    by_url = Login("https://a.example/in/login", {}, PageSign(url="/"))
    assert run.is_expired(by_url, page("<p>x</p>"))
    given = Login(
        "https://a.example/", {}, PageSign(url="/"), expired=PageSign(url="/in/*next=", selector="b")
    )
    assert run.is_expired(given, page("<b>x</b>"))
    assert not run.is_expired(given, page("<p>x</p>"))
