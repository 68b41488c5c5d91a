"""Programs whose purpose is to reach another machine (the egress row of flow.md §3.6)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tripwire.act.shell import code, hosts
from tripwire.act.shell.redirect import content_of
from tripwire.act.shell.text import HOLE
from tripwire.model.label import Label, WriteClass

if TYPE_CHECKING:
    from tripwire.act.shell.call import Call, Option

_PLAIN_HEADERS = re.compile(
    r"(?i)(?:accept(?:-language|-encoding|-charset)?|content-type|user-agent|cache-control|range"
    r"|if-none-match|if-modified-since|x-github-api-version|connection|pragma)\s*:[^\0]{0,80}"
)
_METHOD = re.compile(r"(?i)get|head|options|post|put|patch|delete|trace|connect|[A-Z]{3,10}")
_READ_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_FILE_OPTIONS = frozenset(
    {"-T", "--upload-file", "-K", "--config", "-b", "--cookie", "-E", "--cert", "--key",
     "--post-file", "--body-file", "-i", "--input-file", "--load-cookies", "--netrc-file"}
)  # fmt: skip
_CONFIG = frozenset({"-K", "--config", "-i", "--input-file", "--next"})
_ROUTES = frozenset(
    {"-x", "--proxy", "--preproxy", "--socks5", "--socks5-hostname", "--socks4", "--socks4a",
     "--resolve", "--connect-to", "--doh-url", "--dns-servers", "--proxy1.0", "--all-proxy"}
)  # fmt: skip
_OUTPUTS = frozenset({"-o", "--output", "-O", "--output-document", "--out", "-c", "--cookie-jar",
                      "-D", "--dump-header", "--trace", "--trace-ascii", "--stderr"})  # fmt: skip


def is_information(args: list[str]) -> bool:
    """`--version`, `help` and the like reach nobody (SH-11)."""
    if not args:
        return False
    if len(args) == 1:
        return args[0] in ("--version", "-V", "--help", "-h", "version", "help", "-version", "-v")
    return len(args) <= 4 and args[-1] in ("help", "--help") and not args[0].startswith("-")


def egress(call: Call) -> str | None:
    """A program of the egress table."""
    kind = call.tables.egress[call.name]
    if is_information(call.args):
        return None
    _KINDS[kind](call)
    return None


def url(call: Call) -> None:
    """curl, wget, httpie, text browsers: options that send, write, or take another route."""
    options, words = call.options()
    sends = _sends(call, options)
    _files(call, options, words)
    places = [word for word in words if not _is_item(call, word)]
    places += [value for name, value in options if name == "--url"]
    if any(name in _CONFIG for name, _ in options):
        places.append(HOLE)
        sends = True
    for name, value in options:
        if name in _ROUTES:
            call.egress(value, sends=True, kind="bare")
    if call.name in ("http", "https", "xh", "xhs"):
        places, more = _httpie(words)
        sends = sends or more
    for place in places or [HOLE]:
        call.egress(place if not _globbed(call, place) else place + HOLE, sends=sends, kind="bare")
        call.fetched(place, kind="bare")


def _globbed(call: Call, place: str) -> bool:
    return (
        call.name == "curl"
        and ("{" in place or "[" in place.partition("://")[2].lstrip("[")[1:])
        and not re.match(r"\w+://\[[0-9a-f:.]+\]", place)
    )


def _is_item(call: Call, word: str) -> bool:
    return call.name == "aria2c" and word.endswith((".torrent", ".metalink"))


def _httpie(words: list[str]) -> tuple[list[str], bool]:
    methods = [word.upper() for word in words[:1] if _METHOD.fullmatch(word)]
    places = words[len(methods) :]
    items = places[1:]
    sends = bool(items) or any(method not in _READ_METHODS for method in methods)
    return [re.sub(r"^:(?=[\d/]|$)", "localhost:", place) for place in places[:1]], sends


def _sends(call: Call, options: list[Option]) -> bool:
    table = call.tables.sends.get(call.name, frozenset())
    for name, value in options:
        if name in ("-X", "--request", "--method"):
            if value.upper() not in _READ_METHODS:
                return True
        elif name in ("-H", "--header"):
            if not _PLAIN_HEADERS.fullmatch(value):
                return True
        elif name in table or (len(name) > 4 and any(full.startswith(name) for full in table)):
            return True
    return False


def _files(call: Call, options: list[Option], words: list[str]) -> None:
    for name, value in options:
        pattern = r"[@<]" if name == "--data-urlencode" else r"(?:^|=)[@<]"
        at = re.search(pattern + r"([^;,]+)", value)
        if name in _FILE_OPTIONS and value:
            call.reads([value])
        elif at and name not in ("-H", "-o", "--output", "-O"):
            call.reads([at[1]])
        elif name in ("-H", "--header") and value.startswith("@"):
            call.reads([value[1:]])
        elif name in _OUTPUTS and value and value != "-":
            call.writes(value, call.name, downloaded=True)
        elif name in ("-P", "--directory-prefix", "--output-dir", "-d", "--dir") and (
            call.name in ("wget", "aria2c") or name == "--output-dir"
        ):
            call.writes(value.rstrip("/") + "/*", call.name, downloaded=True)
        elif name == "--use-askpass" or (name == "-e" and call.name == "wget"):
            call.opaque("an option that runs or configures")
    names = {name for name, _ in options}
    remote_name = names & {"-O", "--remote-name", "--remote-name-all", "-J"}
    if (call.name == "curl" and remote_name) or (
        call.name in ("wget", "aria2c") and not names & {"-O", "--output-document", "-o", "--out"}
    ):
        for word in words:
            last = word.partition("?")[0].rstrip("/").rpartition("/")[2]
            if "://" not in word or word.count("/") > 2:
                call.writes(last or "index.html", call.name, downloaded=True)


def host(call: Call) -> None:
    """nc, telnet, ftp, tftp, openssl s_client: the first word is a host."""
    options, words = call.options()
    for name, value in options:
        if name in ("-e", "-c", "--exec", "--sh-exec", "--lua-exec"):
            call.opaque("a connection that runs a program")
            call.runner.text(value, call.scope.copy(), HOLE)
        elif name in ("-x", "--proxy", "-X"):
            call.egress(value, sends=True, kind="bare")
    if any(name in ("-l", "--listen") for name, _ in options):
        call.egress("0.0.0.0", WriteClass.EXTERNAL, sends=True)  # noqa: S104 - told, not bound
        call.opaque("waits for a connection")
        return
    if call.name in ("chisel", "bore") and len(words) > 1:
        words = words[1:]  # the first word is a verb
    quiet = any(name == "-z" for name, _ in options)
    for word in words[:1] or [HOLE]:
        call.egress(word, sends=not quiet, kind="bare")
        call.fetched(word, kind="bare")


def openssl(call: Call) -> str | None:
    """`openssl s_client -connect host:port` is a connection; the rest is local."""
    if call.args[:1] in (["s_client"], ["s_time"], ["ocsp"], ["ts"], ["cmp"]):
        found = [
            call.args[at + 1]
            for at, word in enumerate(call.args[:-1])
            if word in ("-connect", "-host", "-proxy", "-url", "-server")
        ]
        found += [w for w in call.args[1:] if re.fullmatch(r"[\w.-]+:\d+", w)] if not found else []
        if found or call.args[0] in ("s_client", "s_time"):
            for word in found or [HOLE]:
                call.egress(word, sends=True, kind="bare")
                call.fetched(word, kind="bare")
    elif call.args[:1] == ["s_server"]:
        call.egress("0.0.0.0", sends=True)  # noqa: S104 - told, not bound
    options, _ = call.options()
    call.reads(v for n, v in options if n in ("-in", "-inkey", "-key") and v)
    for name, value in options:
        if name == "-out":
            call.writes(value, "openssl")
    return None


def remote(call: Call) -> None:
    """ssh, scp, sftp, rsync: a host, or `host:path` words; options may run local commands."""
    options, words = call.options()
    for name, value in options:
        key, _, inner = re.sub(r"[\s=]+", "=", value.strip(), count=1).partition("=")
        if name == "-o" and key.strip().lower() in (
            "proxycommand", "localcommand", "knownhostscommand", "match"
        ):  # fmt: skip
            call.runner.text(inner, call.scope.copy(), HOLE)
        elif name == "-S" and call.name in ("scp", "sftp"):
            call.runner.text(value, call.scope.copy(), HOLE)
        elif name in ("-e", "--rsh") and call.name == "rsync":
            call.runner.text(value + " rsync", call.scope.copy(), HOLE)
        elif name in ("-J", "-W", "-L", "-R", "-D") and call.name == "ssh":
            call.egress(value, sends=True, kind="remote" if name == "-J" else "none")
        elif name in ("-F", "-b") and value:
            call.opaque("settings or commands from a file")
        elif name == "-i":
            call.reads([value])
    if call.name in ("ssh", "mosh", "autossh", "sshpass", "slogin", "sftp"):
        for word in words[:1] or [HOLE]:
            call.egress(word, sends=True, kind="name" if "@" not in word else "remote")
            call.fetched(word, kind="name" if "@" not in word else "remote")
        return
    _copied(call, words)


def _copied(call: Call, words: list[str]) -> None:
    far = [w for w in words if hosts.is_remote_path(w) or "://" in w or w.startswith(HOLE)]
    for word in words:
        if word not in far:
            call.reads([word])
    to_far = bool(words) and words[-1] in far
    for word in far:
        call.egress(word, sends=to_far and word == words[-1], kind="remote")
        call.fetched(word, kind="remote")
    if far and not to_far:
        call.writes(words[-1], call.name, downloaded=True)
    elif call.name == "rsync" and not far and words:
        call.writes(words[-1], "rsync")
        if any(arg.startswith("--del") or arg == "--remove-source-files" for arg in call.args):
            call.deletes(words[-1], "rsync --delete", recursive=True)


def mail(call: Call) -> None:
    """mail, mailx, sendmail, mutt: words are addresses."""
    options, words = call.options()
    people = [word for word in words if "@" in word or HOLE in word]
    people += [v for n, v in options if n in ("-c", "-b", "-t", "--to", "--cc", "--bcc") and v]
    call.reads(v for n, v in options if n in ("-a", "-A", "--attach", "--body") and v)
    people += re.findall(r"(?im)^(?:to|cc|bcc):\s*(\S+@\S+)", call.stdin or "")
    for person in people or words[:1] or [HOLE]:
        call.egress(person, sends=True, kind="mail")


def dns(call: Call) -> None:
    """dig, host, nslookup, getent, ping: a name that is looked up is sent (SH-13)."""
    names_a_host = call.args[:1] in (["hosts"], ["ahosts"], ["ahostsv4"], ["ahostsv6"])
    if call.name == "getent" and not names_a_host and HOLE not in "".join(call.args):
        call.sink.labels.add(Label.PRIVATE)
        return
    _, words = call.options()
    names = [word for word in words if not re.fullmatch(r"[A-Z]+|\+\S*|a?hosts\w*", word)]
    for word in names or [HOLE]:
        call.egress(word.lstrip("@"), sends=HOLE in word, kind="name")


def database(call: Call) -> None:
    """redis-cli, psql, mysql, mongosh: a host by option, URL or environment; SQL is judged."""
    options, words = call.options()
    given = [
        v for n, v in options if n in ("-h", "--host", "-u", "--uri", "--url", "--dbname") and v
    ]
    places = [v for v in given if n_is_host(v, call)] + [w for w in words if "://" in w]
    places += [m for w in words for m in re.findall(r"\bhost(?:addr)?=(\S+)", w)]
    place = places or [call.scope.vars.get("PGHOST", "localhost")]
    for word in place:
        call.egress(word, sends=True, kind="name" if "/" not in word else "bare")
        call.fetched(word, kind="name" if "/" not in word else "bare")
    texts = [v for n, v in options if n in ("-c", "-e", "--command", "--execute", "--eval") and v]
    for text in [*texts, call.stdin or "", " ".join(words)]:
        code.sql(call, text)
    for name, value in options:
        if name in ("-f", "--file") and value:
            call.reads([value])
            code.sql(call, content_of(value, call.scope))
        elif name in ("-o", "--output") and value:
            call.writes(value, call.name)


def n_is_host(value: str, call: Call) -> bool:
    """Whether an option's value names a place: `-u` is a user for mysql, a URL for redis-cli."""
    if "://" in value or "host=" in value:
        return True
    return value in [word for flag in ("-h", "--host") for word in _after(call.args, flag)]


def _after(args: list[str], flag: str) -> list[str]:
    found = [args[at + 1] for at, word in enumerate(args[:-1]) if word == flag]
    found += [w[len(flag) :].lstrip("=") for w in args if w.startswith(flag) and w != flag]
    return found


def sqlite(call: Call) -> str | None:
    """`sqlite3 file sql`: local, but it may delete or run programs."""
    _, words = call.options()
    call.reads(words[:1])
    for text in [*words[1:], call.stdin or ""]:
        code.sql(call, text)
    call.sink.labels.add(Label.PRIVATE)
    return None


def socket(call: Call) -> None:
    """Socat and its kind: addresses of the form `TCP:host:port` or `EXEC:command`."""
    reached = False
    for word in call.args:
        kind, _, rest = word.partition(":")
        if kind.upper() in ("EXEC", "SYSTEM", "SHELL"):
            call.opaque("a connection that runs a program")
            call.runner.text(rest.partition(",")[0], call.scope.copy(), HOLE)
        elif re.match(r"(?i)(?:tcp|udp|openssl|ssl|sctp|proxy|socks\w*|dtls)", kind) and rest:
            reached = True
            place = rest if "listen" not in kind.lower() else "0.0.0.0"  # noqa: S104 - told only
            call.egress(place, sends=True, kind="remote" if ":" in place else "name")
            call.fetched(place, kind="remote" if ":" in place else "name")
        elif kind.upper() in ("FILE", "OPEN", "GOPEN"):
            call.reads([rest.partition(",")[0]])
    if not reached:
        call.egress(HOLE, sends=True)


def unknown_shape(call: Call) -> None:
    """Clients with remotes of their own (rclone, lftp, tor): every word may be a place."""
    _, words = call.options()
    far = [word for word in words if ":" in word or HOLE in word or "://" in word]
    call.reads(word for word in words if word not in far)
    for word in far or words[-1:] or [HOLE]:
        call.egress(word, sends=True, kind="none")
    call.sink.labels.add(Label.UNTRUSTED)


_KINDS = {
    "url": url,
    "host": host,
    "remote": remote,
    "mail": mail,
    "dns": dns,
    "database": database,
    "socket": socket,
    "other": unknown_shape,
}
HANDLERS = {"openssl": openssl, "sqlite3": sqlite}
