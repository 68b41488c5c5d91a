"""Builtins of the shell: those that run text, move, set variables or show them (SH-12, DLP-10)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tripwire.act.shell.redirect import content_of
from tripwire.act.shell.text import HOLE, ansi
from tripwire.model.label import Label

if TYPE_CHECKING:
    from tripwire.act.shell.call import Call

_ACTIVATE = re.compile(r"(?:.*/)?(?:bin|Scripts)/activate(?:\.\w+)?")
SHELLS = ("sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "rbash")
"""Programs that run a script of shell text."""

STANDARD_INPUT = frozenset({"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
_STARTUP = re.compile(
    r"/\.(?:bashrc|bash_profile|profile|zshrc|zprofile|zshenv|nvm/nvm\.sh|cargo/env|asdf/asdf\.sh"
    r"|sdkman/bin/sdkman-init\.sh|rvm/scripts/rvm|pyenv/\S+)|/etc/(?:profile|bashrc|os-release)"
    r"|/(?:opt|usr)/\S*/conda\.sh|/\S*conda\d?/etc/profile\.d/conda\.sh"
)
"""Files the user's own shells read: writing them is judged, sourcing them is local."""
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.DOTALL)


def evaluate(call: Call) -> str | None:
    """`eval words`: the words are a command line."""
    words = call.args[1:] if call.args[:1] == ["--"] else call.args
    return call.runner.text(" ".join(words), call.scope, call.stdin)


def source(call: Call) -> str | None:
    """`source file`: local for an activate file, else the file's text if it is known."""
    words = call.args[1:] if call.args[:1] == ["--"] else call.args
    if not words:
        return ""
    paths = call.scope.paths(words[0])
    startup = all(_STARTUP.fullmatch(p.removeprefix(call.scope.home)) for p in paths)
    if (_ACTIVATE.fullmatch(words[0]) or startup) and not set(paths) & call.scope.files.keys():
        return ""
    call.reads([words[0]])
    return run_file(call, words[0], words[1:])


def run_file(call: Call, word: str, args: list[str]) -> str | None:
    """A script: its text if known, else local inside the project and opaque outside (SH-8)."""
    if word in STANDARD_INPUT:
        return call.runner.text(call.stdin or HOLE, call.scope, None)
    paths = call.scope.paths(word)
    if any(path in call.scope.files for path in paths):
        text = content_of(word, call.scope)
        if text == HOLE:
            call.opaque("a script written in this session, its text is unknown")
            return None
        params, call.scope.params = call.scope.params, list(args)
        try:
            return call.runner.text(text, call.scope, call.stdin)
        finally:
            call.scope.params = params
    if HOLE in word or not all(inside(path, call) for path in paths):
        call.opaque("a script outside the project")
    return None


def inside(path: str, call: Call) -> bool:
    """Whether `path` lies under the directory the command starts in."""
    root = call.scope.root
    return bool(root) and (path == root or path.startswith(root.rstrip("/") + "/"))


def change_directory(call: Call) -> str | None:
    """`cd`, `pushd`: relative paths move along."""
    words = [word for word in call.args if not re.fullmatch(r"-[LPe@]+|--", word)]
    call.scope.enter(words[0] if words else "~")
    return ""


def back(call: Call) -> str | None:
    """`popd`: the directory is unknown afterwards."""
    call.scope.enter(HOLE)
    return ""


def working_directory(call: Call) -> str | None:
    """`pwd`."""
    return call.scope.cwds[0] if len(call.scope.cwds) == 1 and call.scope.cwds[0] else None


def declare(call: Call) -> str | None:
    """`export`, `declare` and so on without a plain assignment: a list, or quoted assignments."""
    names = [word for word in call.args if not word.startswith(("-", "+"))]
    for word in names:
        assignment = _ASSIGNMENT.fullmatch(word)
        if assignment:
            call.runner.assign(assignment[1], assignment[2], call.scope)
        elif HOLE in word:
            call.opaque("a computed assignment")
    listing = any(word.startswith("-") and "p" in word for word in call.args)
    functions = any(word.startswith("-") and set("fF") & set(word) for word in call.args)
    if (not names or listing) and not functions:
        call.sink.labels.add(Label.SECRET)
        return None
    return ""


def set_options(call: Call) -> str | None:
    """`set`: alone it shows every variable; `set -- words` sets the parameters."""
    if not call.args:
        call.sink.labels.add(Label.SECRET)
        return None
    if "--" in call.args:
        call.scope.params = call.args[call.args.index("--") + 1 :]
    elif not call.args[0].startswith(("-", "+")):
        call.scope.params = list(call.args)
    return ""


def shift(call: Call) -> str | None:
    """`shift`."""
    if call.scope.params is not None:
        count = int(call.args[0]) if call.args and call.args[0].isdigit() else 1
        call.scope.params = call.scope.params[count:]
    return ""


_SIGNAL = re.compile(
    r"(?i:\d+|EXIT|ERR|DEBUG|RETURN|(SIG)?(HUP|INT|QUIT|ILL|TRAP|ABRT|IOT|BUS|FPE|KILL|USR[12]|SEGV"
    r"|PIPE|ALRM|TERM|STKFLT|CHLD|CLD|CONT|STOP|TSTP|TTIN|TTOU|URG|XCPU|XFSZ|VTALRM|PROF|WINCH|IO"
    r"|POLL|PWR|SYS|EMT|INFO|RTM(IN|AX)([+-]\d+)?))"
)
"""What may follow the text of a trap (POSIX `trap`, signal(7))."""


def trap(call: Call) -> str | None:
    """`trap text SIGNAL`: the text will be run."""
    words = [word for word in call.args if word not in ("-p", "-l", "--", "-")]
    if len(words) > 1:
        call.runner.deferred.append((words[0], call.scope))
        if not all(_SIGNAL.fullmatch(word) or HOLE in word for word in words[1:]):
            call.opaque("a trap whose words are no signals")
    return ""


def alias(call: Call) -> str | None:
    """`alias name=text`."""
    for word in call.args:
        name, equals, text = word.partition("=")
        if equals:
            call.scope.aliases[name] = text
            call.runner.text(text, call.scope.copy(), HOLE)
    return "" if call.args and all("=" in word for word in call.args) else None


def read_variable(call: Call) -> str | None:
    """`read`, `mapfile`, `getopts`: variables get what nobody knows."""
    flags = "-d -n -N -p -t -u -i -a" + (" -C -c -O -s" if call.name != "read" else "")
    options, names = call.options(frozenset(flags.split()))
    for flag, value in options:
        if flag == "-C":
            call.runner.text(value, call.scope.copy(), HOLE)
    names = [*names, *(value for flag, value in options if flag == "-a")]
    for name in names or ["REPLY", "MAPFILE"]:
        call.scope.vars[name] = HOLE
    return ""


def hooked(call: Call) -> str | None:
    """`complete -C`, `bind -x`, `hash -p`, `enable -f`: text or code that runs later."""
    options, words = call.options(frozenset({"-C", "-F", "-x", "-p", "-f", "-W"}))
    for flag, value in options:
        if flag in ("-C", "-x", "-W"):
            call.runner.text(value.partition(":")[2] or value, call.scope.copy(), HOLE)
        elif flag == "-f" and call.name == "enable":
            call.opaque("loads code into the shell")
        elif flag == "-p" and call.name == "hash" and words:
            call.scope.aliases[words[0]] = value
    return ""


def environment(call: Call) -> str | None:
    """`printenv`: shows the environment, unless only names without secrets are asked for."""
    names = [word for word in call.args if not word.startswith("-")]
    if not names or not set(names) <= call.tables.shown_variables:
        call.sink.labels.add(Label.SECRET)
    return None


def echo(call: Call) -> str | None:
    """`echo`: its words are its output."""
    args = list(call.args)
    escapes = False
    newline = "\n"
    while args and re.fullmatch(r"-[neE]+", args[0]):
        escapes = escapes or "e" in args[0]
        newline = "" if "n" in args[0] else newline
        args.pop(0)
    text = " ".join(args)
    if escapes and "\\" in text:
        from_octal = re.sub(r"\\0([0-7]{1,3})", r"\\\1", text)
        text = ansi(from_octal)
    return text + newline


def printf(call: Call) -> str | None:
    """`printf format words`: plain formats are told, others not."""
    args = list(call.args)
    name = ""
    if args[:1] == ["-v"]:
        name = args[1] if len(args) > 1 else ""
        args = args[2:]
    if args[:1] == ["--"]:
        args = args[1:]
    text = _formatted(args[0], args[1:]) if args else ""
    if name:
        call.scope.vars[name] = HOLE if text is None else text
        return ""
    return text


def _formatted(template: str, values: list[str]) -> str | None:
    if re.search(r"%[^sb%d]", template):
        return None
    slots = len(re.findall(r"%[sbd]", template))
    rounds = max(1, -(-len(values) // slots)) if slots else 1
    fill = iter(values)

    def one(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        value = next(fill, "")
        return ansi(value) if match[0] == "%b" else value.replace("\\", "\\\\")

    out = [re.sub(r"%[sbd%]", one, template) for _ in range(min(rounds, 256))]
    return ansi("".join(out))


HANDLERS = {
    "eval": evaluate,
    "source": source,
    ".": source,
    "cd": change_directory,
    "chdir": change_directory,
    "pushd": change_directory,
    "popd": back,
    "pwd": working_directory,
    "export": declare,
    "declare": declare,
    "typeset": declare,
    "local": declare,
    "readonly": declare,
    "set": set_options,
    "setopt": set_options,
    "shift": shift,
    "trap": trap,
    "alias": alias,
    "read": read_variable,
    "mapfile": read_variable,
    "readarray": read_variable,
    "getopts": read_variable,
    "complete": hooked,
    "bind": hooked,
    "hash": hooked,
    "enable": hooked,
    "printenv": environment,
    "echo": echo,
    "printf": printf,
}
