"""instead_of_content: a page without content is named by what it holds; an ordinary page is not."""

from __future__ import annotations

import pytest

from scoopi.parse.tree.page import TreeLimits, parse_html
from scoopi.parse.tree.page_signs import instead_of_content

SHELL = "<script src=a.js></script><body><div id=root></div>"
LOGIN = "<form><input name=user><input type=password></form>"


def signs(page: str, in_browser: bool = False) -> str | None:
    return instead_of_content(parse_html(page.encode(), limits=TreeLimits()).getroot(), in_browser)


@pytest.mark.parametrize(
    ("page", "holds"),
    [
        (SHELL, "scripts and an empty div"),
        (SHELL.replace("div", "app-root"), "scripts and an empty app-root"),
        (
            SHELL.replace("</div>", "Loading</div><noscript>" + "on " * 99 + "</noscript>"),
            "scripts and hardly any text",
        ),
        (
            "<body><script>" + "a;" * 99 + "</script><style>" + "p{}" * 99 + "</style>",
            "scripts and hardly any text",
        ),
    ],
)
def test_a_page_that_its_scripts_would_fill_is_named(page: str, holds: str) -> None:
    assert signs(page) == f"the body holds {holds}: the site renders in the browser"
    waits = "name what to wait for by `until` of `browser`"
    assert signs(page, in_browser=True) == f"the body held {holds} when it was read: {waits}"


def test_a_page_whose_content_is_in_frames_is_named_if_a_browser_has_loaded_it() -> None:
    page = "<body><script>a()</script><iframe src=/prices></iframe>"
    advice = "add `frames: true` to `browser` to read its frames"
    assert signs(page, in_browser=True) == f"the body holds scripts and an empty iframe: {advice}"


@pytest.mark.parametrize(
    "page",
    [
        "<title>404 Not Found</title>",
        "<h1>Page not found</h1>",
        "<h2>The page you want was not found.</h2>",
        "<h1>404</h1>",
        "<h1>This article could not be found</h1>",
    ],
)
def test_a_page_that_says_it_was_not_found_is_named(page: str) -> None:
    said = signs(page)
    assert said is not None
    assert said.startswith("the page says ")
    assert said.endswith(" with status 200")


def test_a_login_form_is_named() -> None:
    assert signs(LOGIN) == "the page is a login form"


def test_a_page_that_only_refreshes_is_named() -> None:
    page = "<meta http-equiv=Refresh content=\"0; URL='/next'\"><p>wait"
    assert signs(page) == "the page only refreshes to another address: make that address the locator"


@pytest.mark.parametrize(
    "page",
    [
        "<h1>Bread</h1>",
        "<h1>Lost and found</h1>",
        LOGIN + "words " * 100,
        "<h1>Area 404 maps</h1>",
        "<meta http-equiv=refresh content=300><p>news",
        "<meta http-equiv=refresh content='0; url=/'>" + "words " * 30,
        SHELL + "words " * 30,
        "",
    ],
)
def test_an_ordinary_page_is_not_named(page: str) -> None:
    assert signs(page) is None
