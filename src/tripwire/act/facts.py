"""What a call would do, derived once from the call, the policy and the memory.

Rules read these facts instead of the raw arguments; they are kept in `case.memo` for one judgement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from tripwire.act.arguments import all_texts, recipients, undeclared, values_at
from tripwire.act.choice import settled
from tripwire.act.paths import PathContext, PathKinds, is_root, path_kinds, resolve
from tripwire.act.places import Ground, Place, place_of
from tripwire.act.purpose import Purpose
from tripwire.act.role import UNKNOWN, is_judged, role_of
from tripwire.act.shell.classify import classify
from tripwire.act.shell.effects import Egress, FileWrite, ShellEffects
from tripwire.act.touch import OwnState, followed, labels_of, pathlike, resolved, written
from tripwire.memory.tokens import Tokens
from tripwire.model.event import ToolCall, ToolResult
from tripwire.model.label import Label, WriteClass
from tripwire.model.policy import Role
from tripwire.model.verdict import ALLOWED, Destination, Verdict
from tripwire.rule import Case
from tripwire.text import urls

__all__ = ["CallFacts", "Place", "call_facts", "summary"]

_AWAY = frozenset(WriteClass) - {WriteClass.LOCAL, WriteClass.EXEC, WriteClass.DESTRUCTIVE}
_PLACELESS = frozenset({WriteClass.EXTERNAL, WriteClass.COMMIT})
_NOTHING: frozenset[WriteClass] = frozenset()
_ALIASED = frozenset({"ssh", "scp", "sftp", "rsync", "rclone", "git", "mosh", "kubectl", "docker"})
_BARE_PACKAGE = re.compile(r"[@=<>~!\[;]")
_MOVES = frozenset({"mv", "git mv", "move"})


@dataclass(frozen=True, slots=True)
class CallFacts:
    """The answer. `judged` is false where the flow rules do not apply to the call's source."""

    role: Role | None
    judged: bool
    known: bool
    reads: frozenset[Label]
    classes: frozenset[WriteClass]
    places: tuple[Place, ...] = ()
    objects: tuple[str, ...] = ()
    payload: tuple[str, ...] = ()
    """Every text of the arguments that would reach a destination, destination values included."""
    read_paths: tuple[str, ...] = ()
    writes: tuple[FileWrite, ...] = ()
    deletions: tuple[str, ...] = ()
    shell: ShellEffects | None = None
    leaves: bool = False
    """Something leaves the machine, be it a query string of a call that only reads (FLOW-2)."""
    not_scanned: tuple[str, ...] = ()
    tainted: bool = False
    """A path it reads holds a stranger's text."""
    exec_writes: tuple[FileWrite, ...] = ()
    """Writes to paths that change what runs next."""
    own_state: tuple[str, ...] = ()
    """Paths of Tripwire's own that it would write, delete or (keys) read."""
    roots: tuple[str, ...] = ()
    """Deletions of a root, a system directory or a home."""


def call_facts(event: ToolCall, case: Case) -> CallFacts:
    """The facts of `event`, from `case.memo` if this judgement has them already."""
    kept: CallFacts | None = case.memo.get("facts")
    if kept is None:
        kept = case.memo["facts"] = _derive(event, case)
    return kept


def result_facts(event: ToolResult, case: Case) -> CallFacts:
    """The facts of the call that a result belongs to, from `case.memo` if it has them already."""
    kept: CallFacts | None = case.memo.get("result facts")
    if kept is None:
        call = ToolCall(
            event.call_id, event.source, event.tool, event.args, event.cwd, links=event.links
        )
        kept = _derive(call, Case(case.policy, case.memory))
        case.memo["result facts"] = kept
    return kept


def summary(event: ToolCall, case: Case) -> Verdict:
    """Destinations and unscanned parts of the call, without findings, for the record."""
    facts = call_facts(event, case)
    if not facts.places and not facts.not_scanned:
        return ALLOWED
    found = (Destination(p.shown, _trust(p), _origin(p)) for p in facts.places)
    return Verdict.of(destinations=tuple(found), not_scanned=facts.not_scanned)


def _trust(place: Place) -> str:
    if place.chosen:
        return place.why
    return "untrusted" if place.untrusted else "unseen" if place.unseen else "not chosen"


def _origin(place: Place) -> str:
    origin = next(iter(place.origins), None)
    return f"{origin.source}.{origin.tool} (receipt {origin.receipt})" if origin else ""


# ── deriving ─────────────────────────────────────────────────────────────────────────────────


def _derive(event: ToolCall, case: Case) -> CallFacts:
    files = case.memory.files
    here = PathContext(event.cwd or files.root, files.home, event.links, files.root)
    role = role_of(case.policy, event.source, event.tool, event.args)
    judged = is_judged(case.policy, event.source)
    known = role is not None
    role = role or UNKNOWN
    kinds = path_kinds(case.policy.flow.paths, files.home)
    if role.classifier == "shell":
        facts = _shell(event, role, case, here, kinds)
    elif role.classifier in ("path", "notebook"):
        facts = _path(event, role, case, here, kinds)
    else:
        facts = _declared(event, role, case, here, judged=judged, known=known)
    own = _own(facts, event, case, here, kinds)
    if facts.judged == judged and facts.known == known and not own:
        return facts  # as they were built
    return replace(facts, judged=judged, known=known, own_state=own)


def _path(
    event: ToolCall, role: Role, case: Case, here: PathContext, kinds: PathKinds
) -> CallFacts:
    named = [v for path in role.path for v in values_at(event.args, path)]
    if role.access != "write":
        paths = resolved(named or [here.cwd], here)
        labels, tainted = labels_of(paths, case, kinds)
        return CallFacts(
            role, True, True, role.reads | labels, _NOTHING, read_paths=paths, tainted=tainted
        )
    texts = tuple(t for path in role.payload for t in values_at(event.args, path))
    content = "\n".join(texts) if texts else None
    how = "move" if role.kind == "move" else "write" if role.payload == ("content",) else "edit"
    writes = tuple(FileWrite(p, how, content) for name in named for p in resolve(name, here))
    classes, exec_writes = written(writes, case, kinds)
    return CallFacts(
        role,
        judged=True,
        known=True,
        reads=role.reads,
        classes=classes | role.writes or frozenset({WriteClass.LOCAL}),
        payload=texts or all_texts(event.args),
        writes=writes,
        exec_writes=exec_writes,
        leaves=WriteClass.EXTERNAL in classes,
    )


def _declared(
    event: ToolCall, role: Role, case: Case, here: PathContext, *, judged: bool, known: bool
) -> CallFacts:
    if role.harmless:
        return CallFacts(role, judged, known, frozenset(), _NOTHING, payload=all_texts(event.args))
    ground = Ground(case, here, case.memory.labels.as_set() | role.reads)
    objects = tuple(v for path in role.object for v in values_at(event.args, path))
    wanted = Purpose(event, role, role.writes, case, bool(objects))
    places = settled(_declared_places(event, role, ground), wanted)
    classes = _settled(role.writes, role, places)
    reads = role.reads
    local: tuple[str, ...] = ()
    if places:
        local = resolved((p.value for p in places if p.value.startswith("file:")), here)
        reads |= _read_along(event, places, local, ground)
    named = (*(p.value for p in places), *_payload(event, role))
    return CallFacts(
        role,
        judged=judged,
        known=known,
        reads=reads,
        classes=classes,
        places=places,
        objects=objects,
        payload=tuple(dict.fromkeys(named)),
        read_paths=local,
        deletions=objects if WriteClass.DESTRUCTIVE in classes else (),
        leaves=bool(places) or bool(classes & _AWAY) or role.delegates,
    )


def _read_along(
    event: ToolCall, places: tuple[Place, ...], local: tuple[str, ...], ground: Ground
) -> frozenset[Label]:
    """The labels of what a call reads from its places, or sends along to them (FLOW-4)."""
    labels: frozenset[Label] = frozenset()
    attached = pathlike(all_texts(event.args))
    secret = any(urls.is_metadata_host(urls.host_of(p.value)) for p in places)
    if local or attached:
        kinds = path_kinds(ground.case.policy.flow.paths, ground.here.home)
        labels = labels_of(local, ground.case, kinds)[0]
        secret = secret or kinds.secret.any(resolved(attached, ground.here))
    return labels | {Label.SECRET} if secret else labels


def _payload(event: ToolCall, role: Role) -> tuple[str, ...]:
    if not role.payload:
        return all_texts(event.args)
    return tuple(t for path in role.payload for t in values_at(event.args, path))


def _declared_places(event: ToolCall, role: Role, ground: Ground) -> tuple[Place, ...]:
    away = role.writes & _AWAY
    declared = [v for path in role.destination for v in values_at(event.args, path)]
    fetches = role.carries_data and role.payload == role.destination
    found = [
        place_of(
            value,
            away or frozenset({WriteClass.EXTERNAL}),
            ground,
            kind="query" if role.kind == "query" else "",
            sends=not fetches,
            carries=role.carries_data,
        )
        for value in recipients(declared)
    ]
    if role.kind == "query" or (role.writes and not away):
        return tuple(found)
    names = frozenset(path.split(".")[0].split("[")[0] for path in role.destination)
    extra = dict.fromkeys(v for v, _ in undeclared(event.args, names))
    found += [
        place_of(
            v, away or frozenset({WriteClass.EXTERNAL}), ground, sends=bool(away), carries=True
        )
        for v in extra
        if away or "://" in v  # a read-only tool may search by an address; a URL it opens
    ]
    return tuple(found)


def _settled(
    writes: frozenset[WriteClass], role: Role, places: tuple[Place, ...]
) -> frozenset[WriteClass]:
    """A declared recipient that is absent: nothing leaves (flow-rules.md §3.5 step 4)."""
    placeless = _PLACELESS if role.destination else frozenset({WriteClass.COMMIT})
    if not places and writes & placeless:
        return (writes - placeless) | {WriteClass.INTERNAL}
    outside = frozenset(c for p in places for c in p.classes)
    away = writes & _AWAY
    if away and places and all(p.internal for p in places):
        return (writes - away) | outside
    return writes | (outside if not away else frozenset())


# ── shell ────────────────────────────────────────────────────────────────────────────────────


def _shell(
    event: ToolCall, role: Role, case: Case, here: PathContext, kinds: PathKinds
) -> CallFacts:
    texts = _payload(event, role)
    effects = _classified(texts, case, here)
    reads = resolved(effects.reads, here)
    labels, tainted = labels_of(reads, case, kinds)
    labels |= effects.labels | role.reads
    ground = Ground(case, here, case.memory.labels.as_set() | labels)
    egress = [e for e in effects.egress if not _is_index(e, case)]
    places = tuple(p for e in egress if not _only_pulls(p := _egress_place(e, ground), case))
    if any(
        urls.is_metadata_host(p.value) or urls.is_metadata_host(urls.host_of(p.value))
        for p in places
    ):
        labels |= {Label.SECRET}
    writes = followed(effects.writes, here)
    classes, exec_writes = written(writes, case, kinds)
    classes |= _shell_classes(effects, places, case.memory.tokens)
    gone = tuple(p for d in effects.deletions for p in resolve(d.path, here))
    return CallFacts(
        role,
        judged=True,
        known=True,
        reads=labels,
        classes=classes or frozenset({WriteClass.LOCAL}),
        places=places,
        payload=tuple(dict.fromkeys((*texts, *effects.words))),
        read_paths=reads,
        writes=writes,
        deletions=gone,
        shell=effects,
        leaves=bool(effects.egress) or bool(classes & _AWAY),
        not_scanned=tuple(f"{o.key}: {o.why}" for o in effects.opaque),
        tainted=tainted,
        exec_writes=exec_writes,
        roots=tuple(p for p in gone if is_root(p, here)),
    )


def _classified(texts: tuple[str, ...], case: Case, here: PathContext) -> ShellEffects:
    return _merged(
        classify(
            text,
            cwd=here.cwd or "/",
            home=here.home or "/home/user",
            tables=case.policy.flow.shell,
            created=case.memory.files.created,
            scripts=case.memory.files.scripts,
        )
        for text in texts
    )


def _merged(found: Iterable[ShellEffects]) -> ShellEffects:
    merged = ShellEffects()
    for one in found:
        merged = ShellEffects(
            programs=merged.programs + one.programs,
            reads=merged.reads + one.reads,
            writes=merged.writes + one.writes,
            deletions=merged.deletions + one.deletions,
            egress=merged.egress + one.egress,
            classes=merged.classes | one.classes,
            labels=merged.labels | one.labels,
            opaque=merged.opaque + one.opaque,
            words=merged.words + one.words,
        )
    return merged


def _is_index(egress: Egress, case: Case) -> bool:
    """A package index is no destination (DEST-7), unless something is computed into its address."""
    if egress.computed or egress.sends:
        return False
    host = egress.host or urls.host_of(egress.value)
    shipped = host in case.policy.flow.index_hosts
    return egress.is_index or (shipped and urls.parse(egress.value) is None)


def _only_pulls(place: Place, case: Case) -> bool:
    """Fetching from a remote that was there before any stranger spoke tells it nothing (DEST-8)."""
    return not place.sends and not place.computed and place.value in case.memory.files.remotes


def _egress_place(egress: Egress, ground: Ground) -> Place:
    kind = "remote" if egress.is_remote and urls.parse(egress.value) is None else ""
    return place_of(
        egress.value,
        egress.classes or frozenset({WriteClass.EXTERNAL}),
        ground,
        kind=kind,
        sends=egress.sends,
        carries=True,
        computed=egress.computed,
        host="" if kind == "remote" else egress.host.casefold(),
        alias=egress.program.rsplit("/", 1)[-1] in _ALIASED,
    )


def _shell_classes(
    effects: ShellEffects, places: tuple[Place, ...], tokens: Tokens
) -> frozenset[WriteClass]:
    """The classifier's classes, with those of its destinations as they were judged."""
    of_egress = frozenset(c for e in effects.egress for c in e.classes)
    of_egress |= {WriteClass.EXTERNAL} if effects.egress else set()
    classes = (effects.classes - of_egress) | frozenset(c for p in places for c in p.classes)
    if effects.deletions:
        classes |= {WriteClass.DESTRUCTIVE}
    if effects.opaque and Label.UNTRUSTED in effects.labels:
        classes |= {WriteClass.EXEC}  # fetched and run, as far as anybody can tell
    if _strange_package(effects, tokens):
        classes |= {WriteClass.EXEC}
    return classes


def _strange_package(effects: ShellEffects, tokens: Tokens) -> bool:
    """Whether a package of an install was a stranger's word (flow.md §3.6, packages)."""
    for egress in effects.egress:
        name = _BARE_PACKAGE.split(egress.value.lstrip("@"), maxsplit=1)[0]
        if egress.is_index and len(name) >= 3 and tokens.seen(name).untrusted:
            return True
    return False


def _own(
    facts: CallFacts, event: ToolCall, case: Case, here: PathContext, kinds: PathKinds
) -> tuple[str, ...]:
    """The paths of Tripwire's own that the call would touch."""
    touched = [*(w.path for w in facts.writes), *facts.deletions]
    if facts.shell is None and facts.classes and not facts.writes:
        named = (t for t in all_texts(event.args) if "/" in t and len(t) < 1024 and "\n" not in t)
        touched += resolved((t for t in named if "://" not in t or t.startswith("file:")), here)
    if any(w.how in _MOVES for w in facts.writes):
        touched += facts.read_paths  # what is moved away is gone from where it was
    if not (touched or facts.read_paths):
        return ()
    own_state = OwnState(kinds, case)
    own = [p for p in touched if own_state.holds(p)]
    own += [p for p in facts.deletions if kinds.own_state.below(p)]
    own += [p for p in facts.read_paths if "/keys/" in f"{p}/" and own_state.holds(p)]
    return tuple(dict.fromkeys(own))
