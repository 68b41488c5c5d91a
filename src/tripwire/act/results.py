"""What a result teaches: labels, tokens, secrets, values, the fate of paths (flow.md FLOW-5).

A result of only typed values (numbers, dates, booleans) carries no instruction and adds no
`untrusted` (TYPE-1). Does not catch: an instruction spelt in numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tripwire.act.arguments import all_texts
from tripwire.act.facts import CallFacts, result_facts
from tripwire.act.params import call_effect, tool_options
from tripwire.act.paths import PathContext, path_kinds, resolve
from tripwire.act.record_lesson import learn_records, source_of
from tripwire.act.role import UNKNOWN
from tripwire.act.shell.effects import FileWrite, ShellEffects
from tripwire.memory.files import Files
from tripwire.memory.memory import Memory
from tripwire.memory.tokens import Tokens, bits_of
from tripwire.model.event import ToolResult
from tripwire.model.label import Label, Origin, Trust
from tripwire.rule import Case
from tripwire.text import content, words

_DATE = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
)
_NUMBER = re.compile(r"[+-]?\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,3})?")
_DURATION = re.compile(r"P(?:\d{1,6}[YMWD])*(?:T(?:\d{1,6}(?:\.\d{1,6})?[HMS])+)?")
_HIT = re.compile(r"^([^\s:][^:\n]{0,512}):", re.MULTILINE)
_MAX_HITS = 4000
_COPIES = frozenset({"cp", "install", "ln"})
_TOUCHES = frozenset({"chmod", "chown", "chgrp", "touch"})
_PLAIN = re.compile(r"[\w./@+,=~ -]+")
"""A command with no operator, quote or expansion: it succeeds or the whole line fails."""
_MKDIR = re.compile(r"mkdir(?: -v| -m ?[0-7]{3,4})*(?: [\w./@+,=~][\w./@+,=~-]*)+")
_WHOLE_WRITES = frozenset({"write", ">", "&>", ">|", "tee"})


def learn_result(event: ToolResult, case: Case, receipt: int) -> None:
    """Teach `case.memory` what this result holds; `receipt` is its number in the journal."""
    memory = case.memory
    facts = result_facts(event, case)
    options = tool_options(case.policy, event.source, event.tool)
    trust = trust_of(facts, case, event.source, options.trust)
    texts = tuple(content.texts(event.result))
    before = Label.UNTRUSTED in memory.labels
    carried = facts.tainted or (before and _carries(event, facts, memory.tokens))
    where = next((p.shown for p in facts.places), next(iter(facts.read_paths), ""))
    origin = Origin(receipt, event.source, event.tool, trust, where)
    labels = _labels(event, facts, case, texts, trust, carried=carried)
    secret = Label.SECRET in labels
    if memory.secrets.learn_result(event.result, secret_source=secret, origin=origin):
        labels |= {Label.SECRET}
    for label in sorted(labels):
        memory.labels.add(label, origin)
    if facts.shell is not None:
        memory.files.started |= facts.reads
    trusted = Label.UNTRUSTED not in memory.labels
    bits = bits_of(trust, labels, tainted=carried)
    memory.tokens.learn(texts, bits, origin, established=trusted)
    upstream = case.policy.upstream(event.source)
    locale = upstream.locale if upstream is not None else ""
    effect = call_effect(case, event.source, event.tool)
    memory.provenance.learn_result(
        event, receipt, trust=trust, options=options, effect=effect, locale=locale
    )
    memory.deeds.learn_result(event, receipt)
    source = source_of(event, facts, case, trust, receipt)
    learn_records(event, facts, case, source, carried=carried)
    if facts.role is not None and facts.role.user_words:
        _learn_answers(event.result, memory, receipt)
    _learn_paths(event, facts, memory, origin)


def trust_of(facts: CallFacts, case: Case, source: str, override: Trust | None) -> Trust:
    """Who could have authored the text of the result."""
    role = facts.role or UNKNOWN
    upstream = case.policy.upstream(source)
    if upstream is not None and not facts.judged:
        return override if override is not None else upstream.trust
    if role.source is not None:
        own = role.source
    else:
        own = Trust.WORLD if Label.UNTRUSTED in facts.reads else Trust.PLATFORM
    if upstream is None:
        return own
    return min(own, override if override is not None else upstream.trust)


# ── labels ───────────────────────────────────────────────────────────────────────────────────


def _labels(
    event: ToolResult,
    facts: CallFacts,
    case: Case,
    texts: Sequence[str],
    trust: Trust,
    *,
    carried: bool,
) -> frozenset[Label]:
    labels = set(facts.reads) if facts.judged else set()
    if facts.role is not None and facts.role.kind == "background":
        labels |= case.memory.files.started
    if trust <= Trust.MEMBER or carried:
        labels.add(Label.UNTRUSTED)
    plain = Label.UNTRUSTED in labels and not carried and not event.is_error
    if plain and not event.omitted and _only_typed(event.result, case.memory.tokens):
        labels.discard(Label.UNTRUSTED)
    if facts.read_paths and _shows_secret_path(event, case, texts):
        labels.add(Label.SECRET)
    return frozenset(labels)


def _only_typed(result: object, tokens: Tokens) -> bool:
    """Whether every leaf is a boolean, number, date, duration, or an id the user named (TYPE-1)."""
    found = False
    for document in content.documents(result):
        for leaf in _leaves(document):
            found = True
            if isinstance(leaf, str) and not _is_typed(leaf, tokens):
                return False
    return found


def _leaves(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        for key, item in value.items():
            if not str(key).replace("_", "").isalnum() or len(str(key)) > 32:
                yield str(key)  # a key that is no name is text
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _is_typed(text: str, tokens: Tokens) -> bool:
    text = text.strip()
    if text.casefold() in ("true", "false", "null", "yes", "no", ""):
        return True
    if any(shape.fullmatch(text) for shape in (_NUMBER, _DATE)):
        return True
    if len(text) > 1 and _DURATION.fullmatch(text):
        return True
    return len(text) <= 64 and " " not in text and "/" not in text and tokens.typed(text)


def _carries(event: ToolResult, facts: CallFacts, tokens: Tokens) -> bool:
    """Whether what the call was given was a stranger's or the agent's own making (PROV-5)."""
    role = facts.role or UNKNOWN
    if facts.shell is not None or role.kind == "background":
        return True  # whatever a command prints now, the agent may have made it
    if facts.read_paths:
        return False  # a file is as tainted as its path
    for text in all_texts(event.args):
        marks = [*words.addresses((text,)), *(r for r in words.runs(text) if _is_mark(r))]
        if any(tokens.seen(mark).untrusted for mark in marks[:200]):
            return True
    return False


def _is_mark(run: str) -> bool:
    return len(run) >= 6 and any(c.isdigit() for c in run)


def _shows_secret_path(event: ToolResult, case: Case, texts: Sequence[str]) -> bool:
    """Whether lines of a search name a secret file as the place of a hit (flow.md §3.8)."""
    files = case.memory.files
    kinds = path_kinds(case.policy.flow.paths, files.home)
    here = PathContext(event.cwd or files.root, files.home, event.links, files.root)
    named = {hit for text in texts for hit in _HIT.findall(text)[:_MAX_HITS]}
    return any("." in n and kinds.secret.any(resolve(n, here)) for n in named)


def _learn_answers(result: object, memory: Memory, receipt: int) -> None:
    """What a person answered is the user's own words; the question was the agent's."""
    for document in content.documents(result):
        answers = document.get("answers") if isinstance(document, dict) else None
        if isinstance(answers, dict):
            for answer in answers.values():
                if isinstance(answer, str):
                    memory.tokens.learn_user(answer, receipt)
                    memory.secrets.learn_user(answer)


# ── paths ────────────────────────────────────────────────────────────────────────────────────


def _learn_paths(event: ToolResult, facts: CallFacts, memory: Memory, origin: Origin) -> None:
    files = memory.files
    tainted = Label.UNTRUSTED in memory.labels
    for write in facts.writes:
        if tainted or write.downloaded:
            taint_write(files, write, origin)
        if not event.is_error:
            files.keep_text(write.path, _text_now(event, write, files, facts.read_paths))
            whole = write.how in _WHOLE_WRITES and not _was_there(event)
            if whole or (write.how == "mkdir" and _made_anew(event)):
                files.create(write.path)
    if event.is_error:
        return
    for path in facts.deletions:
        files.forget(path)
    moved = [w.path for w in facts.writes if w.how in ("move", "mv", "git mv")]
    if not all(map(files.made_here, facts.read_paths)):
        for path in moved:
            files.disown(path)
    if moved and facts.shell is None:
        files.rename(moved[0], moved[-1])
    elif moved:
        for old in facts.read_paths:
            for new in moved:
                files.rename(old, new)
    if facts.shell is not None:
        _learn_remotes(facts.shell, memory)


def _text_now(
    event: ToolResult, write: FileWrite, files: Files, sources: Sequence[str]
) -> str | None:
    """The whole text of a file after a write, None if it cannot be told."""
    if write.how in _WHOLE_WRITES:
        return write.content
    before = files.scripts.get(write.path)
    if write.how in _TOUCHES:
        return before
    if write.how in _COPIES:
        return next((files.scripts[p] for p in sources if p in files.scripts), None)
    if before is None or write.content is None:
        return None
    if write.how == ">>":
        return before + write.content
    old = event.args.get("old_string")
    if write.how == "edit" and isinstance(old, str) and old and old in before:
        return before.replace(old, write.content, -1 if event.args.get("replace_all") else 1)
    return None


def taint_write(files: Files, write: FileWrite, origin: Origin) -> None:
    """A write that carries a stranger's text; `dir/**` is a whole tree (PROV-9)."""
    tree = write.path.endswith("/**")
    files.taint(write.path.removesuffix("/**"), origin, tree=tree)


def _was_there(event: ToolResult) -> bool:
    """Whether the client says that the file existed before."""
    result = event.result
    return isinstance(result, dict) and result.get("type") == "update"


def _made_anew(event: ToolResult) -> bool:
    """Whether every `mkdir` of a command made what was not there before (OBJ-4).

    One without `-p` fails if the directory is there, and so does the line if nothing but `&&`
    joins its commands; one that failed without saying so to us has said so in its output.
    """
    command = event.args.get("command")
    if not isinstance(command, str) or any("mkdir" in t for t in content.texts(event.result)):
        return False
    return all(
        _MKDIR.fullmatch(part) if "mkdir" in part else _PLAIN.fullmatch(part)
        for part in command.strip().split(" && ")
    )


def _learn_remotes(shell: ShellEffects, memory: Memory) -> None:
    spelled = shell.words
    if not {"git", "remote"} <= set(spelled) or not {"add", "set-url", "rename"} & set(spelled):
        return
    at = spelled.index("remote")
    named = [w for w in spelled[at + 1 :] if w[:1] != "-" and w not in ("add", "set-url")]
    for name in named[:3]:
        if Label.UNTRUSTED in memory.labels:
            memory.files.change_remote(name)
        else:
            memory.files.remember_remotes([name], trusted=True)
