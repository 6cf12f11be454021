"""Host names: the canonical spelling of a host, by which it is resolved and compared."""

from __future__ import annotations

import re
import socket
import unicodedata
from ipaddress import IPv6Address, ip_address

_FORBIDDEN = re.compile(r"[\x00-\x20\"#%/:<>?@\[\\\]^`{|}\x7f]")
_DOTS = re.compile("[\u3002\uff0e\uff61]")
LONGEST_LABEL = 63
_NUMBER = re.compile(r"\d+|0[xX][0-9A-Fa-f]*")
LARGEST_PORT = 65_535
_PATTERN = re.compile(r"(\[[0-9A-Fa-f:.*]+\]|[^:/@\[\]]+)(:\d{1,5})?")


def ascii_host(host: str) -> str:
    """Return the host in lower case, with non-ASCII labels in Punycode; an IPv6 address keeps its brackets.

    Valid names are processed as by the host parser of the URL Standard: compatibility characters are folded
    (NFKC), and `ß` and the like are kept (non-transitional).

    >>> ascii_host("Bücher.Example")
    'xn--bcher-kva.example'

    Raises:
        ValueError: the name has a forbidden character, or a label that is empty or too long.
    """
    if host.startswith("["):
        return host.lower()
    # Fold before splitting: some characters fold to dots.
    labels = [_ascii_label(label) for label in _DOTS.sub(".", _folded(host)).split(".")]
    name = ".".join(labels)
    found = _FORBIDDEN.search(name)
    if found:
        raise ValueError(f"{found[0]!r} is not allowed in a host name")
    if not all(labels[:-1]) or name in ("", "."):
        raise ValueError("a part of the name between dots is empty")
    return name


def canonical_host(host: str) -> str:
    """Return the canonical spelling of an IP address in any form; other names are unchanged.

    >>> canonical_host("0x7f.1"), canonical_host("[::FFFF:0:1]"), canonical_host("a.example.")
    ('127.0.0.1', '[::ffff:0:1]', 'a.example.')

    Raises:
        ValueError: the last label is a number, but the host is not a valid IPv4 address.
    """
    if host.startswith("["):
        return f"[{ip_address(host[1:-1]).compressed}]"
    name = host.removesuffix(".")
    if not _NUMBER.fullmatch(name[name.rfind(".") + 1 :]):
        return host
    try:
        return socket.inet_ntoa(socket.inet_aton(name))
    except OSError:
        raise ValueError("it is not a valid IPv4 address") from None


def host_key(host: str, port: int) -> str:
    """Return the key of a host for its pace, its robots.txt and its settings: `host:port`.

    >>> host_key("a.example.", 80), host_key("[::ffff:7f00:1]", 81)
    ('a.example:80', '127.0.0.1:81')

    Args:
        host: as from `canonical_host`.
    """
    if host.startswith("["):
        inner = ip_address(host[1:-1])
        if isinstance(inner, IPv6Address) and inner.ipv4_mapped is not None:
            return f"{inner.ipv4_mapped}:{port}"
    return f"{host.removesuffix('.')}:{port}"


def host_pattern(text: str) -> str:
    """Return a pattern of hosts, spelled like the host keys that it is compared with; `*` is any characters.

    >>> host_pattern("*.Bücher.example:8080")
    '*.xn--bcher-kva.example:8080'
    >>> host_pattern("a.example."), host_pattern("0x7f.1:81"), host_pattern("[::FFFF:7f00:1]")
    ('a.example', '127.0.0.1:81', '127.0.0.1')

    Raises:
        ValueError: no host can have such a name.
    """
    found = _PATTERN.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is not a host pattern")
    host, port = found.groups()
    if port is not None and int(port[1:]) > LARGEST_PORT:
        raise ValueError(f"port {port[1:]} is above {LARGEST_PORT}")
    name = ascii_host(host)
    if not name.strip("*.") and name != "*":
        raise ValueError(f"{text!r} is not a host pattern: it names no host; all hosts are '*'")
    if "*" not in name:
        name = host_key(canonical_host(name), 0).rpartition(":")[0]
    return name.removesuffix(".") + (port or "")


def _folded(host: str) -> str:
    # Lower-case again after NFKC: some compatibility characters fold to capitals.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", host.lower()).lower())
    return folded.replace("\u00ad", "").replace("\u200b", "").replace("\ufeff", "")


def _ascii_label(label: str) -> str:
    name = label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii")
    if len(name) > LONGEST_LABEL:
        raise ValueError(f"a part of the name is longer than {LONGEST_LABEL} characters")
    return name
