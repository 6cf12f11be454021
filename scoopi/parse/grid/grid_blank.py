"""is_blank: what Java takes for blank, which is less than what Python does."""

from __future__ import annotations

JAVA_BLANKS = (
    "\t\n\x0b\f\r\x1c\x1d\x1e\x1f \u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
    "\u2008\u2009\u200a\u2028\u2029\u205f\u3000"
)
"""Java's whitespace; U+00A0, U+2007 and U+202F do not belong to it."""

JAVA_TRIMMED = "".join(map(chr, range(0x21)))
"""What Java's trim takes from both ends."""


def is_blank(text: str) -> bool:
    """Whether the text is empty or whitespace in Java's sense.

    Source: language, B 2.3.
    """
    return not text.strip(JAVA_BLANKS)
