"""Programs judged by a table of their subcommands: gh, npm, docker, aws (SH-6, SH-11).

Effect words: local, read, untrusted, secret, index, public, external, internal, privileged,
destructive, exec, opaque, run (the rest is a command), text (the next word is a command line).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tripwire.act.shell import code, hosts
from tripwire.act.shell.call import parse_options
from tripwire.act.shell.programs.network import is_information
from tripwire.act.shell.programs.wrappers import leading
from tripwire.act.shell.text import HOLE
from tripwire.model.label import Label, WriteClass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tripwire.act.shell.call import Call, Option

_LEAVING = {
    "public": WriteClass.PUBLIC,
    "external": WriteClass.EXTERNAL,
    "internal": WriteClass.INTERNAL,
    "privileged": WriteClass.PRIVILEGED,
}
_STAYING = {
    "destructive": WriteClass.DESTRUCTIVE,
    "exec": WriteClass.EXEC,
    "access": WriteClass.PRIVILEGED,
}
_CLOUDS = frozenset({"aws", "gcloud", "az", "gsutil", "doctl", "vercel", "heroku", "fly", "flyctl"})
_IMAGES = frozenset({"docker", "podman", "nerdctl", "buildah", "skopeo", "docker-compose"})
_READING = re.compile(
    r"(?:describe|get|list|ls|show|head|tail|search|lookup|batch-get|filter-log|query|scan|wait"
    r"|version|info|logs|status)(?:-.*)?"
)
_REMOVING = re.compile(r"(?:delete|terminate|destroy|purge|remove|deregister|empty)(?:-.*)?")
_LABELS = {"untrusted": Label.UNTRUSTED, "secret": Label.SECRET, "read": Label.PRIVATE}
_PLACE_OPTIONS = frozenset(
    {"--endpoint-url", "--endpoint", "--server", "-s", "--registry", "--index-url", "-i",
     "--extra-index-url", "--find-links", "-f", "--index", "--default-index", "--repository-url",
     "--host", "-H", "--source", "--api-url", "--hostname", "--proxy", "--url", "--repo-url"}
)  # fmt: skip
_REPOSITORY_OPTIONS = frozenset({"-R", "--repo"})
_FOREIGN = re.compile(
    r"(?:git\+|git@|https?:|github:|gitlab:|bitbucket:|gist:|ssh:|svn\+|hg\+).*"
    r"|[\w.-]+@(?:https?|git|github|file)[:+].*|(?!@)[\w-][\w.-]*/[\w.-]+(?:#.*)?",
    re.DOTALL,
)
_READ_OPTIONS = frozenset(
    {"-F", "--body-file", "--input", "-f", "--filename", "--from-file", "--env-file",
     "--template-file", "--notes-file", "--data-file", "--kubeconfig", "--body"}
)  # fmt: skip
_MAX_WORDS = 4
_COPIES = frozenset({"cp", "container cp", "compose cp"})
_FORGES = frozenset(
    {"github.com", "gitlab.com", "bitbucket.org", "golang.org", "google.golang.org", "gopkg.in"}
)
"""Hosts of many owners: that a stranger named one of them says nothing of a module there."""


def by_subcommand(call: Call) -> str | None:
    """Find the subcommand past global options, then do what the table says of it."""
    if is_information(call.args):
        return None
    table = call.tables.subcommands[call.name]
    values = call.tables.values.get(call.name, frozenset())
    options, words = parse_options(call.args, values)
    key, effect = _match(table, _kinds_of(call, words))
    rest = words[len(key.split()) :] if key != "*" else words
    effects = _by_options(call, key, _cloud(call, key, effect.split(), words))
    if key in _COPIES and call.name in _IMAGES and ":" in "".join(words[-1:]):
        effects = ["internal"]
    if key in ("compose down", "down") and {"-v", "--volumes"} & set(call.args):
        effects.append("destructive")
    if HOLE in "".join(words[: len(key.split())]):
        effects.append("opaque")
    if "text" in effects or "run" in effects:
        _inner(call, key, effects, values)
    for name in effects:
        if name in _STAYING:
            call.sink.classes.add(_STAYING[name])
        elif name in _LABELS:
            call.sink.labels.add(_LABELS[name])
    if "opaque" in effects:
        call.opaque("an unknown subcommand")
    if key in ("pkg", "pkg set", "set-script") and "set" in key + " ".join(words[:2]):
        call.writes("package.json", f"{call.name} {key}", " ".join(rest))
    if "writes" in effects:
        for word in rest[-1:]:
            call.writes(word, call.name, downloaded="untrusted" in effects)
    classes = [_LEAVING[name] for name in effects if name in _LEAVING]
    _leaves(call, key, classes, effects, rest, options)
    _files(call, options, rest, effects)
    return None


def _cloud(call: Call, key: str, effects: list[str], words: list[str]) -> list[str]:
    """Verbs of cloud programs: reading ones are no destination (SH-11), removing ones destroy."""
    if call.name in _CLOUDS and "external" in effects:
        verbs = words[:_MAX_WORDS]
        if key == "*" and any(_READING.fullmatch(word) for word in verbs):
            return ["read"]
        if any(_REMOVING.fullmatch(word) for word in verbs):
            return [*effects, "destructive"]
    return effects


def _kinds_of(call: Call, words: list[str]) -> list[str]:
    """`get secret/db`, `get pods,secrets` are `get secret`."""
    if call.name in ("kubectl", "oc") and len(words) > 1:
        kinds = re.split(r"[/,.]", words[1])
        if "secret" in kinds or "secrets" in kinds:
            return [words[0], "secret", *words[2:]]
    return words


def _by_options(call: Call, key: str, effects: list[str]) -> list[str]:
    """Options that are verbs (`gpg --send-keys`) or change one (`config view --raw`)."""
    table = call.tables.subcommands[call.name]
    more: list[str] = []
    for word in call.args:
        option = word.partition("=")[0]
        if option.startswith("-"):
            own = table.get(f"{key} {option}") or table.get(option) or ""
            more += own.split()
    if call.name in ("npm", "pnpm", "yarn") and "_auth" in "".join(call.args):
        more.append("secret")
    if set(more) == {"local"}:
        return more if key == "*" else effects
    return [*(e for e in effects if not more or e != "local"), *(e for e in more if e != "local")]


def _match(table: Mapping[str, str], words: list[str]) -> tuple[str, str]:
    for size in range(min(_MAX_WORDS, len(words)), 0, -1):
        key = " ".join(words[:size])
        if key in table:
            return key, table[key]
        for pattern in (" ".join([*words[: size - 1], _stem(words[size - 1])]),):
            if pattern in table:
                return pattern, table[pattern]
    return "*", table.get("*", "opaque")


def _stem(word: str) -> str:
    """`describe-instances` is matched by `describe-*` (SH-11)."""
    head, dash, _ = word.partition("-")
    return f"{head}-*" if dash else f"{word}*"


def _leaves(
    call: Call,
    key: str,
    classes: list[WriteClass],
    effects: list[str],
    rest: list[str],
    options: list[Option],
) -> None:
    """Places: named by options, by the words, or the configured one."""
    places = [v for n, v in options if n in _PLACE_OPTIONS and _is_place(n, v)]
    if "build" in effects:
        places += [word for word in rest if hosts.is_url(word) or HOLE in word]
    if "index" in effects:
        _packages(call, rest[:1] if "run" in effects else rest, options)
        places = [v for v in places if "://" in v or HOLE in v]
    for place in places if "local" not in effects or {"index", "build"} & set(effects) else []:
        call.egress(place, WriteClass.EXTERNAL, sends=bool(classes), is_remote=True, kind="bare")
    if not classes:
        if any(HOLE in word for word in rest) and not {"local", "index"} & set(effects):
            call.egress(" ".join(rest), sends=True, kind="none")
        return
    named = [v for n, v in options if n in _REPOSITORY_OPTIONS and v]
    words = [w for w in rest if ":" in w or "@" in w or HOLE in w or key.startswith("repo ")]
    if call.name in _IMAGES:
        words = rest[-1:]
    targets = named or ([] if "run" in effects else words)
    remote = not targets and not places
    for target in targets or (
        [] if places else ["origin" if call.name in ("gh", "glab", "hub") else call.name]
    ):
        call.egress(target, *classes, sends=True, is_remote=remote, kind=_kind(target))


def _is_place(name: str, value: str) -> bool:
    """Short options mean other things to other programs: only a URL makes them a place."""
    return "://" in value or (name.startswith("--") and ("." in value or HOLE in value))


def _kind(target: str) -> str:
    """`user@host` names a host; `pod:/path` and `s3://bucket` do not."""
    return "remote" if "@" in target and "://" not in target else "none"


def _packages(call: Call, rest: list[str], options: list[Option]) -> None:
    """Packages from an index; a URL, a git reference or a computed name is another place."""
    names = [word for word in rest if not word.startswith((".", "/", "~"))]
    for name in names or [""]:
        by_name = call.name in ("go", "brew") or call.name in _IMAGES
        if HOLE in name or (_FOREIGN.fullmatch(name) and (hosts.is_url(name) or not by_name)):
            kind = "remote" if "@" in name and ":" in name else "none"
            call.egress(name, sends=HOLE in name, kind=kind)
            call.sink.labels.add(Label.UNTRUSTED)
        else:
            call.egress(name, is_index=True, kind="none")
            owner = name.partition("/")[0]
            if call.name == "go" and "." in owner and owner not in _FORGES:
                call.egress(owner, is_index=True, kind="none")
    for name, value in options:
        if name in ("-r", "--requirement", "-c", "--constraint"):
            if hosts.is_url(value):
                call.egress(value)
                call.sink.labels.add(Label.UNTRUSTED)
            else:
                call.reads([value])
        elif (
            name in ("-e", "--editable", "--git", "--path")
            and _FOREIGN.fullmatch(value)
            and "://" in value
        ):
            call.egress(value)
            call.sink.labels.add(Label.UNTRUSTED)


def _files(call: Call, options: list[Option], rest: list[str], effects: list[str]) -> None:
    for name, value in options:
        if not value:
            continue
        at = re.search(r"(?:^|=)@(.+)", value)
        if at:
            call.reads([at[1]])
        elif name in _READ_OPTIONS:
            call.reads([value])
        elif name in ("-o", "--output", "-O", "--outfile", "-D", "--dir") and "read" not in effects:
            call.writes(value, call.name, downloaded="untrusted" in effects)
        elif name in ("-v", "--volume", "--mount"):
            call.reads([value.partition(":")[0]] if value[:1] in "/~." else [])
    if set(effects) & {"public", "external", "privileged"} and "run" not in effects:
        call.reads(word for word in rest if "://" not in word)
    if "read" in effects or "untrusted" in effects:
        call.sink.labels.add(Label.PRIVATE)


def _inner(call: Call, key: str, effects: list[str], values: frozenset[str]) -> None:
    """`docker exec web words`, `kubectl exec pod -- words`, `npm exec -c text`."""
    args = list(call.args)
    for part in key.split():
        _, args = leading(args, values)
        if args and args[0] == part:
            args = args[1:]
    options, rest = leading(args, call.tables.values.get(f"{call.name} run", values))
    for name, value in options:
        if name in ("-c", "--call", "--command", "--entrypoint") and value and "text" in effects:
            call.runner.text(value, call.scope.copy(), call.stdin)
        elif hosts.is_url(value):
            call.egress(value)
            call.sink.labels.add(Label.UNTRUSTED)
    if "text" in effects:
        return
    if "--" in args and call.name in ("kubectl", "oc", "npm", "gcloud", "vagrant", "flyctl"):
        rest = args[args.index("--") + 1 :]
    else:
        rest = rest[1:] if "skip" in effects else rest
    entry = [v for n, v in options if n == "--entrypoint" and v]
    if entry or rest:
        call.run([*entry, *rest])
    for word in rest if "index" in effects else []:  # an image may be a client of its own
        if hosts.is_url(word):
            call.egress(word, sends=True)


def api(call: Call) -> str | None:
    """`gh api`, `glab api`: GET reads what anyone may have written, other methods publish."""
    options, words = call.options()
    methods = [v.upper() for n, v in options if n in ("-X", "--method")]
    fields = [v for n, v in options if n in ("-f", "-F", "--field", "--raw-field", "--input")]
    queries = [v for v in fields if v.startswith("query=")]
    if words[1:2] == ["graphql"] and queries and not methods:
        mutates = any(re.search(r"\bmutation\b", v) for v in queries) or HOLE in "".join(queries)
        method = "POST" if mutates else "GET"
    else:
        method = methods[0] if methods else ("POST" if fields else "GET")
    place = words[1] if len(words) > 1 else HOLE
    call.sink.labels.update((Label.UNTRUSTED, Label.PRIVATE))
    for value in fields:
        at = re.search(r"=@(.+)", value)
        call.reads([at[1]] if at else [])
    if method not in ("GET", "HEAD") or HOLE in place:
        wanted = {"DELETE": WriteClass.DESTRUCTIVE}.get(method)
        if wanted is not None:
            call.sink.classes.add(wanted)
        privileged = re.search(r"collaborators|keys|secrets|hooks|permissions|invitations", place)
        leaving = WriteClass.PRIVILEGED if privileged else WriteClass.PUBLIC
        reads = method in ("GET", "HEAD")
        wanted_classes = (WriteClass.EXTERNAL,) if reads else (WriteClass.PUBLIC, leaving)
        call.egress(place, *wanted_classes, sends=True, kind="none")
    return None


def runner_of_packages(call: Call) -> str | None:
    """npx, uvx, pipx run, bunx: fetch a package from the index and run it."""
    values = call.tables.values.get(call.name, frozenset())
    options, rest = leading(call.args, values)
    if call.name == "pipx" and rest[:1] in (["run"], ["install"]):
        options, rest = leading(rest[1:], values)
    for name, value in options:
        if name in ("-c", "--call"):
            call.runner.text(value, call.scope.copy(), call.stdin)
        elif name in ("-p", "--package", "--from", "--with", "--spec"):
            _packages(call, [value], [])
        elif name in _PLACE_OPTIONS and "://" in value:
            call.egress(value, sends=False)
    if rest:
        name = re.sub(r"(?<=.)@[\w.^~-]*$", "", rest[0])
        _packages(call, [rest[0]], [])
        known_program = name in call.tables.egress or name in call.tables.subcommands
        if known_program or name in call.tables.local:
            return call.run([name, *rest[1:]])
        for word in rest[1:]:
            if hosts.is_url(word):
                call.egress(word, sends=True)
                call.fetched(word)
    return None


def by_words(call: Call) -> str | None:
    """Programs without subcommands: `programs` of the tables gives their effect words."""
    if is_information(call.args):
        return None
    effects = call.tables.programs[call.name].split()
    _, words = call.options()
    for name in effects:
        if name in _STAYING:
            call.sink.classes.add(_STAYING[name])
        elif name in _LABELS:
            call.sink.labels.add(_LABELS[name])
        elif name in _LEAVING and name != "privileged":
            for place in [w for w in words if HOLE in w or ":" in w or "." in w] or [call.name]:
                call.egress(place, _LEAVING[name], sends=True, kind="remote")
    if "privileged" in effects:
        call.sink.classes.add(WriteClass.PRIVILEGED)
    if "opaque" in effects:
        call.opaque("a program whose effect depends on its input")
    call.reads(word for word in words if "read" not in effects)
    if "sql" in effects:
        for word in [*call.args, call.stdin or ""]:
            code.sql(call, word)
    return None


HANDLERS = {"gh api": api}
