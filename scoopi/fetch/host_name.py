"""Host names: turns a name as written into the ASCII name that is looked up, as browsers do."""

from __future__ import annotations

import re
import unicodedata

_FORBIDDEN = re.compile(r"[\x00-\x20\"#%/:<>?@\[\\\]^`{|}\x7f]")
_DOTS = re.compile("[\u3002\uff0e\uff61]")
LONGEST_LABEL = 63


def ascii_host(host: str) -> str:
    """The host in lower case, with other scripts in punycode; an IPv6 address keeps its brackets.

    Follows the host parser of the URL standard for valid names: compatibility characters are folded (NFKC),
    `ß` and the like are kept (non-transitional).

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


def _folded(host: str) -> str:
    # Lower-case again after NFKC: some compatibility characters fold to capitals.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", host.lower()).lower())
    return folded.replace("\u00ad", "").replace("\u200b", "").replace("\ufeff", "")


def _ascii_label(label: str) -> str:
    name = label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii")
    if len(name) > LONGEST_LABEL:
        raise ValueError(f"a part of the name is longer than {LONGEST_LABEL} characters")
    return name
