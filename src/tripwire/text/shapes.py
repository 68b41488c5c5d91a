"""What a token is by its shape: address, IBAN, e-mail, URL, phone, date, id (gateway.md P-2).

Every pattern is anchored and possessive, so that it reads a token once.
"""

from __future__ import annotations

import functools
import hashlib
import re

import ada_url

_HEX = re.compile(r"0[xX][0-9a-fA-F]{1,128}+|[0-9a-fA-F]{40,128}+")
_IBAN = re.compile(r"[A-Za-z]{2}\d{2}[A-Za-z0-9]{11,30}")
_IBAN_WIDE = re.compile(
    r"[A-Za-z]{2}\d{2}(?:[ \u066c][A-Za-z0-9]{4}){2,7}+"
    r"(?:[ \u066c][A-Za-z0-9]{1,3}(?![A-Za-z0-9]))?"
)
_PHONE_WIDE = re.compile(r"(?:\+|00)\d{1,3}(?:[ ./-]?\(?\d{1,5}\)?){1,7}+")
_DATE_WIDE = re.compile(
    r"(?P<d>\d{1,2})(?:st|nd|rd|th|\.)?+ (?:de |of )?(?P<m>[^\W\d_]{3,9}+)\.?,?"
    r" (?:de )?(?P<y>(?:19|20)\d\d)(?!\d)"
)
_BASE58 = frozenset("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BECH32 = re.compile(
    r"(?:bc|tb|ltc|addr|cosmos|osmo|lnbc|bnb|stake|npub)1[02-9ac-hj-np-z]{8,100}", re.IGNORECASE
)
_EMAIL = re.compile(
    r"(?:mailto:)?(?P<local>[\w.!#$%&*+/=?^~-]{1,64}+)@(?P<host>[\w-]{1,63}+(?:\.[\w-]{1,63}+){1,8}+)"
)
_ISO_DATE = re.compile(
    r"(?P<y>(?:19|20)\d\d)[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?:[T_]\d{1,2}:?\d{0,2}[\d:.]*(?:Z|[+-]\d\d:?\d\d)?)?"
)
_LOCAL_DATE = re.compile(r"(?P<a>\d{1,2})(?P<s>[-/.])(?P<b>\d{1,2})(?P=s)(?P<y>(?:19|20)\d\d)")
_TIME = re.compile(
    r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:[aApP]\.?[mM]\.?)?(?:Z|[+-]\d\d:?\d\d)?"
)
_DOTTED = re.compile(r"[vV]?\d+(?:\.\d+){2,}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,31}$")
_URL_STOP = ".,:;!?…'\"*_~"
_ID = re.compile(r"#?[\w./\\@+~-]*[^\W_][\w./\\@+~-]*")
_DIGIT = re.compile(r"\d")
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan ene gen januar january janvier enero gennaio januari",
            "feb fév february februar février febrero febbraio februari",
            "mar mär march märz mars marzo maart",
            "apr abr avr april avril abril aprile",
            "may mai mayo maggio mag mei",
            "jun june juni juin junio giugno giu",
            "jul july juli juillet julio luglio lug juil",
            "aug august août agosto ago augustus",
            "sep sept september septembre septiembre settembre",
            "oct okt october oktober octobre octubre ottobre ott",
            "nov november novembre noviembre",
            "dec dez déc dic december dezember décembre diciembre dicembre",
        ),
        1,
    )
    for name in names.split()
}
_ID_KEY = re.compile(
    r"(?:^|[_\s-])(?:id|ids|account|acct|iban|bic|number|no|nr|num|ref|reference|code|zip|postal|postcode|plz|po|"
    r"order|invoice|phone|tel|konto|cuenta|compte|ticket|sku|version|year|page|port|index|seq)s?$",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def month(word: str) -> int:
    """The number of the month a word names, in several languages; 0 for none."""
    return _MONTHS.get(word.strip(".").casefold(), 0)


@functools.lru_cache(maxsize=4096)
def labelled_key(key: str) -> bool:
    """Whether the name of a field says that its digits identify and do not count."""
    return bool(key) and bool(_ID_KEY.search(_CAMEL.sub("_", key)))


def typed(piece: str) -> tuple[str, str] | None:
    """Kind and normal form of a token that is no number, URL or plain id."""
    first = piece[0]
    if "@" in piece:
        mail = _EMAIL.fullmatch(piece)
        return ("email", f"{mail['local']}@{mail['host'].lower()}") if mail else None
    if first in "0123456789abcdefABCDEF" and _HEX.fullmatch(piece):
        return _hex(piece)
    if len(piece) >= 15 and _IBAN.fullmatch(piece):
        return ("iban", piece.upper()) if iban_valid(piece) else ("id", piece)
    if len(piece) >= 14 and _BECH32.fullmatch(piece) and piece in (piece.lower(), piece.upper()):
        return ("address", piece)
    if 26 <= len(piece) <= 48 and _BASE58.issuperset(piece) and _base58_like(piece):
        return ("address", piece)
    if first.isdecimal() or first in "vV":
        return _dated(piece)
    if first == "+" and (phone := _phone(piece)):
        return ("phone", phone)
    return None


def wide(text: str, start: int, end: int) -> tuple[str, str, int] | None:
    """A value that spans several chunks: a spaced IBAN or phone number, a date in words."""
    first = text[start]
    if first.isalpha() and end - start == 4 and (found := _IBAN_WIDE.match(text, start)):
        joined = found[0].replace(" ", "").replace("\u066c", "").upper()
        return ("iban", joined, found.end()) if iban_valid(joined) else _shorter(found[0], start)
    if first in "+0" and (found := _PHONE_WIDE.match(text, start)):
        phone = _phone(found[0])
        return ("phone", phone, found.end()) if phone else None
    dated = _DATE_WIDE.match(text, start) if first.isdecimal() and end - start <= 5 else None
    if dated is not None and (number := month(dated["m"])):
        return ("date", f"{dated['y']}-{number:02}-{int(dated['d']):02}", dated.end())
    return None


def _shorter(spaced: str, start: int) -> tuple[str, str, int] | None:
    """The longest run of whole groups that is an IBAN: prose may follow without a break."""
    groups = spaced.split(" ")
    for count in range(len(groups) - 1, 3, -1):
        joined = "".join(groups[:count]).upper()
        if iban_valid(joined):
            return ("iban", joined, start + len(" ".join(groups[:count])))
    return None


_LETTER_DIGITS = {ord(char): str(int(char, 36)) for char in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def iban_valid(text: str) -> bool:
    """The check digits of an IBAN (ISO 7064 mod 97-10)."""
    moved = text[4:] + text[:4]
    if not (15 <= len(text) <= 34 and moved.isalnum() and moved.isascii()):
        return False
    return int(moved.upper().translate(_LETTER_DIGITS)) % 97 == 1


def _hex(piece: str) -> tuple[str, str]:
    digits = piece[2:] if piece[1:2] in "xX" else piece
    if len(digits) < 40:
        return ("address", f"0x{digits.lower()}")
    return ("address", digits.lower())


def _base58_like(piece: str) -> bool:
    """Version byte and checksum hold, or mixed case and digits without a word in it."""
    if piece[0] in "123mn":
        return _base58check(piece)
    return False


def _base58check(piece: str) -> bool:
    value = 0
    for char in piece:
        value = value * 58 + _ALPHABET.index(char)
    zeros = len(piece) - len(piece.lstrip("1"))
    raw = b"\0" * zeros + value.to_bytes((value.bit_length() + 7) // 8, "big")
    if len(raw) < 5:
        return False
    check = hashlib.sha256(hashlib.sha256(raw[:-4]).digest()).digest()[:4]
    return check == raw[-4:]


def _dated(piece: str) -> tuple[str, str] | None:
    if found := _ISO_DATE.fullmatch(piece):
        return ("date", f"{found['y']}-{int(found['m']):02}-{int(found['d']):02}")
    if found := _LOCAL_DATE.fullmatch(piece):
        a, b = int(found["a"]), int(found["b"])
        day, month = (a, b) if found["s"] == "." or a > 12 else (b, a)
        return ("date", f"{found['y']}-{month:02}-{day:02}")
    if _TIME.fullmatch(piece):
        return ("time", piece)
    if _DOTTED.fullmatch(piece) and not _groups_of_three(piece):
        return ("id", piece)
    return None


def _groups_of_three(piece: str) -> bool:
    parts = piece.split(".")
    return 1 <= len(parts[0]) <= 3 and parts[0].isdecimal() and all(len(p) == 3 for p in parts[1:])


def _phone(piece: str) -> str:
    digits = re.sub(r"\D", "", piece)
    if piece.startswith("00"):
        digits = digits[2:]
    return f"+{digits}" if 8 <= len(digits) <= 15 else ""


def is_id(piece: str) -> bool:
    """A token with a digit and a letter or mark: `K-20`, `#345`, `ord_17`, `a/b1`."""
    return bool(_DIGIT.search(piece) and not piece.isdecimal() and _ID.fullmatch(piece))


def scheme_start(text: str, start: int, mark: int) -> int | None:
    """Where the scheme before `://` at `mark` begins."""
    found = _SCHEME.search(text, max(start, mark - 32), mark)
    return found.start() if found else None


def url_end(text: str, mark: int, end: int) -> int:
    """The end of a URL in `text[..:end]` without the punctuation of its sentence."""
    while end > mark + 3 and text[end - 1] in _URL_STOP:
        end -= 1
    return end


_PLAIN_URL = re.compile(
    r"https?://(?!xn--)[a-z0-9-]{1,63}(?:\.(?!xn--)[a-z0-9-]{1,63}){0,8}\.[a-z]{2,24}"
    r"(?P<path>(?:/[A-Za-z0-9_-][A-Za-z0-9_.-]*+)*+/?)(?:\?[A-Za-z0-9_=&.,-]*+)?"
)
"""URLs that are their own serialisation, but for the slash of an empty path."""


def url(text: str) -> str:
    """The WHATWG serialisation; "" if two readings disagree on the host."""
    plain_url = _PLAIN_URL.fullmatch(text)
    if plain_url is not None and plain_url["path"]:
        return text
    try:
        parsed = ada_url.URL(text)
    except ValueError:
        return ""
    plain = text.split("://", 1)[1]
    for mark in "/?#\\":
        plain = plain.split(mark, 1)[0]
    host = plain.rpartition("@")[2].lower()
    hostname = parsed.hostname
    if "\\" in text or (hostname and _bare(hostname) != _bare(host)):
        return ""
    return str(parsed.href)


def _bare(host: str) -> str:
    """Host without port, for comparing; IDNA forms are compared as given."""
    name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
    try:
        return name.encode("idna").decode("ascii") if not name.isascii() else name
    except UnicodeError:
        return name
