"""host_of: the host whose grants an address needs."""

from __future__ import annotations

from scoopi.errors import FetchError
from scoopi.fetch.address import FILE_HOST, parse_address


def host_of(url: str) -> str:
    """In lower case, with its port; a wrong address needs no grant: its loader says what is wrong."""
    try:
        return parse_address(url).host
    except FetchError:
        return FILE_HOST
