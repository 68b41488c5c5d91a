"""Receipts: what was really sent and got, with an HMAC (gateway.md §2).

Raw values stand in a receipt, except recognised secrets: those are replaced by salted commitments
before anything is persisted (gateway.md E-6), and their values go to `secrets.enc`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

import orjson

from tripwire.errors import EvidenceUnavailable
from tripwire.ledger import codec
from tripwire.ledger.keys import SessionKeys, mac, sha256
from tripwire.ledger.pack import Packed, is_deep, joined, pack, unpack
from tripwire.model.event import Event, IntentDeclared, ToolCall, ToolResult, UserSaid
from tripwire.text.canonical import MAX_DEPTH, canonical_bytes
from tripwire.text.plausible import MIN_CHARS, key_name, strong_name
from tripwire.text.secrets import SecretSpan, find, possible

Receipted = UserSaid | IntentDeclared | ToolResult
Spans = Callable[[str, str], Iterable[tuple[int, int]]]
"""Where the secrets of a text are, `[start, end)` in code points; second comes the text's key."""

_SHORTEST = 4
_NUMBER = " number"
_NUMBERS = f"‹secret{_NUMBER}:"
_SHORTEST_KEY = 12
_HASH = re.compile(r"[0-9a-f]{64}")
_OWN_TOOLS = {"UserSaid": "tripwire__user_message", "IntentDeclared": "tripwire__declare_intent"}


@dataclass(frozen=True, slots=True)
class Receipt:
    """One line of receipts.jsonl and what the audit says of it."""

    seq: int
    line: bytes
    args_hash: str
    result_hash: str
    line_hash: str
    secrets: tuple[tuple[str, str], ...] = ()
    """(commitment as it stands in the receipt, the secret): for `secrets.enc` alone."""


@dataclass(slots=True)
class Cover:
    """Replaces the secrets of one record by commitments, and remembers which."""

    keys: SessionKeys
    scope: str
    found: list[tuple[str, str]] = field(default_factory=list)
    shortest: int = _SHORTEST
    """Characters under which a text is not looked at; no credential is shorter."""

    def value(self, value: object, spans: Spans, name: str = "") -> object:
        """`value` without its secrets; the very same object if it has none."""
        if spans is nothing:
            return value
        if isinstance(value, str):
            return self._text(value, spans, name)
        if isinstance(value, Mapping):
            items = [
                (k, self._key(k), item, self.value(item, spans, k)) for k, item in value.items()
            ]
            same = all(a is b and c is d for a, b, c, d in items)
            return value if same else {b: d for _, b, _, d in items}
        if isinstance(value, list | tuple):
            covered = [self.value(item, spans, name) for item in value]
            return value if all(map(_is, covered, value)) else covered
        if name and isinstance(value, int | float) and not isinstance(value, bool):
            return self._number(value, spans, name)
        return value

    def result(self, value: object, spans: Spans, redacted: Spans | None) -> object:
        """A result without its secrets, and then without what the operator names, however short."""
        covered = self.value(value, spans)
        if redacted is None:
            return covered
        self.shortest = 1
        try:
            return self.value(covered, redacted)
        finally:
            self.shortest = _SHORTEST

    def _number(self, value: float, spans: Spans, name: str) -> object:
        text = repr(value)
        return self._commit(text, _NUMBER) if any(True for _ in spans(text, name)) else value

    def _key(self, key: str) -> str:
        # A short word cannot hold a credential, and nearly every key is one.
        if not isinstance(key, str):
            raise EvidenceUnavailable(
                f"an object key is a {type(key).__name__} and cannot be recorded",
                fix="Send plain JSON: keys are text.",
            )
        return key if len(key) < _SHORTEST_KEY else self._text(key, secret_spans, "")

    def _text(self, text: str, spans: Spans, name: str) -> str:
        if len(text) < self.shortest:
            return text
        pieces, done = [], 0
        for start, end in sorted(spans(text, name)):
            if end <= done:
                continue
            begin = max(start, done)
            pieces += [text[done:begin], self._commit(text[begin:end])]
            done = end
        return "".join([*pieces, text[done:]]) if pieces else text

    def _commit(self, secret: str, mark: str = "") -> str:
        number = f"{self.scope}:{len(self.found)}".encode()
        salt = mac(self.keys.commitment, number)
        digest = sha256(salt + secret.encode("utf-8", "surrogatepass"))
        token = f"‹secret{mark}:{digest[:32]}›"
        self.found.append((token, secret))
        return token


@dataclass(slots=True)
class Texts:
    """Every text of a record and every key, for one look over all instead of one at each."""

    texts: list[str] = field(default_factory=list)
    telling: bool = False
    """A key says that what stands under it is a credential."""

    def add(self, value: object) -> None:
        """Gather the texts of a JSON value; recordable values only, so the depth is bounded."""
        if isinstance(value, str):
            self.texts.append(value)
        elif isinstance(value, list | tuple):
            for item in value:
                self.add(item)
        elif isinstance(value, dict) or isinstance(value, Mapping):  # noqa: SIM101 — far cheaper
            for key, item in value.items():
                self.texts.append(str(key))
                self.telling = self.telling or names_a_secret(str(key))
                self.add(item)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self.texts.append(repr(value))


def nothing(text: str, name: str = "") -> Iterable[tuple[int, int]]:  # noqa: ARG001 - as Spans
    """The spans of a record that holds no secret at all."""
    return ()


def holds_nothing(
    event: Receipted,
    known: Callable[[str], Iterable[SecretSpan]] | None,
    call: Mapping[str, object] | None = None,
) -> bool:
    """Whether no text of `event`, alone or under its key, can be covered: one look over all.

    `call` is `call_of(event)`, if that is at hand.
    What is found in a text is found in all of them together, line by line (`secrets.possible`).
    """
    held = Texts()
    for value in (_args(event), getattr(event, "result", None), call or call_of(event)):
        held.add(value)
    whole = "\n".join(held.texts)
    if held.telling or possible((whole,)):
        return False
    return known is None or not any(True for _ in known(whole))


@lru_cache(maxsize=4096)
def names_a_secret(key: str) -> bool:
    """Whether a value may be a credential because it stands under this key."""
    return strong_name(key) or key_name(key)


def uncovered(value: object, secrets: Iterable[tuple[str, str]]) -> object:
    """The value with its secrets again."""
    pairs = list(secrets)
    return _uncover(value, pairs) if pairs else value


def _uncover(value: object, pairs: list[tuple[str, str]]) -> object:
    if isinstance(value, str):
        for token, secret in pairs:
            if value == token and token.startswith(_NUMBERS):
                return json.loads(secret)
            value = value.replace(token, secret)
        return value
    if isinstance(value, Mapping):
        return {_uncover(key, pairs): _uncover(item, pairs) for key, item in value.items()}
    if isinstance(value, list):
        return [_uncover(item, pairs) for item in value]
    return value


def _is(left: object, right: object) -> bool:
    return left is right


def build(
    event: Receipted,
    *,
    session: str,
    seq: int,
    ts: str,
    keys: SessionKeys,
    spans: Spans,
    around: Spans | None = None,
    call: Mapping[str, object] | None = None,
    redacted: Spans | None = None,
) -> Receipt:
    """The receipt number `seq` of `event`; `call` is `call_of(event)`, if that is at hand.

    `spans` finds what to cover in its result, `around` in the rest (default: credentials),
    `redacted` what the operator names in the result.
    Raises EvidenceUnavailable for arguments that no JSON text can hold.
    """
    cover, around = Cover(keys, f"receipt:{seq}"), around or secret_spans
    packed_args = pack(cover.value(_args(event), around))
    packed_result = pack(cover.result(getattr(event, "result", None), spans, redacted))
    packed_call = pack(cover.value(call or call_of(event), around))
    result_hash, omitted = _result_hash(event, packed_result)
    plain = _around(event, session, seq, ts, packed_args.digest, result_hash)
    if omitted:
        plain["result_omitted"] = canonical_bytes(omitted)
    if cover.found:
        plain["secrets"] = b"%d" % len(cover.found)
    pieces = {"args": packed_args, "result": packed_result, "call": packed_call}
    line, found = _signed(plain, pieces, keys.receipt), tuple(cover.found)
    return Receipt(seq, line + b"\n", packed_args.digest, result_hash, sha256(line), found)


def _around(
    event: Receipted, session: str, seq: int, ts: str, args_hash: str, result_hash: str
) -> dict[str, bytes]:
    """The members of a receipt that are not values, as JSON."""
    tool, upstream = map(_quoted, _names(event))
    return {
        "args_hash": b'"%s"' % args_hash.encode(),
        "kind": b'"%s"' % type(event).__name__.encode(),
        "result_hash": b'"%s"' % result_hash.encode(),
        "seq": b"%d" % seq,
        "session": b'"%s"' % session.encode(),
        "tool": tool,
        "ts": b'"%s"' % ts.encode(),
        "upstream": upstream,
        "v": b"1",
    }


def _signed(plain: dict[str, bytes], pieces: Mapping[str, Packed], key: bytes) -> bytes:
    """The line without its end; its HMAC covers the canonical form."""
    if plain.keys() == _USUAL and not any(piece.suffix for piece in pieces.values()):
        return _usual(plain, pieces, key)
    covered, line = dict(plain), plain
    for name, piece in pieces.items():
        line[name + piece.suffix], covered[name + piece.suffix] = piece.line, piece.canonical
    line["hmac"] = b'"%s"' % mac(key, joined(covered)).hex().encode()
    return joined(line)


def _usual(plain: Mapping[str, bytes], pieces: Mapping[str, Packed], key: bytes) -> bytes:
    """The same in one step for the members that nearly every receipt has."""
    known: dict[bytes, bytes] = {name.encode(): value for name, value in plain.items()}
    covered = {**known, b"hmac": b""}
    line = known
    for name, piece in pieces.items():
        covered[name.encode()], line[name.encode()] = piece.canonical, piece.line
    line[b"hmac"] = b'"hmac":"%s",' % mac(key, _SHAPE % covered).hex().encode()
    return _SHAPE % line


_USUAL = frozenset(
    ("args_hash", "kind", "result_hash", "seq", "session", "tool", "ts", "upstream", "v")
)
_SHAPE = (
    b'{"args":%(args)s,"args_hash":%(args_hash)s,"call":%(call)s,%(hmac)s"kind":%(kind)s,'
    b'"result":%(result)s,"result_hash":%(result_hash)s,"seq":%(seq)s,"session":%(session)s,'
    b'"tool":%(tool)s,"ts":%(ts)s,"upstream":%(upstream)s,"v":%(v)s}'
)
"""`joined` of those members, keys sorted."""


def event_of(fields: Mapping[str, object], secrets: Iterable[tuple[str, str]] = ()) -> Event:
    """The event a receipt was written for, equal to the one that was learnt."""
    pairs = list(secrets)
    kind = str(fields["kind"])
    call = uncovered(unpack(fields, "call"), pairs)
    args = uncovered(unpack(fields, "args"), pairs)
    if not isinstance(call, dict) or not isinstance(args, dict):
        raise TypeError("a receipt holds no call")
    if kind != "ToolResult":
        return codec.event_of(kind, {**call, **args})
    return codec.event_of(kind, call, args=args, result=uncovered(unpack(fields, "result"), pairs))


def mac_of(fields: Mapping[str, object], keys: SessionKeys) -> str:
    """The HMAC that belongs to a receipt's fields (its own `hmac` left out)."""
    pieces = {key: canonical_bytes(value) for key, value in fields.items() if key != "hmac"}
    return mac(keys.receipt, joined(pieces)).hex()


def genuine(fields: Mapping[str, object], keys: SessionKeys) -> bool:
    """Whether the HMAC in a receipt's fields is theirs."""
    said = fields.get("hmac")
    rest = {key: value for key, value in fields.items() if key != "hmac"}
    # Nearly always the canonical form; bytes with our HMAC are believed whatever made them.
    quick = orjson.dumps(rest, option=orjson.OPT_SORT_KEYS)
    return mac(keys.receipt, quick).hex() == said or mac_of(fields, keys) == said


def _args(event: Receipted) -> Mapping[str, object]:
    if isinstance(event, ToolResult):
        return event.args
    if isinstance(event, UserSaid):
        return {"text": event.text}
    return {"goal": event.goal, "plan_summary": event.plan_summary}


def call_of(event: Receipted) -> dict[str, object]:
    """What a receipt says of the call besides its arguments and its result."""
    known = codec.facts(event)
    for name in ("text", "goal", "plan_summary"):
        known.pop(name, None)
    return known


@lru_cache(maxsize=1024)
def _quoted(name: str) -> bytes:
    return canonical_bytes(name)


def _names(event: Receipted) -> tuple[str, str]:
    """Tool and upstream, as a reader sees them."""
    if isinstance(event, ToolResult):
        return printable(event.exposed), printable(event.source)
    return _OWN_TOOLS[type(event).__name__], "tripwire"


def _result_hash(event: Receipted, packed: Packed) -> tuple[str, dict[str, object]]:
    """The hash over what is persisted, and what is said of a result that was left out."""
    if not (isinstance(event, ToolResult) and event.omitted):
        return packed.digest, {}
    known = _HASH.fullmatch(event.omitted_sha256) is not None
    digest = event.omitted_sha256 if known else ""
    return digest or packed.digest, {
        "reason": printable(event.omitted),
        "bytes": event.omitted_bytes,
        "sha256_raw": digest,
    }


def secret_spans(text: str, name: str = "") -> Iterable[tuple[int, int]]:
    """Where any text holds credentials (flow.md DLP-1)."""
    if len(text) < MIN_CHARS:
        return ()
    return [(span.start, span.end) for span in find(text, name=name)]


def source_spans(text: str, name: str = "") -> Iterable[tuple[int, int]]:
    """The same for a text from a place that holds credentials (flow.md DLP-2)."""
    spans = find(text, secret_source=True, name=name)
    return [(span.start, span.end) for span in spans] + list(secret_spans(text, name))


def with_known(spans: Spans, known: Callable[[str], Iterable[SecretSpan]]) -> Spans:
    """The same, and where the values of known secrets stand as they are."""

    def found(text: str, name: str = "") -> Iterable[tuple[int, int]]:
        return [*spans(text, name), *((span.start, span.end) for span in known(text))]

    return found


def printable(text: str) -> str:
    """`text` without lone surrogates, so that RFC 8785 can express it."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def recordable(event: Event) -> Event:
    """The event as it can be recorded: a result nested too deep is left out (gateway.md §7).

    Raises EvidenceUnavailable for arguments nested too deep.
    """
    if isinstance(event, ToolCall | ToolResult) and is_deep(event.args):
        raise EvidenceUnavailable(
            f"arguments nested deeper than {MAX_DEPTH} levels cannot be recorded",
            fix="Send flatter arguments.",
        )
    if isinstance(event, ToolResult) and is_deep(event.result):
        return replace(event, result=None, omitted=event.omitted or "depth")
    return event
