"""`draft-policy`: a first policy from what tools say of themselves (flow.md §4.3).

Looks at names, descriptions, argument schemas and annotations, never at calls or results. Each
role says why; a tool that nothing is known of is left out and listed, so that it stays unknown
(untrusted and of unknown effect) until a person describes it. Does not replace the
review: a tool may lie.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tripwire.model.label import WriteClass
from tripwire.workbench import draft_words as known

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[A-Za-z0-9]+")
_WEAK = frozenset({WriteClass.INTERNAL})
_VERBS = known.CLASS_OF_VERB.keys() | known.READ_VERBS | known.FETCH_VERBS
_AWAY = frozenset({WriteClass.EXTERNAL, WriteClass.PUBLIC, WriteClass.COMMIT})


@dataclass(frozen=True, slots=True)
class ToolText:
    """What one tool says of itself, taken apart."""

    name: str
    words: tuple[str, ...]
    """Of its name, folded, in the singular."""
    told: str
    """Its description, folded."""
    args: tuple[str, ...]
    hints: Mapping[str, bool] = field(default_factory=dict)
    """MCP annotations."""
    required: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Drafted:
    """One role, as it would stand in a policy, with the reasons."""

    tool: str
    role: Mapping[str, object]
    why: tuple[str, ...]
    variants: tuple[Mapping[str, object], ...] = ()
    """Where an argument decides what it does: the roles, first match first."""

    @property
    def entry(self) -> object:
        """What stands under the tool's name in a policy."""
        return [dict(each) for each in self.variants] if self.variants else dict(self.role)


@dataclass(frozen=True, slots=True)
class Draft:
    """The roles of one source, and the tools that were left out with the reason."""

    source: str
    roles: tuple[Drafted, ...] = ()
    omitted: tuple[tuple[str, str], ...] = ()

    def as_policy(self) -> dict[str, object]:
        """In the form of `tripwire.yaml`. Raises ValueError if no tool could be described."""
        if not self.roles:
            raise ValueError(f"nothing is known of the tools of {self.source}")
        tools = {drafted.tool: drafted.entry for drafted in self.roles}
        return {"flow": {"policies": {self.source: {"tools": tools}}}}


def draft_policy(tools: Iterable[Mapping[str, object]], *, source: str) -> Draft:
    """Draft roles for `tools`, in the form of an MCP `tools/list`."""
    roles, omitted = [], []
    for tool in tools:
        told = _told(tool)
        drafted = _draft(told, tuple(_split(source)))
        if drafted is None:
            omitted.append((told.name, "no word of its name says what it does"))
        else:
            roles.append(drafted)
    return Draft(source, tuple(roles), tuple(omitted))


# ── what a tool says ─────────────────────────────────────────────────────────────────────────


def _told(tool: Mapping[str, object]) -> ToolText:
    name = str(tool.get("name", ""))
    schema = tool.get("inputSchema") or tool.get("input_schema") or {}
    properties = schema.get("properties", {}) if isinstance(schema, Mapping) else {}
    required = schema.get("required", ()) if isinstance(schema, Mapping) else ()
    hints = tool.get("annotations")
    return ToolText(
        name,
        tuple(_split(name)),
        str(tool.get("description", "")).casefold(),
        tuple(str(arg) for arg in properties),
        hints if isinstance(hints, Mapping) else {},
        frozenset(map(str, required if isinstance(required, list | tuple) else ())),
    )


def _split(name: str) -> list[str]:
    return [_singular(word.casefold()) for word in _WORD.findall(_CAMEL.sub(" ", name))]


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word == "news":
        return word
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word


# ── what it does ─────────────────────────────────────────────────────────────────────────────


def _draft(told: ToolText, source: tuple[str, ...]) -> Drafted | None:
    command = next((arg for arg in told.args if arg in known.COMMAND_NAMES), None)
    verb = next((w for w in told.words if w in _VERBS), "")
    if command and (not verb or known.CLASS_OF_VERB.get(verb) is WriteClass.EXEC):
        role = {"classifier": "shell", "payload": command, "reads": ["private"]}
        return Drafted(told.name, role, (f"runs what its argument {command} says",))
    if not verb:
        return None
    fetched = next((arg for arg in told.args if arg in known.ADDRESS_NAMES), None)
    if fetched and verb in known.FETCH_VERBS and verb not in known.CLASS_OF_VERB:
        return _fetching(told, fetched)
    if verb in known.READ_VERBS and not _writes_although(verb, told):
        return _reading(told, verb, source)
    if fetched and verb in known.FETCH_VERBS:
        return _fetching(told, fetched)
    return _writing(told, next((w for w in told.words if w in known.CLASS_OF_VERB), "manage"))


def _writes_although(verb: str, told: ToolText) -> bool:
    """`read` and `access` are also nouns: a later verb of writing decides; so do annotations."""
    if told.hints.get("readOnlyHint") is False and told.hints.get("destructiveHint") is True:
        return True
    rest = told.words[told.words.index(verb) + 1 :]
    return verb in ("access", "status", "history") and any(w in known.CLASS_OF_VERB for w in rest)


def _fetching(told: ToolText, address: str) -> Drafted:
    role = {
        "reads": ["untrusted"],
        "source": "world",
        "writes": ["external"],
        "destination": [address],
        "carries_data": True,
        "payload": [address],
    }
    return Drafted(told.name, role, (f"opens {address}, which anybody may have written",))


def _reading(told: ToolText, verb: str, source: tuple[str, ...]) -> Drafted:
    words = (*told.words, *source)
    why = [f"{verb}: it reads"]
    reads = []
    strange = _strange(told)
    if strange:
        reads.append("untrusted")
        why.append(f"{strange}: others may have written it")
    public = [w for w in told.words if w in known.PUBLIC_NOUNS]
    if not public:
        reads.append("private")
        why.append("nothing says that it is public")
    if any(word in known.SECRET_NOUNS for word in words) and "search" not in told.words[1:]:
        reads.append("secret")
        why.append("it shows credentials")
    role: dict[str, object] = {"reads": reads, "source": "world" if strange else "platform"}
    if not reads:
        role = {"reads": [], "source": "platform", "records": True}
    role["records"] = True
    role |= _kind(told)
    return Drafted(told.name, role, tuple(why))


def _strange(told: ToolText) -> str:
    """The word for which what it reads may be a stranger's, "" for a system's own records."""
    strong = next((w for w in told.words if w in known.STRONG_STRANGER_NOUNS), "")
    if strong:
        return strong
    if any(w in known.PLATFORM_NOUNS for w in told.words):
        return ""
    return next((w for w in told.words if w in known.STRANGER_NOUNS), "its text")


def _writing(told: ToolText, verb: str) -> Drafted:
    effect = known.CLASS_OF_VERB[verb]
    why = [f"{verb}: {effect.value}"]
    if effect in _WEAK:
        effect, reason = _stricter(told, effect)
        why += [reason] if reason else []
    classes = {effect}
    if told.hints.get("destructiveHint") is True and effect in _WEAK:
        classes |= {WriteClass.DESTRUCTIVE}
        why.append("it says that it destroys")
    role: dict[str, object] = {"writes": sorted(c.value for c in classes)}
    role |= _arguments(told, classes) | _kind(told)
    also = sorted(w for w in known.ALSO_DELETES if w in told.told)
    chooser = next((arg for arg in told.args if arg in known.ACTION_NAMES), "")
    if chooser and also:
        deletes = {**role, "writes": [WriteClass.DESTRUCTIVE.value]}
        deletes["when"] = {chooser: list(known.DELETING_GLOBS)}
        why.append(f"its argument {chooser} can say {', '.join(also)}")
        return Drafted(told.name, role, tuple(why), (deletes, role))
    return Drafted(told.name, role, tuple(why))


def _stricter(told: ToolText, effect: WriteClass) -> tuple[WriteClass, str]:
    spelled = " ".join(told.words)
    for phrase, stricter in known.STRICTER_PHRASES:
        if phrase in spelled:
            return stricter, f"{phrase}: {stricter.value}"
    for word in told.words:
        stricter_one = known.STRICTER_NOUN.get(word)
        if stricter_one is not None:
            return stricter_one, f"{word}: {stricter_one.value}"
    for phrase in known.PUBLIC_PHRASES:
        if phrase in told.told:
            return WriteClass.PUBLIC, f"its description says {phrase}"
    if any(arg in known.AUTHORITY_NAMES for arg in told.args):
        return WriteClass.PRIVILEGED, "an argument sets who may do what"
    return effect, ""


def _arguments(told: ToolText, classes: set[WriteClass]) -> dict[str, object]:
    """Recipients, objects, amounts and authority among the arguments."""
    grants = WriteClass.PRIVILEGED in classes
    creates = "create" in told.words or "add" in told.words
    found: dict[str, list[str]] = {"destination": [], "object": [], "amount": [], "authority": []}
    for arg in told.args:
        plain = "_".join(_WORD.findall(_CAMEL.sub(" ", arg))).casefold()
        to = plain in known.DESTINATION_NAMES or (grants and plain in known.GRANTEE_NAMES)
        to = to or plain.startswith(("to_", "recipient_")) or plain.endswith("_email")
        if plain in known.NO_RECIPIENT or any(w in plain for w in known.WHEN_NAMES):
            continue
        if plain in known.AMOUNT_NAMES:
            found["amount"].append(arg)
        elif plain in known.AUTHORITY_NAMES:
            found["authority"].append(arg)
        elif to and classes != {WriteClass.DESTRUCTIVE}:
            found["destination"].append(arg)
        elif _names_object(plain, told, creates=creates):
            found["object"].append(arg)
    return {key: args for key, args in found.items() if args}


def _names_object(arg: str, told: ToolText, *, creates: bool) -> bool:
    if arg == "attachments" or arg.endswith(known.OBJECT_ENDINGS):
        return True
    if creates or arg in known.FREE_NAMES:
        return False
    return arg in known.OBJECT_NAMES or arg in told.words or _singular(arg) in told.words


def _kind(told: ToolText) -> dict[str, object]:
    noun = _noun(told)
    return {"kind": noun} if noun else {}


def _noun(told: ToolText) -> str:
    """What kind of thing it is about: the last word of its name before a preposition."""
    ends = (i for i, word in enumerate(told.words) if word in known.PREPOSITIONS and i)
    words = told.words[: next(ends, None)]
    verb = next((i for i, word in enumerate(words) if word in _VERBS), -1)
    nouns = [w for i, w in enumerate(words) if i != verb and w not in known.VAGUE_NOUNS]
    return nouns[-1] if nouns else ""
