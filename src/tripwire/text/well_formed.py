"""Text that RE2 can read: it takes UTF-8, which has no lone surrogates."""

import re

_LONE = re.compile("[\ud800-\udfff]")


def well_formed(text: str) -> str:
    """`text`, as long, with each lone surrogate replaced by U+FFFD."""
    return text if text.isascii() else _LONE.sub("\ufffd", text)
