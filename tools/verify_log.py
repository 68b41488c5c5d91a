#!/usr/bin/env python3
"""Check a Tripwire log with this one file: Python 3.9 or later, standard library, nothing else.

    python3 verify_log.py LOG [--pub KEY] [--anchor FILE]... [--keys-dir DIR] [--json]

LOG is a session directory or a state directory. KEY is the public key (`tripwire.local+id+base64`,
64 hex digits, or a file). With --keys-dir the secret keys are used too, and every MAC is checked.
Exit codes: 0 OK, 1 tampered, 2 unreadable, 3 incomplete. Imports nothing of Tripwire, on purpose:
it is a second reading of docs/reference/file-formats.md.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import hmac
import json
import re
import sys
from pathlib import Path

AUDIT, RECEIPTS, SECRETS, HEAD = "audit.jsonl", "receipts.jsonl", "secrets.enc", "head.json"
HEADS, CHECKPOINTS, APPROVALS = "heads.jsonl", "checkpoints.txt", "approvals.jsonl"
ZERO = "0" * 64
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


# ── Ed25519 (RFC 8032 §5.1), verification only: nothing secret is computed ───────────────────


def _point(data):
    """The point of 32 bytes, None if they are none."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


def _add(one, two):
    a = (one[1] - one[0]) * (two[1] - two[0]) % P
    b = (one[1] + one[0]) * (two[1] + two[0]) % P
    c, d = 2 * one[3] * two[3] * D % P, 2 * one[2] * two[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _times(number, point):
    found = (0, 1, 1, 0)
    while number:
        if number & 1:
            found = _add(found, point)
        point, number = _add(point, point), number >> 1
    return found


def verified(key, signature, message):
    """Whether an Ed25519 signature is good."""
    public, start = _point(key), _point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if public is None or start is None or s >= L or len(signature) != 64:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    base = _point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    left, right = _times(s, base), _add(start, _times(h, public))
    return all((left[n] * right[2] - right[n] * left[2]) % P == 0 for n in (0, 1))


# ── canonical JSON (RFC 8785), hashes, the tree (RFC 9162), keys (RFC 5869) ──────────────────


def _number(value):
    if value == 0:
        return "0"
    sign, text = ("-", repr(-value)) if value < 0 else ("", repr(value))
    digits, _, exponent = text.partition("e")
    whole, _, part = digits.partition(".")
    part = "" if part == "0" else part
    point = len(whole) + int(exponent or 0)
    found = (whole + part).lstrip("0")
    point -= len(whole + part) - len(found)
    found = found.rstrip("0")
    if 0 < point <= 21:
        shown = found.ljust(point, "0")
        return sign + (shown[:point] + ("." + shown[point:] if len(shown) > point else ""))
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + found
    rest = ("." + found[1:]) if len(found) > 1 else ""
    return f"{sign}{found[0]}{rest}e{'+' if point > 0 else ''}{point - 1}"


def canonical(value):
    """RFC 8785; integers beyond 2^53 stand as they are (ours never hold any)."""
    if isinstance(value, dict):
        order = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{canonical(k)}:{canonical(value[k])}" for k in order) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float):
        return _number(value)
    return json.dumps(value, ensure_ascii=False)


def _bytes(value):
    return canonical(value).encode("utf-8", "surrogatepass")


def _mac(key, value):
    return hmac.new(key, _bytes(value), hashlib.sha256).hexdigest()


def _hkdf(secret, info):
    extracted = hmac.new(bytes(32), secret, hashlib.sha256).digest()
    return hmac.new(extracted, info.encode() + b"\x01", hashlib.sha256).digest()


def _sha(data):
    return hashlib.sha256(data).hexdigest()


def tree_roots(lines, sizes):
    """The root at each size that the lines reach."""
    wanted, found, stack = {s for s in sizes if s <= len(lines)}, {}, []
    for size in range(len(lines) + 1):
        if size in wanted:
            root = stack[-1] if stack else hashlib.sha256(b"").digest()
            for left in reversed(stack[:-1]):
                root = hashlib.sha256(b"\x01" + left + root).digest()
            found[size] = root
        if size < len(lines):
            new, rest = hashlib.sha256(b"\x00" + lines[size]).digest(), size
            while rest & 1:
                new, rest = hashlib.sha256(b"\x01" + stack.pop() + new).digest(), rest >> 1
            stack.append(new)
    return found


# ── reading ──────────────────────────────────────────────────────────────────────────────────


def _read(path):
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _secret(directory, name):
    content = _read(directory / name) if directory else None
    return bytes.fromhex(content.decode().strip()) if content else None


def parse_key(text):
    """(name, 4-byte id, key) of a verifier key or 64 hex digits; None for any other text."""
    text = text.strip()
    try:
        if "+" not in text:
            name, key = "tripwire.local", bytes.fromhex(text)
        else:
            name, _, encoded = text.split("+", 2)
            key = base64.b64decode(encoded, validate=True)[1:]
        identity = hashlib.sha256(name.encode() + b"\n\x01" + key).digest()[:4]
        good = "+" not in text or identity.hex() == text.split("+", 2)[1]
    except ValueError:
        return None
    return (name, identity, key) if good and len(key) == 32 else None


def notes_of(content):
    """[(line, session, size, root, body, signatures)], and the lines that belong to no note."""
    lines, notes, strange, at = content.decode("utf-8", "replace").split("\n"), [], [], 0
    while at < len(lines):
        if not lines[at]:
            at += 1
            continue
        origin = re.fullmatch(r"([A-Za-z0-9][A-Za-z0-9.-]*)/sessions/([A-Za-z0-9._-]+)", lines[at])
        signatures, end = [], at + 4
        while end < len(lines) and lines[end].startswith("— "):
            signatures.append(lines[end][2:].split(" "))
            end += 1
        try:
            size, root = lines[at + 1], base64.b64decode(lines[at + 2], validate=True)
            good = origin and re.fullmatch("0|[1-9][0-9]{0,17}", size) and lines[at + 3] == ""
            found = [(n, base64.b64decode(b, validate=True)) for n, b in signatures]
            good = good and len(root) == 32 and found
        except (IndexError, ValueError):
            good = False
        if not good:
            strange.append(at + 1)
            at += 1
            continue
        body = "".join(line + "\n" for line in lines[at : at + 3]).encode()
        notes.append((at + 1, origin[2], int(size), root, body, found))
        at = end
    return notes, strange


# ── the checks ───────────────────────────────────────────────────────────────────────────────


def _entry(line, tip, key):
    """(entry or None, kind of fault or "", tip after the line or None)."""
    try:
        entry = json.loads(line)
        kinds = [type(entry[k]) for k in ("seq", "ts", "type", "data", "hash", "prev_hash")]
        form = len(entry) == 6 and _bytes(entry) == line
    except (ValueError, KeyError, TypeError):
        return None, "edited", None
    if kinds != [int, str, str, dict, str, str] or not form:
        return None, "edited", None
    if key and _mac(key, {k: v for k, v in entry.items() if k != "hash"}) != entry["hash"]:
        return None, "edited", None
    after = (entry["seq"], entry["hash"])
    if tip is None or (entry["seq"], entry["prev_hash"]) == (tip[0] + 1, tip[1]):
        return entry, "", after
    if entry["seq"] > tip[0] + 1:
        return entry, "gap", after
    return entry, "edited" if entry["seq"] == tip[0] + 1 else "reordered", after


class Check:
    """One session, or the shared files of a state directory: findings and what was left out."""

    def __init__(self, name, keys, trusted):
        self.name, self.keys, self.trusted = name, keys, trusted
        self.findings, self.unchecked = [], []
        self.entries, self.receipts, self.signed, self.covered = [], [], 0, 0
        self.heads_tip = (0, ZERO)

    def bad(self, kind, file, line, detail):
        """Add a finding."""
        self.findings.append({"kind": kind, "file": file, "line": line, "detail": detail})

    def lines(self, content, file):
        """The whole lines; an unfinished last one is named."""
        lines = (content or b"").split(b"\n")
        if lines.pop():
            self.unchecked.append(f"{file}:{len(lines) + 1} is unfinished")
        return lines

    def chain(self, content, file, key):
        """The entries of a chained file, None where a line is not genuine."""
        lines = self.lines(content, file)
        entries, faults, tip, due = [], {}, (0, ZERO), {}
        for number, line in enumerate(lines, 1):
            due[number] = tip[0] + 1 if tip else 0
            entry, kind, tip = _entry(line, tip, key)
            entries.append(entry)
            if kind:
                faults[number] = kind
        there = {e["seq"] for e in entries if e}
        start = len(lines) + 1
        while faults.get(start - 1) == "edited":
            start -= 1
        if len(lines) - start >= 1:
            faults = {n: k for n, k in faults.items() if n < start}
            faults[start] = "bad_mac"
        for number, kind in faults.items():
            moved = kind == "gap" and due[number] in there
            self.bad("reordered" if moved else kind, file, number, "the chain does not fit")
        return entries, lines

    def audit(self, content):
        """The lines of audit.jsonl; its entries are kept."""
        if content is None:
            self.bad("missing", AUDIT, 0, "the file is gone")
            return []
        self.entries, lines = self.chain(content, AUDIT, self.keys and self.keys["audit"])
        for number, entry in enumerate(self.entries, 1):
            data = entry["data"] if entry else {}
            if entry and entry["type"] == "state_reset" and "aside" in data.get("file", ""):
                self.bad("reset", AUDIT, number, "an earlier journal was set aside")
            if data.get("session") not in (None, self.name):
                self.bad("edited", AUDIT, number, "the entry belongs to another session")
        return lines

    def check_receipts(self, content):
        """Each receipt: its HMAC, its place, its entry in the audit."""
        if content is None:
            if self.entries:
                self.bad("missing", RECEIPTS, 0, "the file is gone")
            return
        named = {
            e["data"].get("receipt_sha256"): e["data"]["receipt_seq"]
            for e in self.entries
            if e and "receipt_seq" in e["data"]
        }
        for number, line in enumerate(self.lines(content, RECEIPTS), 1):
            digest = _sha(line)
            self.receipts.append(digest)
            seq = named.pop(digest, None)
            kind = self._receipt(line, number)
            if kind:
                self.bad(kind, RECEIPTS, number, "the receipt is not what was written here")
            elif seq is None and number in named.values():
                self.bad("edited", RECEIPTS, number, "it is not the receipt that the audit names")
            elif seq is None:
                self.unchecked.append(f"{RECEIPTS}:{number} has no entry in the audit (yet)")
            elif seq != number:
                self.bad("reordered", RECEIPTS, number, f"number {seq} where {number} is due")

    def _receipt(self, line, number):
        try:
            fields = json.loads(line)
            said, seq, session = fields.pop("hmac"), int(fields["seq"]), fields["session"]
            good = not self.keys or _mac(self.keys["receipt"], fields) == said
        except (ValueError, KeyError, TypeError, AttributeError):
            return "edited"
        if not good or session != self.name:
            return "edited"
        return "gap" if seq > number else "reordered" if seq < number else ""

    def links(self, secrets):
        """What ties audit, receipts and sealed records together."""
        sealed = {_sha(line) for line in (secrets or b"").split(b"\n") if line}
        known, attempts = set(self.receipts), {}
        attempts = {e["seq"]: 0 for e in self.entries if e and e["type"] == "tool_call_attempt"}
        for number, entry in enumerate(self.entries, 1):
            data = entry["data"] if entry else {}
            seq = data.get("receipt_seq")
            if seq is not None and data.get("receipt_sha256") not in known:
                spoilt = any((f["file"], f["line"]) == (RECEIPTS, seq) for f in self.findings)
                if seq > len(self.receipts):
                    self.bad("truncated", RECEIPTS, seq, f"{AUDIT}:{number} names it")
                elif not spoilt:
                    self.bad("edited", RECEIPTS, seq, f"not the one that {AUDIT}:{number} names")
            if "sealed" in data and data["sealed"]["sha256"] not in sealed:
                self.bad("truncated", SECRETS, 0, f"the record of {AUDIT}:{number} is gone")
            self._outcome(entry, data, number, attempts)

    def _outcome(self, entry, data, number, attempts):
        kinds = ("tool_call", "tool_call_failed", "tool_call_unknown_outcome")
        attempt = data.get("attempt_seq", 0)
        if not entry or entry["type"] not in kinds or not attempt:
            return
        if attempt not in attempts:
            if attempt > len(self.entries) or self.entries[attempt - 1] is not None:
                self.bad("edited", AUDIT, number, f"an outcome of {attempt}, which is no attempt")
            return
        weight = 1 if entry["type"] == kinds[2] else 2
        if attempts[attempt] >= weight:
            self.bad("edited", AUDIT, number, f"a second outcome of attempt {attempt}")
        attempts[attempt] += weight

    def head(self, content):
        """head.json: its MAC, and what it knows of the files."""
        if content is None:
            if self.entries:
                self.bad("missing", HEAD, 0, "the file is gone")
            return
        if not self.keys:
            return
        try:
            raw = json.loads(content)
            said = raw.pop("mac")
            whole = _bytes({**raw, "mac": said}) + b"\n"
            good = _mac(self.keys["head"], raw) == said and whole == content
        except (ValueError, KeyError, TypeError, AttributeError):
            good = False
        if not good or raw["session"] != self.name:
            self.bad("edited", HEAD, 1, "it does not fit its MAC or session")
            return
        self.heads_tip = (raw["heads"]["seq"], raw["heads"]["hash"])
        self.tips(raw, HEAD)

    def tips(self, record, source):
        """The files must reach what a head record says, with the same hashes."""
        last = max((e["seq"] for e in self.entries if e), default=0)
        hashes = [e["hash"] if e else None for e in self.entries]
        for file, tip, have, end in (
            (AUDIT, record["audit"], hashes, last),
            (RECEIPTS, record["receipts"], self.receipts, len(self.receipts)),
        ):
            spoilt = any(f["file"] == file for f in self.findings)
            if tip["seq"] > max(len(have), end):
                detail = f"{source} knows {tip['seq']} lines, the file has {len(have)}"
                self.bad("truncated", file, len(have) + 1, detail)
            elif tip["seq"] and not spoilt and have[tip["seq"] - 1] != tip["hash"]:
                self.bad("fork", file, tip["seq"], f"{source} knows another line")

    def heads(self, records, count):
        """heads.jsonl must reach what head.json knows; gives this session's records."""
        seq, known = self.heads_tip[0], {r["seq"]: r["hash"] for r in records}
        if seq > count:
            self.bad("truncated", HEADS, count + 1, f"{HEAD} of {self.name} knows {seq} lines")
        elif seq in known and known[seq] != self.heads_tip[1]:
            self.bad("fork", HEADS, seq, f"{HEAD} of {self.name} knows another line")
        mine = []
        for record in records:
            if record["data"].get("session") == self.name:
                mine = [record] if record["type"] == "reset" else [*mine, record]
        for record in mine:
            self.tips(record["data"], f"{HEADS}:{record['seq']}")
        return mine

    def checkpoints(self, own, mine, anchors, lines):
        """What `ledger/proofs.py` does: signatures, forks, and every root against the tree."""
        placed = self._own_notes(own, mine)
        for name, notes in anchors:
            those = [n for n in notes if n[1] == self.name]
            if not those:
                self.unchecked.append(f"{name} holds no checkpoint of this session")
            placed += [(name, n[0], n, False) for n in those]
        good = [p for p in placed if self._signed(p)]
        first = {}
        for file, line, note, _ in good:
            if first.setdefault(note[2], note[3]) != note[3]:
                self.bad("fork", file, line, f"another root for {note[2]} entries was signed too")
        roots = tree_roots(lines, [n[2] for _, _, n, _ in good])
        spoilt = any(f["file"] == AUDIT for f in self.findings)
        fits = [n[2] for _, _, n, _ in good if roots.get(n[2]) == n[3]]
        self.covered = max(fits, default=0)
        beyond = [p for p in good if p[2][2] > len(lines)]
        if beyond and not any(p[3] for p in beyond):
            self.bad("rollback", AUDIT, len(lines) + 1, "an anchor has a larger size")
        elif beyond and not any(
            (f["kind"], f["file"]) == ("truncated", AUDIT) for f in self.findings
        ):
            self.bad("truncated", AUDIT, len(lines) + 1, "a checkpoint has a larger size")
        wrong = [n[2] for _, _, n, _ in good if n[2] in roots and roots[n[2]] != n[3]]
        if wrong and not spoilt and self.keys:
            self.bad("fork", AUDIT, min(wrong), "a checkpoint was signed over another history")
        elif wrong and not spoilt:
            self.bad("edited", AUDIT, self.covered + 1, f"changed before line {min(wrong)}")
        if not self.keys and not self.signed:
            self.unchecked.append("signatures: no checkpoint that a trusted key signed")
        elif not self.keys and len(lines) > self.covered:
            self.unchecked.append(f"{len(lines) - self.covered} entries after the last checkpoint")

    def _own_notes(self, own, mine):
        notes, strange = notes_of(own or b"")
        last = max((n[0] for n in notes), default=0)
        if strange and strange[0] > last and not (own or b"").endswith(b"\n"):
            self.unchecked.append(f"{CHECKPOINTS}:{strange[0]} is unfinished")
        elif strange:
            self.bad("edited", CHECKPOINTS, strange[0], "the line belongs to no checkpoint")
        for before, note in zip(notes, notes[1:]):  # noqa: B905, RUF007  (Python 3.9 has neither)
            if note[2] < before[2]:
                self.bad("reordered", CHECKPOINTS, note[0], "a smaller one after a larger one")
        for note in notes:
            if note[1] != self.name:
                self.bad("edited", CHECKPOINTS, note[0], "it belongs to another session")
        listed = []
        for record in mine:
            text = record["data"].get("checkpoint")
            found, odd = notes_of(text.encode()) if text is not None else ([], [])
            if text is not None and (odd or len(found) != 1 or found[0][1] != self.name):
                self.bad("edited", HEADS, record["seq"], "its checkpoint is none of this session")
            elif found:
                listed.append((HEADS, record["seq"], found[0], True))
        most = max((p[2][2] for p in listed), default=-1)
        if own is None and listed:
            self.bad("missing", CHECKPOINTS, 0, "the file is gone")
        elif most > max((n[2] for n in notes), default=-1):
            line = len((own or b"").split(b"\n"))
            self.bad("truncated", CHECKPOINTS, line, f"{HEADS} has one of {most} entries")
        return [(CHECKPOINTS, n[0], n, True) for n in notes if n[1] == self.name] + listed

    def _signed(self, placed):
        if not self.trusted:
            return True
        file, line, note, _ = placed
        for name, blob in note[5]:
            for known in self.trusted:
                if (name, blob[:4]) == known[:2] and _cached(known[2], blob[4:], note[4]):
                    self.signed += 1
                    return True
        self.bad("bad_signature", file, line, "no trusted key has signed it")
        return False


_SEEN = {}


def _cached(key, signature, message):
    """Each note stands in several files, and a signature takes 10 ms here."""
    if (key, signature, message) not in _SEEN:
        _SEEN[key, signature, message] = verified(key, signature, message)
    return _SEEN[key, signature, message]


def trusted_keys(given, records):
    """The keys one may believe who believes `given`: those that it signed over to or from."""
    found = [given] if given else []
    rotations = [r["data"] for r in records if r["type"] == "key_rotated"]
    for _ in rotations:
        for each in rotations:
            old, new = parse_key(str(each.get("old"))), parse_key(str(each.get("new")))
            body = f"tripwire/key-rotation/v1\n{each.get('old')}\n{each.get('new')}\n".encode()
            for one, other, signed in ((old, new, "old_sig"), (new, old, "new_sig")):
                if one in found and other and other not in found:
                    signature = base64.b64decode(str(each.get(signed)))
                    if _cached(one[2], signature, body):
                        found.append(other)
    return found


def _session_keys(directory, keys_dir):
    secret = _secret(keys_dir, f"{directory.name}.key") or _secret(directory, "hmac.key")
    if not keys_dir or not secret:
        return None
    audit, head = _hkdf(secret, "tripwire/audit/v1"), _hkdf(secret, "tripwire/head/v1")
    return {"receipt": secret, "audit": audit, "head": head}


def check_session(directory, keys_dir, trusted, shared, anchors):
    """Everything that one session directory can prove."""
    records, count, early = shared
    check = Check(directory.name, _session_keys(directory, keys_dir), trusted)
    own = _read(directory / CHECKPOINTS)  # before the audit, which it knows
    now = _read(directory / HEAD)
    lines = check.audit(_read(directory / AUDIT))
    check.check_receipts(_read(directory / RECEIPTS))
    check.links(_read(directory / SECRETS))
    check.head(early.get(directory) or now if now else now)
    mine = check.heads(records, count) if records is not None else []
    check.checkpoints(own, mine, anchors, lines)
    if not check.keys:
        check.unchecked.append("MACs: the session's secret key was not given")
    return check


def check_heads(root, keys_dir, shared):
    """The records of heads.jsonl and how many lines it has; None if it is not there."""
    content = _read(root / HEADS)
    if content is None:
        shared.bad("missing", HEADS, 0, "the list of sessions is gone")
        return None, 0
    secret = _secret(keys_dir, "installation.key")
    key = _hkdf(secret, "tripwire/heads/v1") if secret else None
    if not key:
        shared.unchecked.append(f"MACs of {HEADS}: the installation's secret key was not given")
    entries, lines = shared.chain(content, HEADS, key)
    return [entry for entry in entries if entry], len(lines)


def check_approvals(root, keys_dir, shared):
    """The chain of approvals.jsonl."""
    content, secret = _read(root / APPROVALS), _secret(keys_dir, "installation.key")
    key, before = _hkdf(secret or b"", "tripwire/approvals/v1"), (0, ZERO)
    for number, line in enumerate(shared.lines(content, APPROVALS) if secret else (), 1):
        try:
            raw = json.loads(line)
            said = raw.pop("mac")
            good = _mac(key, raw) == said and _bytes({**raw, "mac": said}) == line
        except (ValueError, KeyError, TypeError, AttributeError):
            good = False
        if not good:
            shared.bad("edited", APPROVALS, number, "the MAC does not fit the line")
            return
        if (raw["seq"], raw["prev_mac"]) != (before[0] + 1, before[1]):
            shared.bad("reordered", APPROVALS, number, "it does not follow the line before")
        before = (raw["seq"], said)


def check_answers(content, checks, shared):
    """Every approval that an audit names must stand in approvals.jsonl."""
    there = set()
    for line in content.split(b"\n"):
        try:
            there.add(json.loads(line)["id"])
        except (ValueError, TypeError, KeyError):
            continue
    for entry in (e for check in checks for e in check.entries if e):
        if entry["type"] in ("approval_granted", "approval_used"):
            named = entry["data"].get("approvals") or [entry["data"].get("approval")]
            if any(name not in there for name in named):
                shared.bad("truncated" if content else "missing", APPROVALS, 0, "a record is gone")


def check_log(path, pub="", anchors=(), keys_dir=None):
    """The report on a session or state directory, as `tripwire verify-log --json` gives it."""
    path = Path(path)
    whole = (path / "sessions").is_dir()
    root = path if whole else path.resolve().parent.parent
    shared = Check("", None, [])
    witnesses = []
    for place in map(Path, anchors):
        file = place / "tripwire-checkpoints.txt" if place.is_dir() else place
        notes, strange = notes_of(file.read_bytes())
        witnesses.append((file.name, notes))
        for line in strange[:1]:
            shared.bad("edited", file.name, line, "the line belongs to no checkpoint")
    folders = sorted(p for p in (root / "sessions").iterdir() if p.is_dir()) if whole else [path]
    early = {p.resolve(): _read(p / HEAD) for p in folders}  # it knows heads.jsonl: read before
    listed = check_heads(root, keys_dir, shared)
    given = parse_key(
        Path(pub).read_text() if pub and "+" not in pub and Path(pub).is_file() else pub
    )
    trusted = trusted_keys(given, listed[0] or [])
    folders = sorted(p for p in (root / "sessions").iterdir() if p.is_dir()) if whole else [path]
    checks = [
        check_session(folder.resolve(), keys_dir, trusted, (*listed, early), witnesses)
        for folder in folders
    ]
    if whole:
        check_approvals(root, keys_dir, shared)
        check_answers(_read(root / APPROVALS) or b"", checks, shared)
        names = {r["data"]["session"]: HEADS for r in listed[0] or [] if "session" in r["data"]}
        names.update({n[1]: name for name, notes in witnesses for n in notes if n[1] not in names})
        for name in sorted(set(names) - {folder.name for folder in folders}):
            shared.bad("missing", f"sessions/{name}", 0, f"listed in {names[name]}, but gone")
        for aside in sorted(root.glob("*.jsonl.aside-*")):
            shared.bad("reset", aside.name, 0, "set aside because it was changed")
    findings = [f for check in (*checks, shared) for f in check.findings]
    left = [f"{c.name}: {u}" if c.name else u for c in (*checks, shared) for u in c.unchecked]
    return {
        "ok": not findings and not left,
        "status": "tampered" if findings else "incomplete" if left else "ok",
        "sessions": len(checks),
        "audit": {"entries": sum(len(c.entries) for c in checks)},
        "receipts": {"count": sum(len(c.receipts) for c in checks)},
        "signatures": sum(c.signed for c in checks),
        "anchors": len(witnesses),
        "not_checked": left,
        "findings": findings,
    }


def main():
    """Print the report; the exit code is that of `tripwire verify-log`."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("log", type=Path)
    parser.add_argument("--pub", default="")
    parser.add_argument("--anchor", action="append", default=[], type=Path)
    parser.add_argument("--keys-dir", type=Path)
    parser.add_argument("--json", action="store_true")
    words = parser.parse_args()
    if not words.log.is_dir():
        sys.stderr.write(f"unreadable: {words.log} is no directory\n")
        return 2
    try:
        report = check_log(words.log, words.pub, words.anchor, words.keys_dir)
    except OSError as error:
        sys.stderr.write(f"unreadable: {error}\n")
        return 2
    if words.json:
        print(json.dumps(report, indent=2, ensure_ascii=False))
    else:
        for each in report["findings"]:
            print(f"{each['kind']:<15}{each['file']}:{each['line']}: {each['detail']}")
        for each in report["not_checked"]:
            print(f"{'not checked':<15}{each}")
        if not words.anchor:
            print(f"{'anchors':<15}none: deleted or rolled back state would not be noticed")
        print(f"{'verdict':<15}{report['status'].upper()}")
    return {"ok": 0, "tampered": 1, "incomplete": 3}[report["status"]]


if __name__ == "__main__":
    sys.exit(main())
