"""`scoopi fetch`: loads one page as a run does, and shows its requests and responses."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from scoopi.cli.arguments import Verb
from scoopi.cli.exit_codes import DONE, SOME_FAILED
from scoopi.cli.options import add_inputs, add_settings, add_verbose, given_inputs, read_settings
from scoopi.cli.terminal import Terminal, printable
from scoopi.cli.text import number

if TYPE_CHECKING:
    from scoopi.model.report.fetched_page import FetchedPage, Hop


class Fetch:
    """Loads one page and shows each request, one per line on stdout; credentials are masked."""

    usage = "scoopi fetch URL [options]"
    sentence = (
        "Loads one page as a run does: robots.txt first, then a login if the site has one, with the\n"
        "settings and `sites` of its host. Shows each request with its response and times. Nothing is stored."
    )
    example = (
        "scoopi fetch https://example.org/ --headers\n"
        "scoopi fetch https://example.org/list --defs shop.yml --curl"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add URL, and the options of the output."""
        parser.add_argument("url", metavar="URL", help="the page's address")
        help_text = "definitions whose `sites` apply; a locator with this address determines the request"
        parser.add_argument("--defs", metavar="DEFS", type=Path, help=help_text)
        help_text = "the task group whose loader loads the page; by default that of the locator"
        parser.add_argument("--group", metavar="NAME", default="", help=help_text)
        parser.add_argument(
            "--headers", action="store_true", help="show the headers of requests and responses"
        )
        help_text = "also print the curl command for the page's first request"
        parser.add_argument("--curl", action="store_true", help=help_text)
        parser.add_argument("--json", action="store_true", help="print all as JSON")
        add_settings(parser)
        add_inputs(parser)
        add_verbose(parser)

    def run(self, options: Namespace, terminal: Terminal) -> int:
        """Load the page; the exit code is 1 if it cannot be loaded."""
        from scoopi.authoring import fetch

        settings = read_settings(options.settings)
        with terminal.kept_for_data():  # reading definitions loads plugins, which may print
            page = fetch(
                options.url,
                options.defs,
                settings,
                options.conf,
                terminal.environ,
                given_inputs(options),
                options.group,
            )
        if options.json:
            import msgspec

            terminal.give(json.dumps(msgspec.to_builtins(page), indent=2, ensure_ascii=False))
        else:
            for line in lines(page, options.headers, options.curl):
                terminal.give(printable(line))
        return SOME_FAILED if page.error else DONE


def lines(page: FetchedPage, with_headers: bool, with_curl: bool) -> Iterator[str]:
    """Format the page: the curl command, each hop, and the result."""
    if with_curl:
        yield page.curl
    for hop in page.hops:
        yield from _hop(hop, with_headers)
    yield from page.notes
    if page.error:
        yield f"failed: {page.error}"
        if page.retries:
            yield f"retries: {page.retries}"
    else:
        charset = f", charset {page.charset}" if page.charset else ""
        loader = f", loaded by {page.loader}" if page.loader else ""
        size = f"{number(page.size_bytes)} bytes{loader}"
        yield f"page: {page.content_type or 'no content type'}{charset}, {size}"


def _hop(hop: Hop, with_headers: bool) -> Iterator[str]:
    times = ", ".join(f"{name} {ms:g}" for name, ms in hop.ms.items() if ms)
    address = f" from {hop.address}" if hop.address else ""
    version = f" over {hop.version}" if hop.version else ""
    from scoopi.model.report.fetched_page import BY_LOADER

    status = hop.status or ("unknown" if hop.purpose == BY_LOADER else "no response")
    purpose = "" if hop.purpose == "page" else f"  [{hop.purpose}]"
    sent = f"{status}  {hop.method} {hop.url}{purpose}"
    yield f"{sent}  {number(hop.size_bytes)} bytes{address}{version}  (ms: {times})"
    if with_headers:
        yield from (f"  > {name}: {value}" for name, value in hop.request)
        yield from (f"  < {name}: {value}" for name, value in hop.response)


VERB: Verb = Fetch()
