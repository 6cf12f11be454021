"""is_blank: tests for white space as Java does, which counts fewer characters as such than Python."""

from __future__ import annotations

JAVA_BLANKS = (
    "\t\n\x0b\f\r\x1c\x1d\x1e\x1f \u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
    "\u2008\u2009\u200a\u2028\u2029\u205f\u3000"
)
"""Characters that `Character.isWhitespace` accepts, without U+00A0, U+2007 and U+202F."""

JAVA_TRIMMED = "".join(map(chr, range(0x21)))
"""Characters that `String.trim` removes."""


def is_blank(text: str) -> bool:
    r"""Whether the text is empty or consists of Java's white space.

    >>> is_blank(" \t"), is_blank("\u00a0")
    (True, False)
    """
    return not text.strip(JAVA_BLANKS)
