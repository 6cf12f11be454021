"""page_fetch: the command of curl that makes the same request, without credentials."""

from __future__ import annotations

import shlex

import pytest
from msgspec.structs import replace

from scoopi.model.locator import PageRequest
from scoopi.model.sites import Auth, Site
from scoopi.pages.page_fetch import curl_command

URL = "https://shop.example/list?page=2"
SITE = Site(user_agent="scoopi test", timeout_ms=2500, connect_timeout_ms=1000)


def words(site: Site = SITE, content: PageRequest | None = None, url: str = URL) -> list[str]:
    """The command's words after those that each command has."""
    found = shlex.split(curl_command(url, site, content))
    assert found[:1] + found[2:9] == [
        "curl",
        "--compressed",
        "--max-time",
        "2.5",
        "--connect-timeout",
        "1",
        "-A",
        "scoopi test",
    ]
    return [found[1], *found[9:]]


def test_a_plain_page_is_asked_for_over_http_1_1() -> None:
    assert words() == ["--http1.1", URL]


def test_a_site_with_http_2_is_asked_over_it_unless_the_request_must_not_be_repeated() -> None:
    site = replace(SITE, http2=True)
    assert words(site)[0] == "--http2"
    assert words(site, PageRequest("POST"))[0] == "--http1.1"


def test_the_body_and_headers_of_a_request_are_those_of_the_site_and_the_page() -> None:
    content = PageRequest("POST", headers=(("X-One", "it's"),), form=(("q", "a b"),))
    site = replace(SITE, headers={"Accept": "text/html"})
    assert words(site, content)[1:-1] == [
        "-X",
        "POST",
        "-H",
        "Accept: text/html",
        "-H",
        "X-One: it's",
        "--data-urlencode",
        "q=a b",
    ]
    assert words(content=PageRequest("PUT", json='{"a": 1}'))[1:-1] == ["-X", "PUT", "--json", '{"a": 1}']


@pytest.mark.parametrize(
    ("site", "shown"),
    [
        (replace(SITE, auth=Auth(bearer="${env:TOKEN}")), '--oauth2-bearer "$TOKEN"'),
        (replace(SITE, auth=Auth(bearer="s3cret")), "--oauth2-bearer '***'"),
        (replace(SITE, auth=Auth(user="ann", password="${env:PASSWORD}")), '-u ann:"$PASSWORD"'),
        (replace(SITE, cookies={"id": "${env:ID}"}), '-b id="$ID"'),
        (replace(SITE, headers={"X-Api-Key": "s3cret"}), "-H 'X-Api-Key: ***'"),
    ],
)
def test_credentials_are_variables_of_the_shell_or_masked(site: Site, shown: str) -> None:
    command = curl_command(URL, site, None)
    assert shown in command
    assert "s3cret" not in command


def test_credentials_in_the_address_are_masked() -> None:
    assert "s3cret" not in curl_command("https://ann:s3cret@shop.example/?token=s3cret", SITE, None)
