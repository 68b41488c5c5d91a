"""Simple folding agrees with RE2's case-insensitive matching, on which the verification rests."""

from __future__ import annotations

from collections import defaultdict

import re2

from tripwire.text.case_fold import simple_fold


def test_length_stays():
    for text in ("İstanbul", "STRASSE ẞ", "ΣΊΣΥΦΟΣ", "ŉǰΐΰև", "\ufb05\ufb06", "日本"):
        assert len(simple_fold(text)) == len(text)
        assert simple_fold(simple_fold(text)) == simple_fold(text)


def test_what_re2_takes_for_the_same_folds_the_same():
    options = re2.Options()
    options.case_sensitive = False
    seen = defaultdict(set)
    for code in range(0x1E944):
        if 0xD800 <= code < 0xE000:
            continue
        char = chr(code)
        if char.casefold() != char or char.lower() != char or char.upper() != char:
            seen[char.casefold()].add(char)
            seen[char.casefold()].update({char.lower(), char.upper()})
    for group in seen.values():
        chars = sorted(char for char in group if len(char) == 1)
        for first in chars:
            same = re2.compile(re2.escape(first), options)
            for other in chars:
                if same.fullmatch(other):
                    assert simple_fold(first) == simple_fold(other), (first, other)
