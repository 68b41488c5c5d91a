"""What the session remembers of an event: the one place that teaches memory (flow.md FLOW-5).

Decides nothing. Every route labels: success, failure, background output, mentions, a call whose
outcome nobody knows. A call that was stopped teaches nothing.
"""

from __future__ import annotations

import re

from tripwire.act.approval import learn_use
from tripwire.act.arguments import all_texts
from tripwire.act.facts import call_facts
from tripwire.act.params import call_effect, tool_options
from tripwire.act.paths import PathContext, path_kinds, resolve
from tripwire.act.record_lesson import learn_attempt
from tripwire.act.results import learn_result, taint_write, trust_of
from tripwire.act.role import UNKNOWN
from tripwire.memory.memory import Memory
from tripwire.memory.tokens import Bits
from tripwire.model.event import (
    Approved,
    Denied,
    Event,
    FileTouched,
    IntentDeclared,
    OutcomeUnknown,
    SessionOpened,
    ToolCall,
    ToolResult,
    ToolsListed,
    UserSaid,
)
from tripwire.model.label import Label, Origin, Trust, WriteClass
from tripwire.model.verdict import Verdict
from tripwire.rule import Case

_FENCE = re.compile(r"^(?:```|~~~)", re.MULTILINE)


def learn(event: Event, verdict: Verdict, case: Case) -> None:
    """Fold `event` into `case.memory`; `verdict` tells whether a call was let through."""
    memory = case.memory
    match event:
        case SessionOpened():
            _opened(event, memory)
        case UserSaid():
            _said(event, case)
        case IntentDeclared():
            _declared(event, memory)
        case FileTouched():
            _touched(event, case)
        case ToolCall():
            if verdict.passes:
                _attempted(event, case)
        case ToolResult():
            memory.receipts += 1
            learn_result(event, case, memory.receipts)
        case Approved():
            memory.approvals.add(event)
        case Denied():
            memory.approvals.drop(event.approval_id)
        case OutcomeUnknown():
            _unknown(event, case)
        case ToolsListed():
            memory.listings.learn(event)
        case _:
            pass
    if case.policy.call_rules:
        # Now, and not when a guard asks: no decision pays for what came before it.
        memory.provenance.settle()


def _opened(event: SessionOpened, memory: Memory) -> None:
    origin = Origin(memory.receipts, event.client, "session", Trust.WORLD, event.why)
    for label in sorted(event.inherited):
        memory.labels.add(label, origin)
    memory.files.root = memory.files.root or event.cwd
    memory.files.home = memory.files.home or event.home
    trusted = Label.UNTRUSTED not in memory.labels
    memory.files.remember_remotes(event.remotes, trusted=trusted)


def _said(event: UserSaid, case: Case) -> None:
    memory = case.memory
    memory.receipts += 1
    receipt = memory.receipts
    own, pasted = (event.text, "")
    if case.policy.flow.prompt_pastes == "untrusted":
        own, pasted = _pastes(event.text)
    if event.person:
        memory.tokens.learn_user(own, receipt)
        memory.provenance.learn_user(own, receipt)
        memory.held.user_said(own)
        memory.secrets.learn_user(own)
    else:
        # A schedule or wake-up may repeat what a stranger made the agent write (flow.md PURP-4).
        tainted = Label.UNTRUSTED in memory.labels
        bits = Bits.TAINTED if tainted else Bits.PLATFORM
        trust = Trust.WORLD if tainted else Trust.PLATFORM
        memory.tokens.learn(
            [own], bits, Origin(receipt, "", "prompt", trust), established=not tainted
        )
    memory.goals.user_said(own, receipt, event.person)
    if pasted:
        origin = Origin(receipt, "", "paste", Trust.WORLD)
        memory.tokens.learn([pasted], Bits.WORLD, origin, established=False)
        memory.labels.add(Label.UNTRUSTED, origin)


def _pastes(text: str) -> tuple[str, str]:
    """The user's own lines, and those fenced or quoted with `>` (flow.md §2.3 prompt_pastes)."""
    own, pasted, fenced = [], [], False
    for line in text.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif fenced or line.lstrip().startswith(">"):
            pasted.append(line)
        else:
            own.append(line)
    return "\n".join(own), "\n".join(pasted)


def _declared(event: IntentDeclared, memory: Memory) -> None:
    memory.receipts += 1
    after = Label.UNTRUSTED in memory.labels
    memory.goals.declared(event, memory.receipts, after)
    if after:
        origin = Origin(memory.receipts, "", "intent", Trust.WORLD)
        memory.tokens.learn_agent([event.goal, event.plan_summary], origin)


def _touched(event: FileTouched, case: Case) -> None:
    memory = case.memory
    here = PathContext(memory.files.root, memory.files.home, {}, memory.files.root)
    kinds = path_kinds(case.policy.flow.paths, memory.files.home)
    for path in resolve(event.path, here):
        origin = Origin(memory.receipts, "", event.access.value, Trust.PLATFORM, path)
        if not kinds.public.surely_has(path):
            memory.labels.add(Label.PRIVATE, origin)
        if kinds.secret.has(path):
            memory.labels.add(Label.SECRET, origin)
        if kinds.untrusted.has(path) or memory.files.taint_of(path) is not None:
            memory.labels.add(Label.UNTRUSTED, origin)


def _attempted(event: ToolCall, case: Case) -> None:
    memory = case.memory
    facts = call_facts(event, case)
    options = tool_options(case.policy, event.source, event.tool)
    trust = trust_of(facts, case, event.source, options.trust)
    memory.provenance.learn_call(
        event, effect=call_effect(case, event.source, event.tool), trust=trust
    )
    learn_use(event, case)
    learn_attempt(event, facts, memory.held)
    if facts.shell is not None:
        # Now, and not only with the result: one in the background may never report its end.
        memory.files.started |= facts.reads
    dlp = case.policy.flow.dlp
    places = [p.value for p in facts.places] or ([event.exposed] if facts.leaves else [])
    for place in places:
        memory.secrets.learn_sent(place, facts.payload, depth=dlp.depth, max_kb=dlp.max_kb)
    if Label.UNTRUSTED not in memory.labels:
        return
    origin = Origin(memory.receipts, event.source, event.tool, Trust.WORLD)
    memory.tokens.learn_agent(all_texts(event.args), origin)
    # Now, and not only with the result: a result may never come.
    for write in facts.writes:
        taint_write(memory.files, write, origin)


def _unknown(event: OutcomeUnknown, case: Case) -> None:
    """What it gave back is unknown, so the worst of what such a tool may read holds (E-4)."""
    roles = case.policy.flow.tools.get(event.source)
    variants = roles.roles.get(event.tool, (UNKNOWN,)) if roles else (UNKNOWN,)
    origin = Origin(case.memory.receipts, event.source, event.tool, Trust.WORLD, event.why)
    labels = {label for role in variants for label in role.reads}
    if any(role.classifier or role.writes & {WriteClass.UNKNOWN} for role in variants):
        labels |= {Label.UNTRUSTED, Label.PRIVATE, Label.SECRET}
    for label in sorted(labels):
        case.memory.labels.add(label, origin)
