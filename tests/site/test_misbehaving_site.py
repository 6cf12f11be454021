"""The misbehaving site itself: what the other tests take for granted of it."""

from __future__ import annotations

import http.client
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from email.utils import parsedate_to_datetime
from urllib.parse import urlencode

import pytest

from tests.server.misbehaviours import PAGE
from tests.site.misbehaving_site import PAGES, MisbehavingSite
from tests.site.status_pages import PASSWORD, USER


def ask(url: str, body: bytes | None = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers in lower case and body of one request, redirects not followed."""

    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: object) -> None:
            return None

    request = urllib.request.Request(
        url, body, {name.replace("_", "-"): text for name, text in headers.items()}
    )
    try:
        with urllib.request.build_opener(Stay).open(request, timeout=10) as answer:
            return answer.status, {name.lower(): text for name, text in answer.headers.items()}, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, {name.lower(): text for name, text in error.headers.items()}, error.read()


def test_each_page_has_a_host_of_its_own_and_says_what_it_does(site: MisbehavingSite) -> None:
    assert len({site.host(name) for name in PAGES}) == len(PAGES)
    assert [name for name, page in PAGES.items() if not page.description] == []


def test_the_log_has_host_path_status_and_connection_of_each_request(site: MisbehavingSite) -> None:
    ask(site.url("404"))
    ask(site.url("plain", "/any/path?q=1"))
    seen = site.log.all()
    assert [(each.host, each.path, each.status) for each in seen] == [
        (site.host("404"), "/bad/404", 404),
        (site.host("plain"), "/any/path?q=1", 200),
    ]
    assert [each.connection for each in seen] == [1, 2]
    assert site.log.paths(site.host("404")) == ["/bad/404"]


def test_a_refusing_host_refuses_until_it_is_opened(site: MisbehavingSite) -> None:
    with pytest.raises(urllib.error.URLError, match="refused"):
        ask(site.url("refused"))
    site.open("refused")
    answer = None
    while answer is None:  # the site opens it in a thread of its own
        try:
            answer = ask(site.url("refused"))
        except urllib.error.URLError:
            continue
    assert answer[2] == PAGE


def test_a_host_that_is_down_for_a_while_answers_in_the_end(site: MisbehavingSite) -> None:
    url, refusals, answer = site.url("down-for-2-s"), 0, b""
    while not answer:
        try:
            answer = ask(url)[2]
        except urllib.error.URLError:
            refusals += 1
    assert answer == PAGE
    assert refusals


def test_a_flapping_host_counts_its_own_requests(site: MisbehavingSite) -> None:
    assert [ask(site.url("flapping-503"))[0] for _ in range(6)] == [503, 503, 200] * 2
    assert [ask(site.url("fifth-503", f"/{n}", good=4, bad=1, first="good"))[0] for n in range(5)][-1] == 503


def test_a_busy_host_names_the_time_in_seconds_or_as_a_date(site: MisbehavingSite) -> None:
    status, headers, _ = ask(site.url("429-with-seconds"))
    assert (status, headers["retry-after"]) == (429, "2")
    status, headers, _ = ask(site.url("429-with-date"))
    assert (status, parsedate_to_datetime(headers["retry-after"]).tzname()) == (429, "UTC")
    assert ask(site.url("503-with-seconds", seconds=0, status=503))[0] == 200


def test_robots_variants_are_of_their_hosts_alone(site: MisbehavingSite) -> None:
    assert ask(site.url("plain", "/robots.txt"))[0] == 404
    assert ask(site.url("robots-disallows", "/robots.txt"))[2] == b"User-agent: *\nDisallow: /\n"
    assert ask(site.url("robots-disallows"))[2] == PAGE
    assert ask(site.url("robots-redirect", "/robots.txt"))[1]["location"] == "/other/robots.txt"
    assert b"Disallow" in ask(site.url("robots-redirect", "/other/robots.txt"))[2]


def test_a_session_is_given_for_name_password_and_hidden_field(site: MisbehavingSite) -> None:
    assert ask(site.url("short-session"))[1]["location"] == "/login"
    login = site.url("short-session", "/login")
    assert b"csrf" in ask(login)[2]
    form = {"user": USER, "password": PASSWORD, "csrf": "c0ffee"}
    assert b"wrong password" in ask(login, urlencode(form | {"password": "x"}).encode())[2]
    status, headers, _ = ask(login, urlencode(form).encode())
    cookie = headers["set-cookie"].partition(";")[0]
    assert (status, headers["location"]) == (303, "/")
    asked = [ask(site.url("short-session", "/"), Cookie=cookie)[0] for _ in range(4)]
    assert asked == [200, 200, 200, 302]


def test_the_certificate_is_good_for_a_client_that_trusts_it_and_for_no_other_name(
    site: MisbehavingSite,
) -> None:
    url, trusting = site.url("bad-tls"), ssl.create_default_context(cafile=str(site.authority))
    with pytest.raises(urllib.error.URLError, match="self-signed"):
        ask(url)
    with urllib.request.urlopen(url, context=trusting, timeout=10) as answer:
        assert answer.read() == PAGE
    with pytest.raises(urllib.error.URLError, match="IP address mismatch"):
        urllib.request.urlopen(site.url("tls-wrong-name"), context=trusting, timeout=10)


def test_the_ipv6_host_is_a_host_of_the_same_log(site: MisbehavingSite) -> None:
    assert ask(site.url("ipv6"))[2] == PAGE
    assert site.log.hosts() == {site.host("ipv6")}


def test_a_head_request_gets_no_body(site: MisbehavingSite) -> None:
    connection = http.client.HTTPConnection(site.host("head-only"), timeout=60)
    try:
        for method, status in (("HEAD", 200), ("GET", 405)):
            connection.request(method, "/")
            answer = connection.getresponse()
            assert (answer.status, answer.read()) == (status, b"")
    finally:
        connection.close()


def test_the_stand_alone_site_lists_its_pages() -> None:
    command = [sys.executable, "-m", "tests.site"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in PAGES]
        process.terminate()
        assert process.wait(60) == 0
    assert "/bad/slow?ms=300  `ms` (1000) pass before the answer." in lines[0]
