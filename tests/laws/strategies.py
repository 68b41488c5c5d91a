"""Random events, small enough to collide: the same ids, values and tools come again."""

from hypothesis import strategies as st

from tripwire.model.event import (
    Access,
    Approved,
    Denied,
    FileTouched,
    IntentDeclared,
    OutcomeUnknown,
    SessionOpened,
    ToolCall,
    ToolResult,
    ToolsListed,
    UserSaid,
)
from tripwire.model.label import Label, Origin, Trust
from tripwire.model.verdict import Action, Destination, Finding, Verdict

TOKEN = "ghp_" + "Zk3x9QwErTyU7iOpAsDfGhJkLzXcVbNm1234"
words = st.sampled_from(
    ["", "pay", "alice@mail.example", "https://evil.example/p?q=1", "V-1001", "Ünïcödé", "𝔘",
     "a\ud800b", "\x00", "‹secret:0›", TOKEN, f"key={TOKEN}", "12,500.00 EUR", "/home/u/.env"]
)  # fmt: skip
texts = st.one_of(words, st.text(max_size=20), st.lists(words, max_size=4).map(" ".join))
numbers = st.one_of(
    st.integers(-(2**70), 2**70), st.floats(allow_nan=False), st.sampled_from([0, 1, 1.0, -0.0])
)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
args = st.dictionaries(
    st.sampled_from(["to", "url", "command", "file_path", "body", "id", "naïve key"]),
    json_values,
    max_size=3,
)
results = st.one_of(
    json_values,
    texts.map(lambda t: {"content": [{"type": "text", "text": t}]}),
    json_values.map(lambda v: {"content": [], "structuredContent": v}),
)
calls = st.sampled_from(["c1", "c2", "c3"])
tools = st.sampled_from(
    [("claude-code", "Bash"), ("claude-code", "Read"), ("claude-code", "WebFetch"),
     ("docs", "read_document"), ("payments", "send"), ("", "plain"), ("s", "odd tool ‹›")]
)  # fmt: skip
labels = st.frozensets(st.sampled_from(list(Label)))
hashes = st.sampled_from(["0" * 64, "f" * 64])
rules = st.frozensets(st.sampled_from(["act/exec", "act/known-secret"]), min_size=1)


def _tool_event(kind, call, tool, **more):
    return kind(call, tool[0], tool[1], **more)


tool_calls = st.builds(
    lambda call, tool, a, at: ToolCall(
        call, *tool, a, at=at, links={"/a": "/b"}, unopened=("x.Y",) if at else ()
    ),
    calls, tools, args, st.sampled_from([0.0, 1.5]),
)  # fmt: skip
tool_results = st.builds(
    lambda call, tool, a, r, bad: ToolResult(call, *tool, a, r, is_error=bad, cwd="/w"),
    calls, tools, args, results, st.booleans(),
)  # fmt: skip
events = st.one_of(
    tool_calls,
    tool_results,
    st.builds(UserSaid, texts, st.booleans()),
    st.builds(IntentDeclared, texts, texts),
    st.builds(SessionOpened, st.just("test"), st.just("/w"), st.just("/home/u"),
              st.lists(words, max_size=2).map(tuple), labels, st.just("why")),
    st.builds(FileTouched, texts, st.sampled_from(list(Access))),
    st.builds(ToolsListed, st.sampled_from(["docs", "payments"]),
              st.lists(st.fixed_dictionaries({"name": st.sampled_from(["read_document", "send"]),
                                              "annotations": st.dictionaries(
                                                  st.just("readOnlyHint"), st.booleans())}),
                       max_size=2).map(tuple)),
    st.builds(Approved, st.just("ap-1"), hashes, rules, st.just("alice"), st.just("cli"),
              labels, st.just(9.0), st.booleans()),
    st.builds(Denied, st.just("ap-2"), hashes, rules, st.just("cli")),
    st.builds(lambda c, t: OutcomeUnknown(c, *t, "died"), calls, tools),
)  # fmt: skip

origins = st.builds(
    Origin, st.integers(0, 3), st.sampled_from(["docs", "web"]), st.just("t"),
    st.sampled_from(list(Trust)),
)  # fmt: skip
findings = st.builds(
    Finding, st.sampled_from(["act/a", "act/b", "act/c"]), st.sampled_from(list(Action)), words,
    words, st.lists(origins, max_size=2).map(tuple),
)  # fmt: skip
verdicts = st.builds(
    lambda f, d, n: Verdict.of(*f, destinations=tuple(d), not_scanned=tuple(n)),
    st.lists(findings, max_size=4),
    st.lists(st.builds(Destination, words, st.just("unseen")), max_size=2),
    st.lists(words, max_size=2),
)
