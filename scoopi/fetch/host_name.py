"""Host names: a name as written -> the ASCII name that is looked up, as browsers do it."""

from __future__ import annotations

import re
import unicodedata

_FORBIDDEN = re.compile(r"[\x00-\x20\"#%/:<>?@\[\\\]^`{|}\x7f]")
_DOTS = re.compile("[\u3002\uff0e\uff61]")
LONGEST_LABEL = 63


def ascii_host(host: str) -> str:
    """The host in lower case, other scripts in punycode; an IPv6 address keeps its brackets.

    Follows the URL standard's host parser for names that are valid: compatibility characters are
    folded (NFKC), `ß` and the like are kept (non-transitional).

    Raises:
        ValueError: the name holds a character that no host has, or a label is empty or too long.
    """
    if host.startswith("["):
        return host.lower()
    # Folded before it is parted: some characters stand for dots.
    labels = [_ascii_label(label) for label in _DOTS.sub(".", _folded(host)).split(".")]
    name = ".".join(labels)
    found = _FORBIDDEN.search(name)
    if found:
        raise ValueError(f"{found[0]!r} cannot stand in a host name")
    if not all(labels[:-1]) or name in ("", "."):
        raise ValueError("a part of the name between dots is empty")
    return name


def _folded(host: str) -> str:
    # Folding once more after NFKC: some compatibility characters stand for capitals.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", host.lower()).lower())
    return folded.replace("\u00ad", "").replace("\u200b", "").replace("\ufeff", "")


def _ascii_label(label: str) -> str:
    name = label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii")
    if len(name) > LONGEST_LABEL:
        raise ValueError(f"a part of the name is longer than {LONGEST_LABEL} characters")
    return name
