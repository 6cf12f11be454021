"""Hosts whose page is in order, and whose robots.txt says or does something."""

from __future__ import annotations

from tests.server.answer import HTML
from tests.server.exchange import Exchange
from tests.server.misbehaviours import MISBEHAVIOURS, Misbehaviour
from tests.site.site_page import SitePage, html, says

BAD = MISBEHAVIOURS
TEXT_TYPE = "text/plain; charset=utf-8"
LIMIT_BYTES = 512 << 10
"""What RFC 9309 wants to be read of a robots.txt at least."""


def _rules(text: str | bytes, does: str) -> Misbehaviour:
    return says(text, TEXT_TYPE, does=does)


async def redirects(exchange: Exchange) -> None:
    """robots.txt is at another path, which disallows all."""
    if exchange.path == "/robots.txt":
        exchange.seen.status = 301
        await exchange.write(
            b"HTTP/1.1 301 Moved\r\nLocation: /other/robots.txt\r\nContent-Length: 0\r\n\r\n"
        )
    else:
        await _rules("User-agent: *\nDisallow: /\n", "")(exchange)


async def recovers(exchange: Exchange) -> None:
    """robots.txt answers with status 503 twice, then it allows all."""
    fails = exchange.times <= 2
    await (says("later", HTML, status=503) if fails else _rules("User-agent: *\nAllow: /\n", ""))(exchange)


_LONG = "User-agent: *\nAllow: /\n" + "# cheese\n" * (LIMIT_BYTES // 9)
_ROBOTS: dict[str, Misbehaviour] = {
    "robots-allows": _rules("User-agent: *\nAllow: /\n", "All is allowed."),
    "robots-disallows": _rules("User-agent: *\nDisallow: /\n", "Nothing is allowed."),
    "robots-disallows-path": _rules(
        "User-agent: *\nDisallow: /bad/\nAllow: /good/\n", "/bad/ is not allowed."
    ),
    "robots-disallows-scoopi": _rules(
        "User-agent: *\nAllow: /\n\nUser-agent: scoopi\nDisallow: /\n", "Scoopi is not allowed."
    ),
    "robots-allows-scoopi": _rules(
        "User-agent: *\nDisallow: /\n\nUser-agent: Scoopi\nAllow: /\n", "Only Scoopi is allowed."
    ),
    "robots-wildcards": _rules("User-agent: *\nDisallow: /*/robots-*$\n", "A rule with wildcards disallows."),
    "robots-crawl-delay": _rules("User-agent: *\nCrawl-delay: 1\n", "A delay of 1 s."),
    "robots-empty": _rules("", "An empty robots.txt."),
    "robots-bom": _rules(b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /\r\n", "A BOM, and nothing is allowed."),
    "robots-bad-bytes": _rules(
        b"K\xe4se\x00\xff\n\nUser-agent: *\nDisallow: /\n", "Bytes that are not UTF-8."
    ),
    "robots-html": says(html("Page not found"), does="An HTML page with status 200."),
    "robots-huge": _rules(_LONG + "Disallow: /\n", "A rule behind the first 512 KiB."),
    "robots-403": says("no", HTML, status=403, does="Status 403: all is allowed."),
    "robots-404": says("no", HTML, status=404, does="Status 404: all is allowed."),
    "robots-500": says("ill", HTML, status=500, does="Status 500."),
    "robots-503-twice": recovers,
    "robots-redirect": redirects,
    "robots-redirect-loop": BAD["redirect-loop"],
    "robots-reset": BAD["reset"],
    "robots-never-answers": BAD["never-answers"],
    "robots-endless": BAD["never-ends"],
}
ROBOTS_PAGES: dict[str, SitePage] = {
    name: SitePage(robots=robots, hangs=name == "robots-never-answers") for name, robots in _ROBOTS.items()
}
