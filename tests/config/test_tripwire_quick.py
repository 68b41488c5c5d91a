"""The quick reader of tripwire files against the full one: the same answer, or none."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tripwire.config import tripwire_quick, tripwire_yaml
from tripwire.config.node import plain_value
from tripwire.config.tripwire_schema import _FATAL_PATTERNS, _PLAIN, _lines, parse_tripwire
from tripwire.config.tripwire_text import new_text
from tripwire.text.path_glob import pattern_faults

COMMON = """\
# why: a review

triggers:
  - "src/**"
  - lib/*.py  # all of it

  - '!src/gen/**'
context: |
  Ask them first.

    - also about this: "it"
  # this is text

severity: high
created_by: agent:mcp-1
learned_from: PR 12, then a call
tags: [area, "team-7"]
expires: 2027-12-31
depends_on: []
active: false
repeat: session
source: 'AGENTS.md'
"""


def full(raw):
    """What the full reader makes of it: values and lines; None if it finds a fault."""
    document = tripwire_yaml.read(raw)
    if document.faults or document.root is None:
        return None
    return plain_value(document.root), dict(_lines(document.root))


def agrees(text):
    """Whether the quick reader gives an answer; fails if it is not the full reader's."""
    raw = text.encode("utf-8", "surrogatepass")
    found = tripwire_quick.read(raw)
    if found is None:
        return False
    plain = {k: list(v) if isinstance(v, tuple) else v for k, v in found.values.items()}
    assert (plain, found.lines) == full(raw), text
    tripwire, problems = parse_tripwire(raw, ".tripwires/n.yml")
    slow = slowly(raw)
    assert (tripwire, problems) == slow
    if tripwire is not None:
        assert dict(tripwire.lines) == dict(slow[0].lines)
    return True


def slowly(raw):
    """The same file as if it were not of the common form: behind a document marker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tripwire_quick, "read", lambda _: None)
        return parse_tripwire(raw, ".tripwires/n.yml")


def test_the_common_form_is_read():
    assert agrees(COMMON)
    assert tripwire_quick.read(COMMON.encode()).values["context"] == (
        'Ask them first.\n\n  - also about this: "it"\n# this is text\n'
    )


def test_what_agents_record_is_of_the_common_form():
    values = {
        "triggers": ["src/*.py", "!src/x"],
        "context": "Ask.",
        "created_by": "agent:mcp",
        "learned_from": "it broke",
        "tags": ["a"],
        "expires": "2027-01-01",
    }
    assert agrees(new_text(values))


@pytest.mark.parametrize(
    "text",
    [
        "", "\n", "context: a", "context: |\n", "context: |\n\n  a\n", "context: |\n a\n  b\n c\n",
        "context: |\n  a\n b\n", "context: |\n  a\n\n\n", "context: |\n  a\n   \n  b\n",
        "context: a:b\n", "context: a b:c: d\n", "context: a:b:\n", "tags: [a:b]\n", "context: |\n  a\n# c\n  b\n", "context: |\n  a\n#c\n", "context: | # c\n  a\n",
        "context: |-\n  a\n", "context: >\n  a\n", "context: a\n  b\n", "context: a\n\n  b\n",
        "context: a # c\n  b\n", "context: null\n", "context: ~\n", "context: true\n", "context:\n",
        "context: 'it''s'\n", 'context: "a\\n"\n', 'context: "a"# c\n', 'context: "a" # c\n',
        'context: "a" b\n', "context: a: b\n", "context: a:\n", "context: a#b\n", "context: -\n",
        "context: - a\n", "context: &a b\n", "context: *a\n", "context: !a\n", "context: @a\n",
        "context: 010\n", "context: 1e3\n", "context: .5\n", "context: .inf\n", "context: 0x1F\n",
        "context: 2026-06-15\n", "context: 2026-06-15 \n", "context: 2026-06-15T01\n",
        "context: [a]\n", "tags: [a,b]\n", "tags: [a, ]\n", "tags: [ ]\n", "tags: [,]\n",
        "tags: [a b]\n", "tags: [null]\n", "tags: [true]\n", "tags: [[a]]\n", "tags: ['a]', b]\n",
        "tags: ['a', \"b\"]# c\n", "tags: [a] # c\n", "tags: [a: b]\n", "tags: [a\n]\n",
        'tags: ["a": b]\n', 'tags: ["a"b]\n', 'tags: [a"b"]\n', "tags: [a'b]\n",
        "tags:\n- a\n- b\n", "tags:\n  - a\n - b\n", "tags:\n - a\n   b\n", "tags:\n - a\n  - b\n",
        "tags:\n# c\n  - a\n # c\n  - b\n", "tags:\n  -\n", "tags:\n  - - a\n", "tags:\n  - a: b\n",
        "tags: x\n  - a\n", "tags:\n  - a\nactive: true\n", "tags:\n  - true\n", "tags:\n  -a\n",
        "tags: a\ntags: b\n", "---\ntags: [a]\n", "tags: [a]\n---\n", "tags: [a]\n...\n",
        "%YAML 1.2\n---\ntags: [a]\n", "other: a\n", "tags : a\n", "tags:a\n", " tags: a\n",
        "? tags\n: a\n", "{tags: a}\n", "\ufefftags: a\n", "tags: a\r\n", "tags:\ta\n", "\ttags: a\n",
        "context: a\u00a0b\n", "context: caf\u00e9\n", "context: 'caf\u00e9'\n",
        "context: |\n  \u65e5\u672c\n", "context: |\n  a\u2028b\n", "context: |\n  a\u0085b\n",
        "context: '\U0001f600'\n", "context: a\x00\n", "context: a\x7f\n", "context: '\ud800'\n",
        "context: /a\n", "context: _\n", "context: a   b\n", "context: a     b\n", "context: a,b\n",
        "context: a , b\n", "context: a - b\n", "context: a ? b\n", "context: a 'b\n", "context: y\n",
        "active: yes\n", "active: TRUE\n", "active: 'true'\n", "severity: High\n", "severity: high\n",
        "expires: 2026-02-30\n", "expires: '2026-06-15 10:00'\n", "triggers: [a]\ncontext: ' '\n",
        "triggers: ['']\ncontext: a\n", "triggers: ['!']\ncontext: a\n", "triggers: []\ncontext: a\n",
        "triggers: ['{a,b}']\ncontext: a\n", "triggers: a\ncontext: a\n", "triggers: [a]\ncontext: [a]\n",
        "triggers: [a]\ncontext: a\ndepends_on: ['//']\n", "triggers: [a]\ncontext: a\nrepeat: no\n",
        "triggers: [a]\ncontext: a\nactive: no\n", "triggers: [a]\ncontext: a\nsource: true\n",
    ],
)  # fmt: skip
def test_both_readers_agree(text):
    agrees(text)


@given(st.from_regex(_PLAIN, fullmatch=True))
@settings(max_examples=60, deadline=None)
@example("{" + "," * 60 + "}")
@example("[a-c]" * 100 + "{" + ",a" * 30 + "}" + "*a" * 50)
def test_a_trigger_that_needs_no_closer_look_is_never_fatal(trigger):
    negated = trigger.startswith("!")
    faults = pattern_faults(trigger[negated:], in_negation=negated)
    assert not {code for code, _ in faults} & set(_FATAL_PATTERNS), trigger


WORDS = st.sampled_from(
    (
        *("a", "b c", "true", "False", "null", "~", "no", "010", "1e3", ".5", "0x1F", "2027-12-31"),
        *(
            "12:30",
            "a:b",
            "a b:c",
            "a:b:",
            "<<",
            "*a",
            "&a b",
            "!x",
            "- a",
            "a: b",
            "a #b",
            "a# b",
            "@",
            "`",
            "%",
            "|",
        ),
        *(">", "'a'", "'it''s'", '"a"', '"\\n"', '"a', "'", "[a]", "[a, 'b']", "[a,]", "{a: b}"),
        *("[", "]", "src/**", "!src/x", "**/*.ts", "a,b", "a, b", "x'y", "caf\u00e9", "\u2028"),
        *("\t", "\u00a0", ""),
    )
)
KEYS = st.sampled_from(
    (
        "triggers",
        "context",
        "tags",
        "severity",
        "active",
        "expires",
        "source",
        "other",
        "a b",
        "'x'",
    )
)
PIECES = st.one_of(
    st.builds("{}:{}{}".format, KEYS, st.sampled_from((" ", "", "  ", " \t")), WORDS),
    st.builds("{}- {}".format, st.sampled_from(("", " ", "  ", "    ")), WORDS),
    st.builds("{}{}".format, st.sampled_from(("", " ", "  ", "   ", "\t")), WORDS),
    st.builds("{}: |".format, KEYS),
    st.builds("{}:".format, KEYS),
    st.sampled_from(("", "  ", "# c", "  # c", "---", "...", "\r", "context: |-", "tags: [a, b]")),
)
TEXTS = st.lists(PIECES, max_size=8).map(lambda rows: "\n".join(rows) + "\n")


@given(TEXTS)
@settings(max_examples=150, deadline=None)
@example("context: |\n  a\n\nsource: b\n")
def test_both_readers_agree_on_anything(text):
    agrees(text)


@st.composite
def touched(draw):
    """The common form with a few characters put in, or taken out."""
    text = COMMON
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text) - 1))
        put = draw(st.sampled_from((*" \n#:-'\"[],|\\!*&%@`?{}<>\t\r", "  ", "\n  ", "\u00e9", "")))
        text = text[:at] + put + text[at + draw(st.integers(0, 2)) :]
    return text


@given(touched())
@settings(max_examples=100, deadline=None)
def test_both_readers_agree_on_a_slip_of_the_pen(text):
    agrees(text)


@pytest.mark.slow
@given(TEXTS | touched())
@settings(max_examples=10_000, deadline=None)
def test_both_readers_agree_deeply(text):
    agrees(text)
