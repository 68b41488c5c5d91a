"""Programs that run another program, by the option-arity table or in ways of their own (SH-4)."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from tripwire.act.shell.call import Option, parse_options
from tripwire.act.shell.programs.builtins import SHELLS
from tripwire.act.shell.text import HOLE
from tripwire.model.label import Label

if TYPE_CHECKING:
    from tripwire.act.shell.call import Call
    from tripwire.model.shell_tables import Wrapper

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_TEXT_OPTIONS = frozenset({"-c", "--command", "--session-command", "--run", "-S", "--call"})

_MAX_WORDS = 64
"""Words of an input that are run one by one."""


def leading(args: list[str], values: frozenset[str]) -> tuple[list[Option], list[str]]:
    """Options before the first other word, and everything from that word on."""
    at = 0
    while at < len(args):
        word = args[at]
        if word == "--":
            return parse_options(args[:at], values)[0], args[at + 1 :]
        if len(word) < 2 or word[0] not in "-+":
            break
        parsed = parse_options([word, HOLE], values)
        at += 1 if parsed[1] else 2
    return parse_options(args[:at], values)[0], args[at:]


def wrapped(call: Call, wrapper: Wrapper) -> str | None:
    """Run what the wrapper would run."""
    options, rest = leading(call.args, wrapper.values)
    for name, value in options:
        if name in _TEXT_OPTIONS and name in wrapper.values:
            call.runner.text(value, call.scope.copy(), call.stdin)
        elif value.startswith("|"):  # strace -o '|command'
            call.runner.text(value[1:], call.scope.copy(), HOLE)
    rest = rest[wrapper.skip :]
    if rest[:1] == ["--"]:
        rest = rest[1:]
    while wrapper.assigns and rest and (found := _ASSIGNMENT.fullmatch(rest[0])):
        call.runner.assign(found[1], found[2], call.scope.copy())
        rest = rest[1:]
    return call.run(rest) if rest else ""


def env(call: Call) -> str | None:
    """`env`: with `-S` a command line, without a command a list of the environment."""
    values = call.tables.values.get("env", frozenset())
    options, rest = leading(call.args, values)
    scope = call.scope
    strings = [v for n, v in options if n in ("-S", "--split-string")]
    inner = call
    for name, value in options:
        if name in ("-C", "--chdir"):
            scope = scope.copy()
            scope.enter(value)
            inner = call._replace(scope=scope)
    while rest and (found := _ASSIGNMENT.fullmatch(rest[0])):
        call.runner.assign(found[1], found[2], scope.copy())
        rest = rest[1:]
    if strings:
        tail = " ".join("'" + word.replace("'", "'\\''") + "'" for word in rest)
        text = re.sub(r"^(?:\s*[A-Za-z_]\w*=\S*)+", "", " ".join(strings))
        return call.runner.text(f"{text} {tail}", scope, call.stdin)
    if not rest:
        call.sink.labels.add(Label.SECRET)
        return None
    return inner.run(rest)


def command(call: Call) -> str | None:
    """`command`, `builtin`: `-v` and `-V` only look a name up."""
    options, rest = leading(call.args, frozenset())
    if any(name in ("-v", "-V") for name, _ in options):
        return None
    functions, call.scope.functions = call.scope.functions, {}
    try:
        return call.run(rest) if rest else ""
    finally:
        call.scope.functions = functions | call.scope.functions


def coprocess(call: Call) -> str | None:
    """`coproc [NAME] command`; the grammar gives it as words."""
    words = call.args
    if "{" in words:
        words = words[words.index("{") + 1 :]
    return call.run([w for w in words if w != "}"]) if words else ""


def xargs(call: Call) -> str | None:
    """`xargs command`: words from the standard input come last or in place of `-I`."""
    values = call.tables.values.get("xargs", frozenset())
    options, rest = leading(call.args, values)
    for name, value in options:
        if name in ("-a", "--arg-file"):
            call.reads([value])
    replaced = [v or "{}" for n, v in options if n in ("-I", "-i", "--replace", "-J")]
    if replaced:
        for word in _input_words(call, by_line=True):
            call.run([part.replace(replaced[0], word) for part in rest], stdin="")
        return None
    runs = _runs(call, options)
    if not rest:
        known = runs if not any(HOLE in run for run in runs) else []
        return "".join(" ".join(run) + "\n" for run in known) or None
    if posixpath.basename(rest[0]) in SHELLS and all(word.startswith("-") for word in rest[1:]):
        call.opaque("the input names the script")
    said = [call.run([*rest, *run], stdin="") for run in runs]
    return said[0] if len(said) == 1 else None


def _runs(call: Call, options: list[Option]) -> list[list[str]]:
    """The words of each run of the command, as `-n` and `-L` divide them."""
    given = {name.lstrip("-")[:1] if name[:2] != "--" else name[2:]: v for name, v in options}
    if given.keys() & {"d", "delimiter", "0", "null", "s", "max-chars", "E", "e", "eof"}:
        return [[HOLE]]
    if "n" in given or "max-args" in given:
        size = _count(given.get("n", given.get("max-args", "")))
        words = _input_words(call, by_line=False)
        return [words[at : at + size] for at in range(0, len(words), size)]
    if given.keys() & {"L", "l", "max-lines"}:
        lines = _input_words(call, by_line=True)
        size = _count(given.get("L", given.get("l", given.get("max-lines", ""))))
        return [
            " ".join(lines[at : at + size]).split() or [HOLE] for at in range(0, len(lines), size)
        ]
    return [_input_words(call, by_line=False)]


def _count(text: str) -> int:
    """How many at a time; one by one if it cannot be told, which hides nothing at a start."""
    return max(1, int(text)) if text.isascii() and text.isdigit() else 1


def _input_words(call: Call, *, by_line: bool) -> list[str]:
    if call.stdin is None or HOLE in call.stdin or any(c in call.stdin for c in "'\"\\"):
        return [HOLE]
    found = call.stdin.splitlines() if by_line else call.stdin.split()
    return _first(found) or [HOLE]


def _first(words: list[str]) -> list[str]:
    """As many as are looked at; whatever comes after may be anything."""
    return words if len(words) <= _MAX_WORDS else [*words[:_MAX_WORDS], HOLE]


def parallel(call: Call) -> str | None:
    """`parallel command ::: words`; without a command each word or line is one."""
    values = call.tables.values.get("parallel", frozenset())
    _, rest = leading(call.args, values)
    marks = [at for at, word in enumerate(rest) if re.fullmatch(r":::[:+]*", word)]
    words = rest[: marks[0]] if marks else rest
    inputs = [w for w in rest[marks[0] + 1 :] if not w.startswith(":::")] if marks else []
    if not marks:
        inputs = _first((call.stdin or HOLE).splitlines())
    for item in inputs or [HOLE]:
        if not words:
            call.runner.text(item, call.scope.copy(), None)
        else:
            joined = [word.replace("{}", item) for word in words]
            text = " ".join(joined if "{}" in " ".join(words) else [*joined, item])
            call.runner.text(text, call.scope.copy(), None)
    return None


def find(call: Call) -> str | None:
    """`find`: `-exec` runs a command, `-delete` deletes, `-fprint` writes."""
    args = call.args
    at = 0
    while at < len(args) and (
        args[at] in ("-H", "-L", "-P") or not args[at].startswith(("-", "(", "!"))
    ):
        at += 1
    roots = [word for word in args[:at] if not word.startswith("-")] or ["."]
    tests = args[at:]
    call.sink.labels.add(Label.PRIVATE)
    targets = _found_paths(roots, tests)
    for index, word in enumerate(tests):
        if word in ("-exec", "-execdir", "-ok", "-okdir"):
            _find_exec(call, tests[index + 1 :], targets)
        elif word == "-delete":
            for target in targets:
                call.deletes(target, "find -delete", recursive=True)
        elif word in ("-fprint", "-fprintf", "-fprint0", "-fls") and index + 1 < len(tests):
            call.writes(tests[index + 1], "find")
    return None


def _found_paths(roots: list[str], tests: list[str]) -> list[str]:
    names = [
        tests[at + 1]
        for at, word in enumerate(tests[:-1])
        if word in ("-name", "-iname", "-path", "-wholename", "-ipath")
    ]
    loose = {"-o", "-or", "!", "-not", ","} & set(tests)
    if len(names) != 1 or loose or HOLE in names[0]:
        return roots
    name = names[0].lstrip("./") if "/" in names[0] else names[0]
    return [f"{root.rstrip('/') or '/'}/**/{name}" for root in roots]


def _find_exec(call: Call, words: list[str], targets: list[str]) -> None:
    end = next((at for at, word in enumerate(words) if word in (";", "+")), len(words))
    command_words = words[:end]
    for target in targets:
        if command_words:
            call.run([word.replace("{}", target) for word in command_words])


def flock(call: Call) -> str | None:
    """`flock file command` or `flock file -c text`."""
    _, rest = leading(call.args, call.tables.values.get("flock", frozenset()))
    rest = rest[1:]
    if rest[:1] in (["-c"], ["--command"]):
        return call.runner.text(" ".join(rest[1:2]), call.scope.copy(), call.stdin)
    return call.run(rest) if rest else ""


def watch(call: Call) -> str | None:
    """`watch words`: the words are a command line."""
    _, rest = leading(call.args, call.tables.values.get("watch", frozenset()))
    return call.runner.text(" ".join(rest), call.scope.copy(), None) if rest else ""


def strings(call: Call) -> str | None:
    """Every word is a command line (`concurrently`, `npm-run-all`, `hyperfine`)."""
    _, rest = call.options()
    for word in rest:
        if " " in word:
            call.runner.text(word, call.scope.copy(), None)
    return None


def script(call: Call) -> str | None:
    """`script -c text file`."""
    options, rest = call.options()
    for name, value in options:
        if name in ("-c", "--command"):
            call.runner.text(value, call.scope.copy(), call.stdin)
    for word in rest[:1]:
        call.writes(word, "script")
    return None


def switch_user(call: Call) -> str | None:
    """`su user -c text`."""
    options, _ = call.options()
    for name, value in options:
        if name in ("-c", "--command", "--session-command"):
            call.runner.text(value, call.scope.copy(), call.stdin)
    return None


def multi(call: Call) -> str | None:
    """`busybox applet words`."""
    _, rest = leading(call.args, frozenset())
    return call.run(rest) if rest else ""


def basename(word: str) -> str:
    """The program's name without its directory."""
    return posixpath.basename(word.rstrip("/"))


HANDLERS = {
    "env": env,
    "command": command,
    "builtin": command,
    "coproc": coprocess,
    "xargs": xargs,
    "parallel": parallel,
    "find": find,
    "flock": flock,
    "watch": watch,
    "concurrently": strings,
    "hyperfine": strings,
    "script": script,
    "su": switch_user,
    "busybox": multi,
    "toybox": multi,
}
