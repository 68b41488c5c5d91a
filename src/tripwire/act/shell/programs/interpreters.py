"""Interpreters and the code given to them: shells, Python, node, perl, awk (SH-5, SH-8)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tripwire.act.shell import code, python
from tripwire.act.shell.programs.builtins import SHELLS, STANDARD_INPUT, inside, run_file
from tripwire.act.shell.programs.wrappers import leading
from tripwire.act.shell.redirect import content_of
from tripwire.act.shell.text import HOLE
from tripwire.model.label import Label, WriteClass

if TYPE_CHECKING:
    from tripwire.act.shell.call import Call

_SHELL_VALUES = frozenset({"-o", "+o", "-O", "+O", "--rcfile", "--init-file", "--command", "-C"})
_MAX_SHELLS = 8
_IMPORT = re.compile(r"\b(?:import|from)\s+(\w{1,64})")
_AWK_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_AWK_REGEX = re.compile(r"/(?:[^/\\\n]|\\.)*/")
_AWK_PIPE = re.compile(r"\bprintf?\b[^;}\n|]*\|&?(?!\|)\s*[\w(]")


def shell(call: Call) -> str | None:
    """`sh -c text` (clustered too), `sh file`, `sh` fed from the standard input."""
    args, at, from_option = call.args, 0, False
    scope = call.scope.copy()
    while at < len(args) and args[at][:1] in ("-", "+") and len(args[at]) > 1:
        word = args[at]
        at += 1
        if word in ("--", "-"):
            break
        if word.startswith("--command="):
            return call.runner.text(word.partition("=")[2], scope, call.stdin)
        if word in ("--rcfile", "--init-file"):
            run_file(call, args[at] if at < len(args) else HOLE, [])
        if word in _SHELL_VALUES:
            at += word != "--command"
            from_option = from_option or word == "--command"
        elif not word.startswith("--") and "c" in word:
            from_option = True
            at += sum(word.count(flag) for flag in "oO")
        elif not word.startswith("--"):
            at += sum(word.count(flag) for flag in "oO")
    rest = args[at:]
    if from_option:
        return _text(call, rest)
    if "s" in "".join(w for w in args[:at] if not w.startswith("--")) or not rest:
        scope.params = rest
        return _fed(call)
    return run_file(call, rest[0], rest[1:])


def _text(call: Call, rest: list[str]) -> str | None:
    if not rest:
        return ""
    if call.runner.shells >= _MAX_SHELLS:
        call.opaque("shells nested too deeply")
        return None
    scope = call.scope.copy()
    scope.params = rest[2:]
    call.runner.shells += 1
    try:
        return call.runner.text(rest[0], scope, call.stdin)
    finally:
        call.runner.shells -= 1


def _fed(call: Call) -> str | None:
    if call.stdin is None:
        return ""
    return call.runner.text(call.stdin, call.scope.copy(), None)


def python_program(call: Call) -> str | None:
    """`python -c code`, `-m module`, a script, or code from the standard input."""
    args, at = call.args, 0
    while at < len(args) and args[at].startswith("-") and len(args[at]) > 1:
        word = args[at]
        at += 1
        if word == "--":
            break
        if word.startswith("--"):
            at += word == "--check-hash-based-pycs"
            continue
        for place, flag in enumerate(word[1:], 1):
            if flag in "cm":
                value = word[place + 1 :]
                rest = args[at:] if value else args[at + 1 :]
                value = value or (args[at] if at < len(args) else "")
                return _python_code(call, value) if flag == "c" else _module(call, value, rest)
            if flag in "WX":
                at += not word[place + 1 :]
                break
    rest = args[at:]
    if not rest or rest[0] == "-":
        return _python_code(call, call.stdin) if call.stdin is not None else None
    return _script(call, rest[0], python.classify)


def _python_code(call: Call, text: str) -> str | None:
    python.classify(call, text)
    for name in dict.fromkeys(_IMPORT.findall(text)):
        if _is_written(call, f"{name}.py"):
            _script(call, f"{name}.py", python.classify)
    return None


def _is_written(call: Call, path: str) -> bool:
    """A module that this session wrote runs when it is imported."""
    return any(p in call.scope.files for p in call.scope.paths(path))


def _script(call: Call, word: str, classify: code.Classify) -> str | None:
    paths = call.scope.paths(word)
    if word in STANDARD_INPUT:
        classify(call, HOLE if call.stdin is None else call.stdin)
    elif any(path in call.scope.files for path in paths):
        text = content_of(word, call.scope)
        if text == HOLE:
            call.opaque("a script written in this session, its text is unknown")
        else:
            classify(call, text)
    elif HOLE in word or not all(inside(path, call) for path in paths):
        call.opaque("a script outside the project")
    call.sink.labels.add(Label.PRIVATE)
    return None


def _module(call: Call, module: str, rest: list[str]) -> str | None:
    """`python -m module`: some modules are programs of the tables, some serve or fetch."""
    if module in ("pip", "pip3", "pytest", "twine", "uv", "pipx", "http", "poetry", "awscli"):
        return call.run(["aws" if module == "awscli" else module, *rest])
    if module == "http.server":
        _serve(call, rest)
    elif module in ("timeit", "cProfile", "profile", "trace", "pdb", "runpy", "code"):
        if module == "pdb" and {"-c", "--command"} & set(rest):
            call.opaque("commands for a debugger")
        for word in rest:
            if module == "timeit" and not word.startswith("-"):
                python.classify(call, word)
            elif word.endswith(".py"):
                return _script(call, word, python.classify)
    elif (path := module.replace(".", "/") + ".py") and _is_written(call, path):
        return _script(call, path, python.classify)
    elif HOLE in module:
        call.opaque("a computed module")
    elif call.tables.python_modules.get(module) == "network" or module == "webbrowser":
        for word in [w for w in rest if not w.startswith("-")] or [""]:
            call.egress(word, sends=True)
        call.sink.labels.add(Label.UNTRUSTED)
    else:
        call.reads(w for w in rest if not w.startswith("-") and "/" in w)
        call.sink.labels.add(Label.PRIVATE)
    return None


def _php_serves(args: list[str]) -> str:
    at = args.index("-S") + 1 if "-S" in args else len(args)
    return args[at].rpartition(":")[0] if at < len(args) else ""


def _open_to(call: Call, host: str) -> None:
    """A server: what it shows stays here only if it listens on this machine alone."""
    if host in ("0.0.0.0", "::", "[::]", ""):  # noqa: S104 - compared, not bound
        call.egress(HOLE, WriteClass.INTERNAL, sends=True, kind="name")
    else:
        call.egress(host, WriteClass.INTERNAL, sends=True, kind="name")


def _serve(call: Call, rest: list[str]) -> None:
    host = "0.0.0.0"  # noqa: S104 - the module's own default, told as such
    for at, word in enumerate(rest):
        if word in ("-b", "--bind") and at + 1 < len(rest):
            host = rest[at + 1]
        elif word.startswith("--bind="):
            host = word.partition("=")[2]
    _open_to(call, host)


def other_language(call: Call) -> str | None:
    """node, deno, bun, perl, ruby, php, lua: `-e code`, a script, or the standard input."""
    spec = call.tables.values.get(f"{call.name} code", frozenset())
    values = call.tables.values.get(call.name, frozenset())
    options, rest = _with_code(call.args, spec | values)
    texts = [value for name, value in options if name in spec]
    modules = " ".join(value for name, value in options if name in ("-r", "-M", "-I", "--require"))
    joined = " ".join(call.args) if modules else ""
    if texts:
        for text in texts:
            code.classify(call, f"{joined if modules else ''}\n{text}")
        call.reads(word for word in rest if "/" in word or "." in word)
        if call.name == "perl" and any("|" in word for word in rest):
            call.opaque("perl opens a command as its input")
        if any(name.startswith("-i") for name, _ in options):
            for word in rest:
                call.writes(word, f"{call.name} -i")
        return None
    if call.name == "php" and (served := _php_serves(call.args)):
        _open_to(call, served)
        return None
    if call.name in ("deno", "bun") and rest[:1] and rest[0] in ("run", "eval", "test", "x"):
        return _runtime(call, rest)
    if not rest or rest[0] == "-":
        if call.stdin is not None:
            code.classify(call, call.stdin)
        return None
    return _script(call, rest[0], code.classify)


def _runtime(call: Call, rest: list[str]) -> str | None:
    words = [word for word in rest[1:] if not word.startswith("-")]
    if rest[0] == "eval" and words:
        code.classify(call, words[0])
    elif rest[0] == "x" and words:
        call.egress(words[0], is_index=True)
    elif words and "://" in words[0]:
        call.egress(words[0])
        call.opaque("code from a URL")
    elif words:
        return _script(call, words[0], code.classify)
    return None


def _with_code(args: list[str], values: frozenset[str]) -> tuple[list, list[str]]:  # type: ignore[type-arg]
    """Options up to the script; options may be clustered (`perl -ne code`)."""
    return leading(args, values)


def awk(call: Call) -> str | None:
    """awk: the program text may run commands, write files and open sockets."""
    values = call.tables.values.get("awk", frozenset())
    options, rest = leading(call.args, values)
    if any(name in ("-f", "--file") for name, _ in options):
        for name, value in options:
            if name in ("-f", "--file"):
                _script(call, value, code.classify)
    elif rest:
        code.classify(call, rest[0])
        if _AWK_PIPE.search(_AWK_REGEX.sub("R", _AWK_TEXT.sub("S", rest[0]))):
            call.opaque("awk runs a program")
            code.commands(call, rest[0])
        for path in re.findall(r'>\s*"([^"\n]{1,200})"', rest[0]):
            call.writes(path, "awk")
        rest = rest[1:]
    call.reads(word for word in rest if "=" not in word)
    call.sink.labels.add(Label.PRIVATE)
    return None


def editor(call: Call) -> str | None:
    """vim, emacs, ed: commands on the command line or the standard input may run programs."""
    for at, word in enumerate(call.args):
        previous = call.args[at - 1] if at else ""
        is_code = previous in ("-c", "--cmd", "--eval", "-S", "-s", "--command", "-l", "--load")
        if is_code or word.startswith(("+", "--eval=")):
            if "!" in word or "system" in word or "shell" in word or "call-process" in word:
                call.opaque("an editor runs a command")
        elif not word.startswith("-"):
            call.reads([word])
            call.writes(word, call.name)
    if call.stdin is not None and ("!" in call.stdin or HOLE in call.stdin):
        call.opaque("an editor fed with commands")
    return None


def windows(call: Call) -> str | None:
    """PowerShell and cmd are recognised and opaque; their web requests are external (SH-10)."""
    call.opaque("a Windows shell")
    text = " ".join(call.args)
    if code.WEB_REQUEST.search(text):
        urls = code.urls(text)
        for url in urls or [HOLE]:
            call.egress(url, sends=True)
        call.sink.labels.add(Label.UNTRUSTED)
    return None


def web_request(call: Call) -> str | None:
    """`iwr`, `irm`, `Invoke-WebRequest`, `curl.exe` (SH-10)."""
    urls = [word for word in call.args if "://" in word]
    for url in urls or [word for word in call.args if not word.startswith("-")] or [HOLE]:
        call.egress(url, sends=True)
        call.fetched(url)
    return None


HANDLERS = {
    **dict.fromkeys(SHELLS, shell),
    **dict.fromkeys(
        ("python", "python2", "python3", "pypy", "pypy3", "ipython", "py"), python_program
    ),
    **dict.fromkeys(
        ("node", "nodejs", "deno", "bun", "perl", "ruby", "php", "lua", "Rscript", "osascript",
         "tclsh", "julia", "elixir", "ts-node", "tsx"), other_language
    ),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), awk),
    **dict.fromkeys(("vi", "vim", "nvim", "ex", "view", "ed", "emacs"), editor),
    **dict.fromkeys(("pwsh", "powershell", "powershell.exe", "cmd", "cmd.exe"), windows),
    **dict.fromkeys(
        ("iwr", "irm", "invoke-webrequest", "invoke-restmethod", "curl.exe", "wget.exe",
         "start-bitstransfer"), web_request
    ),
}  # fmt: skip
