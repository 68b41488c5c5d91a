"""Programs that read, write, move and delete files (SH-7 and the destructive row of §3.6)."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING

from tripwire.act.shell.call import parse_options
from tripwire.act.shell.hosts import is_url
from tripwire.act.shell.programs.wrappers import basename
from tripwire.act.shell.redirect import content_of
from tripwire.act.shell.text import HOLE
from tripwire.model.label import Label, WriteClass

if TYPE_CHECKING:
    from tripwire.act.shell.call import Call

_SED_RUNS = re.compile(
    r"(?:^|[;{}\n\d$/!])\s*(?:e(?:\s|$)|s(.).*?\1.*?\1\w*e\w*\s*(?:[;}\n]|$))", re.DOTALL
)
_SED_WRITES = re.compile(r"(?:^|[;{}\n\d$/]|[/|#,]\w*)[wW]\s+(\S+)")
_NO_OUTPUT = frozenset(
    {"true", "false", ":", "test", "[", "sleep", "usleep", "wait", "exit", "return", "break",
     "continue", "kill", "shopt", "unalias", "unset", "disown", "let", "sync"}
)  # fmt: skip
_SYSTEM = ("/etc", "/usr", "/bin", "/sbin", "/lib", "/var", "/root", "/boot", "/opt", "/")
_MAX_CONTENT = 262_144


def local(call: Call) -> str | None:
    """A local program: its words may be files whose content it shows."""
    if call.name in call.tables.silent:
        return "" if call.name in _NO_OUTPUT else None
    call.sink.labels.add(Label.PRIVATE)
    options, words = call.options()
    values = [value for name, value in options if name.startswith("--") and value]
    for word in [*words, *values]:
        if is_url(word) and not word.startswith("file:"):  # ffmpeg, pandoc, xmllint open URLs
            call.egress(word, sends=HOLE in word)
            call.fetched(word)
    if call.name not in call.tables.runners:
        call.reads(word for word in [*words, *values] if not is_url(word))
    return None


def inner_command(call: Call) -> str | None:
    """`ip netns exec name words`, `man -P pager`, `logger -n host`: unlikely ways out."""
    args = call.args
    if call.name == "ip" and args[:2] == ["netns", "exec"]:
        return call.run(args[3:]) if args[3:] else ""
    pagers = ("-P", "--pager", "-H", "--html")
    if call.name == "man" and any(word.startswith(pagers) for word in args):
        call.opaque("a pager that runs a program")
    if call.name == "logger":
        for at, word in enumerate(args[:-1]):
            if word in ("-n", "--server"):
                call.egress(args[at + 1], sends=True, kind="name")
    return local(call)


def cat(call: Call) -> str | None:
    """`cat`: what is written here or comes in goes out."""
    words = [word for word in call.args if not word.startswith("-") or word == "-"]
    call.reads(words)
    call.sink.labels.add(Label.PRIVATE)
    if not words:
        return call.stdin
    texts = [(call.stdin or "") if word == "-" else content_of(word, call.scope) for word in words]
    if any(HOLE in text for text in texts):
        return None
    return "".join(texts)[:_MAX_CONTENT]


def decode_base64(call: Call) -> str | None:
    """`base64 -d` of a known text gives a known text."""
    options, words = call.options()
    call.reads(words)
    call.sink.labels.add(Label.PRIVATE)
    if not any(name in ("-d", "-D", "--decode") for name, _ in options):
        return None
    text = content_of(words[0], call.scope) if words else call.stdin
    if text is None or HOLE in text or len(text) > _MAX_CONTENT:
        return None
    try:
        decoded = base64.b64decode("".join(text.split()) + "==", validate=False)
    except (ValueError, binascii.Error):
        return None
    return decoded.decode("utf-8", "replace").replace(HOLE, "")


def tee(call: Call) -> str | None:
    """`tee`."""
    for word in call.args:
        if not word.startswith("-"):
            call.writes(word, "tee", call.stdin)
    return call.stdin


def grep(call: Call) -> str | None:
    """grep, rg, ag: the first word is a pattern, the others are paths."""
    options, words = call.options()
    has_pattern = any(name in ("-e", "-f", "--regexp", "--file", "--files") for name, _ in options)
    for name, value in options:
        if name in ("-f", "--file"):
            call.reads([value])
        if name in ("--pre", "--hostname-bin"):
            call.opaque("a search that runs a program")
    paths = words if has_pattern else words[1:]
    call.reads(paths)
    recursive = any(name in ("-r", "-R", "--recursive", "-d") for name, _ in options)
    if not paths and (recursive or call.name in ("rg", "ag", "ack")):
        call.reads(["."])
    call.sink.labels.add(Label.PRIVATE)
    return None


def sed(call: Call) -> str | None:
    """`sed`: `-i` writes in place; `e` runs and `w` writes inside the script."""
    options, words = call.options()
    scripts = [v for n, v in options if n in ("-e", "--expression")]
    files = words
    if not scripts and not any(name in ("-f", "--file") for name, _ in options):
        scripts, files = words[:1], words[1:]
    for name, value in options:
        if name in ("-f", "--file"):
            call.reads([value])
            if content_of(value, call.scope) != HOLE or HOLE in value:
                call.opaque("a sed script from a file")
    for script in scripts:
        if _SED_RUNS.search(script) or HOLE in script[:1]:
            call.opaque("sed runs a command")
        for target in _SED_WRITES.findall(script):
            call.writes(target, "sed")
    call.reads(files)
    if any(name[:2] == "-i" or name.startswith("--in-place") for name, _ in options):
        for word in files:
            call.writes(word, "sed -i")
    call.sink.labels.add(Label.PRIVATE)
    return None


def copy(call: Call) -> str | None:
    """cp, mv, ln, install: sources are read, the target (or a file in it) is written."""
    options, words = call.options()
    targets = [v for n, v in options if n in ("-t", "--target-directory")]
    if call.name == "install" and any(name in ("-d", "--directory") for name, _ in options):
        return ""
    sources, target = (words, targets[0]) if targets else (words[:-1], words[-1] if words else "")
    if len(words) == 1 and not targets:
        sources, target = words, basename(words[0])
    call.reads(sources)
    for source in sources:
        content = content_of(source, call.scope)
        text = None if content == HOLE else content
        call.writes(target, call.name, text)
        if not target.endswith(HOLE) or len(sources) > 1:
            call.writes(f"{target.rstrip('/')}/{basename(source)}", call.name, text)
        if call.name == "mv":
            _moved_away(call, source)
    return ""


def _moved_away(call: Call, source: str) -> None:
    from_ = call.scope.paths(source)
    for path in from_:
        call.sink.words[path] = None
    if any(path == call.scope.root or path in ("/", call.scope.home) for path in from_):
        call.deletes(source, "mv", recursive=True)


def link(call: Call) -> str | None:
    """`ln`: the new name is written; later uses of it are uses of the target."""
    return copy(call)


def remove(call: Call) -> str | None:
    """rm, rmdir, unlink, trash."""
    options, words = call.options()
    recursive = any(name in ("-r", "-R", "--recursive", "-d") for name, _ in options)
    for word in words:
        call.deletes(word, call.name, recursive=recursive)
    return ""


def destroy(call: Call) -> str | None:
    """shred, truncate, wipe, mkfs, fdisk: content is lost."""
    _, words = call.options()
    for word in words:
        call.deletes(word, call.name, recursive=True)
    return ""


def disk_copy(call: Call) -> str | None:
    """`dd`: `of=` is overwritten."""
    for word in call.args:
        key, _, value = word.partition("=")
        if key == "if":
            call.reads([value])
        elif key == "of":
            call.writes(value, "dd")
            if not value.startswith(("/dev/null", "/dev/std")):
                call.deletes(value, "dd")
    return None


def change_mode(call: Call) -> str | None:
    """chmod, chown, chgrp, chattr, setfacl: a write to the file; of the system, access."""
    _, words = call.options()
    for word in words[1:]:
        call.touches(word, call.name)
        if call.name != "chmod":
            for path in call.scope.paths(word):
                if path == "/" or path.startswith(tuple(f"{top}/" for top in _SYSTEM[:-1])):
                    call.sink.classes.add(WriteClass.PRIVILEGED)
        elif re.fullmatch(r"[24]\d{3}|[ugoa]*\+[rwx]*s\w*", words[0]):
            call.sink.classes.add(WriteClass.PRIVILEGED)
    return ""


def create(call: Call) -> str | None:
    """touch, mkdir, mkfifo, mknod: a name is made."""
    _, words = call.options()
    for word in words:
        call.writes(word, call.name)
    return ""


def make_temporary(call: Call) -> str | None:
    """`mktemp`: a new path in a scratch directory."""
    options, words = call.options()
    parent = next((v for n, v in options if n in ("-p", "--tmpdir") and v), "")
    name = words[0] if words else "tmp.XXXXXXXXXX"
    if name.startswith("/") or (words and not parent and not _in_tmp(call)):
        return name
    return f"{parent.rstrip('/') or '/tmp'}/{name}"  # noqa: S108 - told, not used


def _in_tmp(call: Call) -> bool:
    return any(word.startswith("-") and "t" in word for word in call.args)


_ARCHIVER_RUNS = frozenset(
    {"--to-command", "-I", "--use-compress-program", "--checkpoint-action", "--info-script", "-F",
     "--new-volume-script", "--rsh-command", "-TT"}
)  # fmt: skip


def archive(call: Call) -> str | None:
    """tar, unzip, 7z, cpio, ar: unpacking writes a tree; options of tar may run programs."""
    args = list(call.args)
    if call.name in ("tar", "bsdtar") and args and not args[0].startswith("-"):
        args[0] = "-" + args[0]
    options, words = parse_options(args, call.tables.values.get(call.name, frozenset()))
    names = {name for name, _ in options}
    for name, value in options:
        if name in _ARCHIVER_RUNS:
            command = value.removeprefix("exec=")
            if command != value or name != "--checkpoint-action":
                call.runner.text(command, call.scope.copy(), HOLE)
        elif name in ("-f", "--file", "-T", "--files-from"):
            _archive_file(call, value, creates=bool(names & {"-c", "--create", "-r", "-u"}))
    call.sink.labels.add(Label.PRIVATE)
    if call.name in ("tar", "bsdtar") and not names & {"-x", "--extract", "--get"}:
        call.reads(words)
        return None
    if names & {"-l", "-t", "-Z", "--list"}:
        call.reads(words)
        return None
    into = [v for n, v in options if n in ("-C", "--directory", "-d", "-o") and v]
    call.reads(words[:1])
    for target in into or ["."]:
        call.writes(target.rstrip("/") + "/**", call.name, downloaded=True)
    return None


def _archive_file(call: Call, word: str, *, creates: bool) -> None:
    if ":" in word.partition("/")[0]:  # tar reads and writes host:path over rsh
        call.egress(word, sends=True, kind="remote")
    elif creates:
        call.writes(word, call.name)
    else:
        call.reads([word])


def patch(call: Call) -> str | None:
    """`patch`: the files it changes are named in the patch."""
    options, words = call.options()
    inputs = [v for n, v in options if n in ("-i", "--input")] + words[1:2]
    call.reads(inputs)
    text = call.stdin if not inputs else content_of(inputs[0], call.scope)
    for name in patched_files(text):
        call.writes(name, "patch")
    if words:
        call.writes(words[0], "patch")
    elif text is None or HOLE in text:
        call.writes("**", "patch")
    return None


def patched_files(text: str | None) -> list[str]:
    """Paths that a unified diff changes, without the `a/` and `b/` prefixes."""
    found = re.findall(r"(?m)^(?:\+\+\+|---|rename to|copy to)\s+([^\t\n]+)", text or "")
    names = [re.sub(r"^[ab]/", "", name.strip()) for name in found]
    return [name for name in dict.fromkeys(names) if name != "/dev/null"]


def split_output(call: Call) -> str | None:
    """Sort -o, split, csplit, gzip, iconv -o, xxd: one input, a named output."""
    options, words = call.options()
    call.reads(words)
    call.sink.labels.add(Label.PRIVATE)
    for name, value in options:
        if name in ("-o", "--output") and value:
            call.writes(value, call.name)
        if name in ("--compress-program", "--filter") and value:
            call.runner.text(value, call.scope.copy(), HOLE)
    if call.name == "split" and words:
        call.writes((words[1] if len(words) > 1 else "x") + "*", "split")
    if call.name == "xxd" and len(words) > 1:
        call.writes(words[1], "xxd")
    return None


def look(call: Call) -> str | None:
    """ls, stat, which, ps: names and facts, no content; `ps e` shows environments."""
    call.sink.labels.add(Label.PRIVATE)
    if call.name == "ps" and any("e" in word and word.isalpha() for word in call.args):
        call.sink.labels.add(Label.SECRET)
    return None


_MAKE_VALUES = frozenset(
    {"-f", "--file", "--makefile", "-C", "--directory", "-I", "--eval", "-E", "-o", "-W"}
)


def make(call: Call) -> str | None:
    """`make`: the project's own rules are local; a shell or rules from the command line are not."""
    options, words = call.options(_MAKE_VALUES)
    call.sink.labels.add(Label.PRIVATE)
    for name, value in options:
        if name in ("--eval", "-E"):
            call.opaque("rules from the command line")
        elif name in ("-f", "--file", "--makefile"):
            written = any(path in call.scope.files for path in call.scope.paths(value))
            if written or value == "-" or HOLE in value:
                call.opaque("rules written in this session")
    for word in words:
        key, equals, value = word.partition("=")
        if equals and key.rstrip(":+?") in (
            "SHELL",
            ".SHELLFLAGS",
            "CC",
            "CXX",
            "MAKE",
            "AR",
            "LD",
        ):
            call.runner.text(value, call.scope.copy(), HOLE)
    return None


def compress(call: Call) -> str | None:
    """`zip`: `-TT` runs a program."""
    if any(word.startswith(("-TT", "--unzip-command")) for word in call.args):
        call.opaque("an archiver that runs a program")
    return local(call)


HANDLERS = {
    **dict.fromkeys(("cat", "tac"), cat),
    "base64": decode_base64,
    "tee": tee,
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack"), grep),
    **dict.fromkeys(("sed", "gsed"), sed),
    **dict.fromkeys(("cp", "mv", "install", "scp-local"), copy),
    "ln": link,
    **dict.fromkeys(("rm", "rmdir", "unlink", "trash", "srm"), remove),
    **dict.fromkeys(
        ("shred", "truncate", "wipe", "wipefs", "fdisk", "parted", "sgdisk", "mkswap", "mkfs",
         "mkfs.ext4", "mkfs.ext3", "mkfs.xfs", "mkfs.vfat", "mkfs.btrfs", "blkdiscard"), destroy
    ),
    "dd": disk_copy,
    **dict.fromkeys(("chmod", "chown", "chgrp", "chattr", "setfacl"), change_mode),
    **dict.fromkeys(("touch", "mkdir", "mkfifo", "mknod"), create),
    "mktemp": make_temporary,
    **dict.fromkeys(("tar", "bsdtar", "unzip", "7z", "7za", "unrar", "cpio", "ar"), archive),
    "patch": patch,
    **dict.fromkeys(("sort", "split", "csplit", "xxd", "iconv"), split_output),
    **dict.fromkeys(("ls", "dir", "stat", "du", "df", "tree", "which", "type", "ps"), look),
    **dict.fromkeys(("make", "gmake"), make),
    "zip": compress,
    **dict.fromkeys(("ip", "man", "logger"), inner_command),
}  # fmt: skip
