"""LoaderChecker: `loader` and `browser` of a task group, and files that no browser loads."""

from __future__ import annotations

import pytest

from tests.defs.written import DATA, PLACES, TASKS, Check

FILE = "warning locatorGroups.city: {} is a file, which is read without a browser: its scripts do not run; "
HINT = "serve its folder, as by `python3 -m http.server`, and write http://localhost:8000/…"


def _drawn(check: Check, loader: str, *urls: str) -> list[str]:
    locators = ", ".join(f'{{ name: a, url: "{url}" }}' for url in urls)
    places = f"locatorGroups:\n  city: {{ locators: [ {locators} ] }}\n"
    return check(places + TASKS.replace("{ temps", f"{{ loader: {loader}, temps") + DATA).sentences


def test_the_loader_of_a_group_is_checked(check: Check) -> None:
    tasks = TASKS.replace("{ temps", "{ browser: { timeout: 5 }, temps")
    assert check(PLACES + tasks + DATA).found == [
        "4:20: error taskGroups.city.browser: its pages are not loaded in a browser; add `loader: browser`",
    ]


def test_a_misspelt_loader_hides_no_other_error_and_makes_none(check: Check) -> None:
    tasks = TASKS.replace("{ temps", "{ loader: brwser, browser: { timeout: 0 }, temps")
    assert check(PLACES + tasks + DATA).found == [
        "4:19: error taskGroups.city.loader: there is no loader brwser; did you mean browser?",
        "4:47: error taskGroups.city.browser.timeout: timeout is 0, but must be at least 1; "
        "give a larger number",
    ]


@pytest.mark.parametrize("loader", ["browser", "auto"])
@pytest.mark.parametrize("url", ["pages/a.html", "/pages/a.html", "file:///pages/a.html"])
def test_a_file_in_a_group_with_a_browser_is_a_warning(check: Check, loader: str, url: str) -> None:
    assert _drawn(check, loader, url) == [FILE.format(url) + HINT]


def test_of_many_files_the_first_is_named(check: Check) -> None:
    assert _drawn(check, "browser", "https://h.example/", "b.html", "c.html") == [
        FILE.format("b.html") + HINT
    ]


def test_pages_of_the_web_are_fine_in_a_browser_and_files_without_one(check: Check) -> None:
    assert _drawn(check, "browser", "HTTP://h.example/", "https://h.example/b") == []
    assert _drawn(check, "http", "a.html") == []
