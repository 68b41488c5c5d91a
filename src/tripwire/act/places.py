"""Where a call sends: who chose the place, and whether it may be opened unasked (flow.md §3.4).

Chosen = the user typed it, the configuration trusts it, it is the machine itself, or a remote that
was there before any stranger spoke. A link or a clean download carries nothing and is cleared too.
"""

from __future__ import annotations

from dataclasses import dataclass

from tripwire.act.paths import PathContext
from tripwire.memory.tokens import Bits, Sighting, Tokens
from tripwire.model.label import Label, Origin, Trust, WriteClass
from tripwire.rule import Case
from tripwire.text import urls, words

_OUT = frozenset({WriteClass.PUBLIC, WriteClass.EXTERNAL, WriteClass.UNKNOWN, WriteClass.COMMIT})
_ADDRESSES = frozenset({"url", "email", "host", "remote"})
_MAX_CLEAN = 120
_RARE = 2


@dataclass(frozen=True, slots=True)
class Place:
    """One destination of a call and what is known of it.

    `chosen`: the user chose it (typed, configured, loopback, …). `cleared`: chosen, or opening it
    carries nothing (DEST-6, DEST-9). `unseen`: no text of the session holds it. `carries`: the
    value itself can carry data. `shown` is the value without what could be a secret.
    """

    value: str
    kind: str
    classes: frozenset[WriteClass]
    chosen: bool = False
    unseen: bool = False
    untrusted: bool = False
    internal: bool = False
    carries: bool = False
    computed: bool = False
    sends: bool = True
    why: str = ""
    origins: tuple[Origin, ...] = ()
    cleared: bool = False
    shown: str = ""

    @property
    def is_address(self) -> bool:
        """A place outside, as opposed to a name inside a service."""
        return self.kind in _ADDRESSES


@dataclass(frozen=True, slots=True)
class Ground:
    """What places are judged against: the session, and labels held with those of the call."""

    case: Case
    here: PathContext
    held: frozenset[Label]

    @property
    def tokens(self) -> Tokens:
        """The index of every text of the session."""
        return self.case.memory.tokens


def kind_of(value: str) -> str:
    """`url`, `email`, `host`, or `name`."""
    if urls.is_email(value):
        return "email"
    if urls.parse(value) is not None:
        return "url"
    return "host" if urls.is_host(value.split(":", 1)[0]) else "name"


def place_of(
    value: str,
    classes: frozenset[WriteClass],
    ground: Ground,
    *,
    kind: str = "",
    sends: bool = True,
    carries: bool = False,
    computed: bool = False,
    host: str = "",
) -> Place:
    """The place `value`, judged. `sends`: something beyond the value itself goes there."""
    kind = kind or ("host" if host and kind_of(value) == "name" else kind_of(value))
    host = host or ("" if kind in ("name", "query", "remote") else urls.host_of(value))
    internal = kind != "email" and bool(host) and _is_internal(host, ground)
    if internal and classes & _OUT:
        classes = (classes - _OUT) | {WriteClass.INTERNAL}
    sighting = ground.tokens.seen(value)
    why = "" if computed else _chosen(value, kind, host, classes, ground, sighting, sends=sends)
    why = why or ("internal" if internal and not urls.is_metadata_host(host) else "")
    untrusted = _untrusted(value, host, kind, ground, sighting)
    clears = why or (not sends and _opens(value, kind, host, ground, sighting, computed=computed))
    return Place(
        value=value,
        kind=kind,
        classes=classes,
        chosen=bool(why),
        unseen=sighting.unseen,
        untrusted=untrusted and not why,
        internal=internal,
        carries=carries,
        computed=computed,
        sends=sends,
        why=why or ("carries nothing" if clears else ""),
        origins=sighting.origins or ground.tokens.seen(host).origins if host else sighting.origins,
        cleared=bool(clears),
        shown=shown(value, kind, host),
    )


def shown(value: str, kind: str, host: str) -> str:
    """The place for people: an address as it is, a URL by its host, anything else by its length."""
    if kind == "email" or (kind in ("host", "remote") and len(value) <= 100 and "@" not in value):
        return value
    if host:
        url = urls.parse(value)
        more = "" if url is not None and url.bare else "/…"
        return f"{host}{more}" if len(host) <= 100 else f"{host[:40]}… ({len(host)} characters)"
    if kind == "query":
        return f"a search of {len(value)} characters"
    return value if len(value) <= 32 and value.isprintable() else f"{len(value)} characters"


# ── who chose it ─────────────────────────────────────────────────────────────────────────────


def _chosen(
    value: str,
    kind: str,
    host: str,
    classes: frozenset[WriteClass],
    ground: Ground,
    sighting: Sighting,
    *,
    sends: bool,
) -> str:
    """Why this place counts as the user's choice, "" if it does not."""
    flow = ground.case.policy.flow
    files = ground.case.memory.files
    if host and urls.suspicious_host(host):
        return ""
    url = urls.parse(value)
    if url is not None and not url.agreed:
        return ""
    if value.casefold() in {mine.casefold() for mine in flow.me}:
        return "your own"
    if url is not None and any(urls.matches(pattern, url) for pattern in flow.trusted_urls):
        return "trusted_urls"
    if value in files.remotes or f"{value}.git" in files.remotes:
        return "configured before anything untrusted was read"
    if value in files.later_remotes:
        return ""
    if kind == "query":
        return "typed" if ground.tokens.typed(value) else ""
    if _typed(value, url, ground.tokens, sends=sends):
        return "typed"
    inside = bool(classes) and classes <= {WriteClass.INTERNAL, WriteClass.PRIVILEGED}
    if inside and sighting.bits & Bits.ESTABLISHED and not sighting.untrusted:
        return "known before anything untrusted was read"
    if sends or url is None or ground.tokens.seen(host).untrusted:
        return ""
    known = sighting.bits & Bits.PLATFORM and sighting.bits & Bits.FIRST_TRUSTED
    return "from a trusted source" if known else ""


def _typed(value: str, url: urls.Url | None, tokens: Tokens, *, sends: bool) -> bool:
    if tokens.typed(value):
        return True
    if url is None:
        return False
    if url.userinfo and url.scheme != "ssh":
        return False
    if url.bare and (tokens.typed(url.host) or tokens.typed(f"{url.scheme}://{url.host}/")):
        return True
    if not sends:
        return False  # an added path or query is data (DEST-6)
    return any(tokens.typed_token(f"p {url.host}{path}") for path in _prefixes(url.path))


def _prefixes(path: str) -> list[str]:
    """`/a/b.git` → itself, without `.git`, and each directory above, the root included."""
    out = [path, path.removesuffix(".git"), f"{path}/"]
    while "/" in path.rstrip("/"):
        path = path.rstrip("/").rsplit("/", 1)[0]
        out += [path, f"{path}/"]
    return [p for p in out if p]


def _is_internal(host: str, ground: Ground) -> bool:
    if urls.is_internal_host(host):
        return True
    patterns = ground.case.policy.flow.internal_hosts
    url = urls.parse(f"http://{host}/") if patterns else None
    return url is not None and any(urls.matches(pattern, url) for pattern in patterns)


def _untrusted(value: str, host: str, kind: str, ground: Ground, sighting: Sighting) -> bool:
    if sighting.untrusted:
        return True
    if not host or kind == "email":
        return False
    return ground.tokens.seen(host).untrusted and not ground.tokens.typed(value)


# ── what may be opened unasked ───────────────────────────────────────────────────────────────


def _opens(
    value: str, kind: str, host: str, ground: Ground, sighting: Sighting, *, computed: bool
) -> bool:
    """A link seen whole while nothing private was read, or a clean download."""
    if computed or (host and (urls.is_metadata_host(host) or urls.suspicious_host(host))):
        return False
    if kind == "query":
        return len(value) <= _MAX_CLEAN and _clean(value, ground.tokens)
    url = urls.parse(value)
    if url is not None and (not url.agreed or url.userinfo):
        return False
    if sighting.bits & (Bits.WORLD | Bits.MEMBER | Bits.TAINTED):
        kept = ground.held & {Label.PRIVATE, Label.SECRET}
        return not kept and not ground.case.policy.flow.strict_links
    if ground.tokens.seen(host).untrusted:
        return False
    rest = f"{url.path}{url.query}" if url is not None else ""
    return len(rest) <= _MAX_CLEAN and _clean(f"{host} {rest}", ground.tokens)


def _clean(text: str, tokens: Tokens) -> bool:
    """Nothing in `text` looks encoded, and no rare token of it is private (DEST-9)."""
    if any(_encoded(run) for run in words.spelled_runs(text)):
        return False
    for run in words.runs(text):
        for part in (run, *words.parts(run)):
            if len(part) < 8 and sum(c.isdigit() for c in part) < 4:
                continue
            sighting = tokens.token(part)
            private = sighting.bits & (Bits.PRIVATE | Bits.SECRET)
            rare = sighting.private_texts <= _RARE  # strangers cannot make it common
            if private and rare and not sighting.bits & Bits.USER:
                return False
    return True


def _encoded(run: str) -> bool:
    """Long, and of letters and digits mixed as no word or version is."""
    if "%" in run:
        return True
    for part in words.parts(run) or [run]:
        if len(part) < 16:
            continue
        digits = sum(c.isdigit() for c in part)
        upper = sum(c.isupper() for c in part)
        hexadecimal = all(c in "0123456789abcdefABCDEF" for c in part)
        if len(part) >= 32 or (digits >= 3 and digits < len(part)) or hexadecimal or upper >= 4:
            return True
    return False


def clean_payload(texts: tuple[str, ...], tokens: Tokens) -> bool:
    """No account, number or id of a private text that the user did not name (flow-rules.md §3.5)."""
    for text in texts:
        for run in words.runs(text):
            if len(run) < 6 or sum(c.isdigit() for c in run) < 4:
                continue
            sighting = tokens.token(run)
            private = sighting.bits & (Bits.PRIVATE | Bits.SECRET)
            if private and not sighting.bits & Bits.USER:
                return False
    return True


def first_stranger(place: Place) -> Origin | None:
    """The first origin of a place that a stranger wrote."""
    return next((o for o in place.origins if o.trust <= Trust.MEMBER), None)
