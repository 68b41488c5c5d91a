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
_INSIDE = frozenset({WriteClass.INTERNAL, WriteClass.PRIVILEGED})
_SERVICE_WORDS = """
http https ws wss tcp udp grpc redis rediss postgres postgresql mysql mariadb mongodb amqp amqps
kafka nats mqtt ldap smtp memcached ftp
"""
_SERVICES = frozenset(_SERVICE_WORDS.split())
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


@dataclass(frozen=True, slots=True)
class _Look:
    """A value as it is looked at: parsed once, looked up once."""

    value: str
    kind: str
    host: str
    url: urls.Url | None
    classes: frozenset[WriteClass]
    sends: bool
    computed: bool
    seen: Sighting
    host_seen: Sighting


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
    alias: bool = False,
) -> Place:
    """The place `value`, judged. `sends`: something beyond the value itself goes there.

    `alias`: a name without dots is what a configuration file makes of it (ssh), no service.
    """
    kind = kind or ("host" if host and kind_of(value) == "name" else kind_of(value))
    host = host or ("" if kind in ("name", "query", "remote") else urls.host_of(value))
    url = urls.parse(value) if kind == "url" else None
    agreed = url is None or url.agreed
    internal = agreed and _is_internal(host, kind, url, ground, alias=alias)
    if internal and classes & _OUT:
        classes = (classes - _OUT) | {WriteClass.INTERNAL}
    seen = ground.tokens.seen(value)
    host_seen = seen if kind == "host" else ground.tokens.token(host) if host else seen
    look = _Look(value, kind, host, url, classes, sends, computed, seen, host_seen)
    return _judged(look, ground, internal=internal, carries=carries)


def _judged(look: _Look, ground: Ground, *, internal: bool, carries: bool) -> Place:
    why = "" if look.computed else _chosen(look, ground)
    why = why or ("internal" if internal and not look.computed else "")
    clears = bool(why) or (not look.sends and _opens(look, ground))
    return Place(
        value=look.value,
        kind=look.kind,
        classes=look.classes,
        chosen=bool(why),
        unseen=look.seen.unseen,
        untrusted=_untrusted(look, ground) and not why,
        internal=internal,
        carries=carries,
        computed=look.computed,
        sends=look.sends,
        why=why or ("carries nothing" if clears else ""),
        origins=look.seen.origins or look.host_seen.origins,
        cleared=clears,
        shown=shown(look.value, look.kind, look.host),
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


def _chosen(look: _Look, ground: Ground) -> str:
    """Why this place counts as the user's choice, "" if it does not."""
    flow = ground.case.policy.flow
    files = ground.case.memory.files
    value, url = look.value, look.url
    if look.host and not look.host.isascii() and urls.suspicious_host(look.host):
        return ""
    if "xn--" in look.host and urls.suspicious_host(look.host):
        return ""
    if url is not None and not url.agreed:
        return ""
    if flow.me and value.casefold() in {mine.casefold() for mine in flow.me}:
        return "your own"
    if url is not None and any(urls.matches(pattern, url) for pattern in flow.trusted_urls):
        return "trusted_urls"
    if value in files.remotes or f"{value}.git" in files.remotes:
        return "configured before anything untrusted was read"
    if value in files.later_remotes:
        return ""
    if look.kind == "query":
        return "typed" if ground.tokens.typed(value) else ""
    if _typed(value, url, ground.tokens, sends=look.sends):
        return "typed"
    return _known(look)


def _known(look: _Look) -> str:
    """A trusted source had it first: enough inside, and for opening a page."""
    bits = look.seen.bits
    inside = bool(look.classes) and look.classes <= _INSIDE
    if inside and bits & Bits.ESTABLISHED and not look.seen.untrusted:
        return "known before anything untrusted was read"
    if look.sends or look.url is None or look.host_seen.untrusted:
        return ""
    trusted = bits & Bits.PLATFORM and bits & Bits.FIRST_TRUSTED
    return "from a trusted source" if trusted else ""


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


def _is_internal(
    host: str, kind: str, url: urls.Url | None, ground: Ground, *, alias: bool
) -> bool:
    if not host or kind == "email":
        return False
    single = "." not in host and ":" not in host and host != "localhost"
    if single and (alias or (url is not None and url.scheme not in _SERVICES)):
        return False  # a bucket or an ssh alias may be anywhere
    if urls.is_internal_host(host):
        return True
    patterns = ground.case.policy.flow.internal_hosts
    plain = urls.parse(f"http://{host}/") if patterns else None
    return plain is not None and any(urls.matches(pattern, plain) for pattern in patterns)


def _untrusted(look: _Look, ground: Ground) -> bool:
    if look.seen.untrusted:
        return True
    if not look.host or look.kind == "email":
        return False
    strange = look.host_seen.untrusted or _strange_site(look.host, ground.tokens)
    return strange and not ground.tokens.typed(look.value)


# ── what may be opened unasked ───────────────────────────────────────────────────────────────


def _opens(look: _Look, ground: Ground) -> bool:
    """A link seen whole while nothing private was read, or a clean download.

    After a private read a link is judged as a clean download, on hosts of the user's choice only.
    """
    host, url = look.host, look.url
    if look.computed or urls.is_metadata_host(host) or (host and urls.suspicious_host(host)):
        return False
    if look.kind == "query":
        return len(look.value) <= _MAX_CLEAN and _clean(look.value, ground.tokens)
    if not host or (url is not None and (not url.agreed or url.userinfo)):
        return False
    if look.seen.bits & (Bits.WORLD | Bits.MEMBER | Bits.TAINTED):
        if ground.case.policy.flow.strict_links:
            return False
        if not ground.held & {Label.PRIVATE, Label.SECRET}:
            return True
        if not look.host_seen.bits & Bits.USER:
            return False  # which of the stranger's links is opened may spell what was read
        # On a site that the user named, a link is held to what an unseen page there is held to.
    if look.host_seen.untrusted or _poses(host, ground.tokens):
        return False
    if not look.host_seen.bits & Bits.USER and _strange_site(host, ground.tokens):
        return False
    rest = f"{url.path}{url.query}" if url is not None else ""
    if len(rest) > _MAX_CLEAN or "://" in rest:
        return False  # what is sent on to another place goes there
    strange = any(ground.tokens.token(run).untrusted for run in words.runs(rest) if "." in run)
    return not strange and _clean(f"{host} {rest}", ground.tokens)


def _strange_site(host: str, tokens: Tokens) -> bool:
    """Whether a stranger brought another host of the same owner; an added subdomain is data."""
    site = urls.site_of(host)
    return tokens.token(f"d {site}").untrusted or tokens.token(site).untrusted


def _poses(host: str, tokens: Tokens) -> bool:
    """A host that begins like one the session knows: `docs.corp.example.evil.io`."""
    labels = host.split(".")
    if labels[0] == "localhost":
        return True
    fronts = (".".join(labels[:n]) for n in range(2, len(labels)))
    return any(urls.is_host(front) and bool(tokens.token(front).bits) for front in fronts)


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
    """No number or id of a private text that the user did not name (flow-rules.md §3.5)."""
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
