"""git: global options, remotes, what it overwrites, and settings that run commands (SH-6)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tripwire.act.shell import hosts
from tripwire.act.shell.call import parse_options
from tripwire.act.shell.programs.files import patched_files
from tripwire.act.shell.programs.tools import shown_paths
from tripwire.act.shell.programs.wrappers import leading
from tripwire.act.shell.redirect import content_of
from tripwire.act.shell.text import HOLE
from tripwire.model.label import Label, WriteClass

if TYPE_CHECKING:
    from collections.abc import Callable

    from tripwire.act.shell.call import Call, Option

_RUNS = re.compile(
    r"(?i)(?:alias\..*|.*\.(?:cmd|command|helper|external|textconv|process|clean|smudge|driver"
    r"|program|receivepack|uploadpack|sshcommand|gitproxy|askpass|pager|editor|fsmonitor|hookspath"
    r"|vcs|sequenceeditor|browser|path)|core\.(?:attributesfile|excludesfile)|include.*\.path"
    r"|pager\..*|credential.*|init\.templatedir|gpg\..*|uploadpack\..*|hook\..*)"
)
_ROUTES = re.compile(
    r"(?i)(?:url\..*|remote\..*\.(?:push)?url|https?\..*|branch\..*\.(?:push)?remote"
    r"|.*proxy|remote\.push.*)"
)
_HARMLESS_VALUE = re.compile(
    r"(?:|cat|less(?: -\S+)*|true|false|vim?|nano|code --wait|store|cache|osxkeychain|manager)"
)


def git(call: Call) -> str | None:
    """Git with its global options taken off."""
    options, rest = leading(call.args, call.tables.values.get("git", frozenset()))
    scope = call.scope
    for name, value in options:
        if name == "-C":
            scope = scope.copy()
            scope.enter(value)
        elif name in ("--git-dir", "--work-tree"):
            call.reads([value])
        elif name == "-c":
            _setting(call, *_pair(value))
        elif name == "--config-env":
            call.opaque("a setting from the environment")
        elif name == "--exec-path" and value:
            call.opaque("git programs from another place")
    inner = call._replace(scope=scope, args=rest[1:])
    if not rest:
        return None
    verb = rest[0]
    if verb in scope.vars.get("git aliases", "").split():
        inner.opaque("an alias set in this line")
    if HOLE in verb:
        call.opaque("a computed subcommand")
        return None
    function = _VERBS.get(verb)
    if function is not None:
        function(inner)
    else:
        _by_table(inner, verb)
    return None


def _pair(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    return key, value


def _setting(call: Call, key: str, value: str) -> None:
    """A setting that names a command is one; one that names a place is a place."""
    if HOLE in key:
        call.opaque("a computed setting")
    if _ROUTES.fullmatch(key):
        place = key[4:].rpartition(".")[0] if key.lower().startswith("url.") else value
        call.egress(place or HOLE, sends=True, is_remote=True, kind="remote")
    elif _RUNS.fullmatch(key):
        if key.lower().startswith("alias."):
            call.scope.vars["git aliases"] = f"{call.scope.vars.get('git aliases', '')} {key[6:]}"
        if _HARMLESS_VALUE.fullmatch(value):
            return
        call.sink.classes.add(WriteClass.EXEC)
        if value.startswith("!") or key.lower().startswith("alias."):
            text = value[1:] if value.startswith("!") else f"git {value}"
            call.runner.text(text, call.scope.copy(), HOLE)
        elif value:
            call.runner.text(value, call.scope.copy(), HOLE)


def _config(call: Call) -> None:
    options, words = call.options(frozenset({"-f", "--file", "--blob", "--type", "--default"}))
    names = {name for name, _ in options}
    if words[:1] and words[0] in ("set", "get", "unset", "list", "edit"):
        verb, words = words[0], words[1:]
        if verb in ("get", "list"):
            words = words[:1]
    if names & {"-e", "--edit"} or words[:1] == ["edit"]:
        call.opaque("an editor on the settings")
    if names & {"-l", "--list", "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--unset"}:
        call.sink.labels.add(Label.PRIVATE)
    elif len(words) >= 2:
        for place in [v for n, v in options if n in ("-f", "--file")]:
            call.writes(place, "git config")
        _setting(call, words[0], words[1])
        if _RUNS.fullmatch(words[0]):
            call.sink.classes.add(WriteClass.EXEC)


def _remote_name(words: list[str]) -> str:
    return words[0] if words else "origin"


def _transport(call: Call, options: list[Option], place: str, *, sends: bool) -> None:
    for name, value in options:
        if (
            name in ("--upload-pack", "-u", "--exec", "--receive-pack")
            and value
            and not (name == "-u" and call.name == "git push")
        ):
            call.sink.classes.add(WriteClass.EXEC)
            call.runner.text(value, call.scope.copy(), HOLE)
        elif name in ("-c", "--config") and "=" in value:
            _setting(call, *_pair(value))
    if place.startswith("ext::"):
        call.runner.text(place[5:], call.scope.copy(), HOLE)
        call.opaque("a transport that runs a command")
    local = place.startswith(("/", "./", "../", "~", "file://"))
    if local:
        call.reads([place])
        if sends:
            call.writes(place, "git push")
        return
    call.egress(place, sends=sends, is_remote=True, kind="remote")


_OVERWRITING = frozenset({"-f", "--mirror", "--delete", "-d", "--prune"})


def _push(call: Call) -> None:
    values = frozenset({"-o", "--push-option", "--receive-pack", "--exec", "--repo"})
    options, words = call.options(values)
    named = [v for n, v in options if n == "--repo"]
    place = words[0] if words else (named[0] if named else "origin")
    if any(n in ("-n", "--dry-run", "-h", "--help") for n, _ in options):
        call.egress(place, sends=False, is_remote=True, kind="remote")
        return
    _transport(call._replace(name="git push"), options, place, sends=True)
    forced = any(n in _OVERWRITING or n.startswith("--force") for n, _ in options)
    if forced or any(word.startswith(("+", ":")) for word in words[1:]):
        call.sink.classes.add(WriteClass.DESTRUCTIVE)


def _fetch(call: Call) -> None:
    values = frozenset(
        {"--upload-pack", "--depth", "-j", "--jobs", "--deepen", "--shallow-since", "-s",
         "--strategy", "-X", "--strategy-option", "--refmap", "-o", "--server-option"}
    )  # fmt: skip
    options, words = call.options(values)
    if words[:1] and any(n == "--multiple" for n, _ in options):
        for word in words:
            _transport(call, options, word, sends=False)
    else:
        _transport(call, options, _remote_name(words), sends=False)
    call.sink.labels.add(Label.UNTRUSTED)


def _clone(call: Call) -> None:
    values = call.tables.values.get("git clone", frozenset())
    options, words = call.options(values)
    place = words[0] if words else HOLE
    _transport(call, options, place, sends=False)
    if not place.startswith(("/", "./", "../")):
        call.sink.labels.add(Label.UNTRUSTED)
    name = re.sub(r"(?:/?\.git)?/?$", "", place).rpartition("/")[2].rpartition(":")[2]
    target = words[1] if len(words) > 1 else name or HOLE
    call.writes(target.rstrip("/") + "/**", "git clone", downloaded=True)
    if any(n == "--template" for n, _ in options):
        call.sink.classes.add(WriteClass.EXEC)


def _ls_remote(call: Call) -> None:
    options, words = call.options(frozenset({"--upload-pack", "--sort", "-o", "--exec"}))
    _transport(call, options, _remote_name(words), sends=False)
    call.sink.labels.add(Label.UNTRUSTED)


def _remote(call: Call) -> None:
    _, words = call.options(frozenset({"-t", "-m"}))
    verb = words[0] if words else ""
    if verb in ("add", "set-url"):
        for word in words[2:] or [HOLE]:
            call.egress(word, sends=True, is_remote=True, kind="remote")
    elif verb in ("update", "prune") or (verb == "show" and "-n" not in call.args):
        call.egress(words[1] if len(words) > 1 else "origin", is_remote=True, kind="remote")
        call.sink.labels.add(Label.UNTRUSTED)
    call.sink.labels.add(Label.PRIVATE)


def _submodule(call: Call) -> None:
    words = [word for word in call.args if not word.startswith("-")]
    verb = words[0] if words else "status"
    if verb == "foreach":
        call.runner.text(" ".join(words[1:]), call.scope.copy(), None)
    elif verb in ("add", "update", "set-url"):
        found = [word for word in words[1:] if hosts.is_url(word) or hosts.is_remote_path(word)]
        for word in found or ["origin"]:
            call.egress(word, sends=False, is_remote=True, kind="remote")
        call.sink.labels.add(Label.UNTRUSTED)


def _checkout(call: Call) -> None:
    """`git checkout -- path`, `git checkout .`, `-f`: uncommitted work is overwritten."""
    options, words = parse_options(
        [w if w != "--" else "\x01" for w in call.args],
        frozenset({"-b", "-B", "--orphan", "--conflict", "-c", "-C", "--pathspec-from-file"}),
    )
    names = {name for name, _ in options}
    paths = words[words.index("\x01") + 1 :] if "\x01" in words else []
    if not paths and words[-1:] and (words[-1] in (".", ":/") or words[-1].startswith("./")):
        paths = words[-1:]
    if paths:
        for word in paths:
            call.deletes(word.replace(":/", "."), "git checkout", recursive=True)
    elif names & {"-f", "--force", "--discard-changes"}:
        call.sink.classes.add(WriteClass.DESTRUCTIVE)


def _restore(call: Call) -> None:
    options, words = call.options(frozenset({"-s", "--source"}))
    names = {name for name, _ in options}
    if names & {"-S", "--staged"} and not names & {"-W", "--worktree"}:
        return
    for word in words or ["."]:
        call.deletes(word, "git restore", recursive=True)


def _reset(call: Call) -> None:
    if {"--hard", "--merge", "--keep"} & set(call.args) or "--har" in " ".join(call.args):
        call.sink.classes.add(WriteClass.DESTRUCTIVE)


def _clean(call: Call) -> None:
    options, words = call.options(frozenset({"-e", "--exclude"}))
    names = {name for name, _ in options}
    if names & {"-n", "--dry-run"}:
        return
    for word in words or ["."]:
        call.deletes(word, "git clean", recursive=True)


def _stash(call: Call) -> None:
    if call.args[:1] in (["drop"], ["clear"]):
        call.sink.classes.add(WriteClass.DESTRUCTIVE)
    call.sink.labels.add(Label.PRIVATE)


def _branch(call: Call) -> None:
    names = {name for name, _ in call.options(frozenset({"-u", "--set-upstream-to"}))[0]}
    if "-D" in names or (names & {"-d", "--delete"} and names & {"-f", "--force"}):
        call.sink.classes.add(WriteClass.DESTRUCTIVE)
    call.sink.labels.add(Label.PRIVATE)


def _apply(call: Call) -> None:
    options, words = call.options(frozenset({"-p", "-C", "--directory", "--include", "--exclude"}))
    if any(n in ("--check", "--stat", "--numstat") for n, _ in options):
        return
    call.reads(words)
    texts = [content_of(word, call.scope) for word in words] or [call.stdin or HOLE]
    for text in texts:
        for name in patched_files(text):
            call.writes(name, "git apply")
        if HOLE in text:
            call.writes("**", "git apply")


def _remove(call: Call) -> None:
    options, words = call.options()
    if any(n == "--cached" for n, _ in options):
        return
    for word in words:
        call.deletes(word, "git rm", recursive=any(n == "-r" for n, _ in options))


def _show(call: Call) -> None:
    """Verbs that show the project's own text; some options write a file or run a program."""
    call.sink.labels.add(Label.PRIVATE)
    call.reads(shown_paths(call.args))
    for word in call.args:
        name, equals, value = word.partition("=")
        if name == "--output" and equals:
            call.writes(value, "git")
        if name in ("--ext-diff", "-O", "--open-files-in-pager") or word.startswith("-O"):
            call.opaque("git runs a program")


def _runs(call: Call) -> None:
    """Rebase --exec, bisect run, filter-branch, difftool -x: words are commands."""
    options, words = call.options(frozenset({"-x", "--exec", "--extcmd", "--onto", "-s", "-X",
        "--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--commit-filter",
        "--parent-filter", "--tag-name-filter"}))  # fmt: skip
    for name, value in options:
        if name in ("-x", "--exec", "--extcmd") or name.endswith("-filter"):
            call.runner.text(value, call.scope.copy(), HOLE)
    if words[:1] == ["run"]:
        call.run(words[1:])


def _filter_branch(call: Call) -> None:
    _runs(call)
    call.sink.classes.add(WriteClass.DESTRUCTIVE)


def _archive(call: Call) -> None:
    options, _ = call.options(frozenset({"--remote", "--exec", "--format", "-o", "--output"}))
    for name, value in options:
        if name == "--remote":
            call.egress(value, sends=True, is_remote=True, kind="remote")
        elif name == "--exec":
            call.runner.text(value, call.scope.copy(), HOLE)
        elif name in ("-o", "--output"):
            call.writes(value, "git archive")
    call.sink.labels.add(Label.PRIVATE)


def _send_email(call: Call) -> None:
    people = [word for word in call.args if "@" in word]
    for person in people or [HOLE]:
        call.egress(person.rpartition("=")[2], sends=True, kind="mail")


def _worktree(call: Call) -> None:
    words = [word for word in call.args if not word.startswith("-")]
    if words[:1] == ["remove"]:
        for word in words[1:]:
            call.deletes(word, "git worktree remove", recursive=True)


def _move(call: Call) -> None:
    words = [word for word in call.args if not word.startswith("-")]
    call.reads(words[:-1])
    for word in words[-1:]:
        call.writes(word, "git mv")


def _by_table(call: Call, verb: str) -> None:
    effect = call.tables.subcommands.get("git", {}).get(verb)
    if effect is None:
        call.opaque("an unknown git subcommand")
    elif "destructive" in effect:
        call.sink.classes.add(WriteClass.DESTRUCTIVE)
    elif "external" in effect:
        if verb == "credential":
            call.sink.labels.add(Label.SECRET)
        far = [w for w in call.args if hosts.is_url(w) or hosts.is_remote_path(w) or HOLE in w]
        place = next(iter(far), "origin")
        call.egress(place, sends=True, is_remote=True, kind="remote")
        call.sink.labels.add(Label.UNTRUSTED)


_SHOWS = ("diff", "log", "show", "blame", "annotate", "grep", "status", "ls-files", "ls-tree",
          "cat-file", "shortlog", "describe", "rev-parse", "rev-list", "reflog", "format-patch",
          "show-ref", "for-each-ref", "name-rev", "whatchanged", "diff-tree",
          "diff-index")  # fmt: skip
_VERBS: dict[str, Callable[[Call], None]] = {
    **dict.fromkeys(_SHOWS, _show),
    "config": _config,
    "push": _push,
    "fetch": _fetch,
    "pull": _fetch,
    "clone": _clone,
    "ls-remote": _ls_remote,
    "remote": _remote,
    "submodule": _submodule,
    "checkout": _checkout,
    "switch": _checkout,
    "restore": _restore,
    "reset": _reset,
    "clean": _clean,
    "stash": _stash,
    "branch": _branch,
    "apply": _apply,
    "am": _apply,
    "rm": _remove,
    "mv": _move,
    "rebase": _runs,
    "bisect": _runs,
    "difftool": _runs,
    "mergetool": _runs,
    "filter-branch": _filter_branch,
    "send-email": _send_email,
    "worktree": _worktree,
    "archive": _archive,
}
HANDLERS = {"git": git}
