"""Tripwire files as text (CTX-41, CTX-42): what is written says what was meant, the rest stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.config.tripwire_schema import parse_tripwire
from tripwire.config.tripwire_text import edited, new_text


def edit(text, **changes):
    return edited(text.encode(), changes).decode()


FILE = """\
# head
"triggers":   # why
  - src/**      # all
  # generated
  - '!src/gen/**'
context: |      # long
  One.

  Two.

# about who
created_by: agent:mcp
severity: 'high'   # not critical
tags: [a,  b]
# tail
"""


def test_ctx_42_a_key_is_added_behind_the_last():
    assert edit(FILE, active=False) == FILE.replace("# tail", "active: false\n# tail")


def test_ctx_42_a_value_is_replaced_and_its_comment_stays():
    assert edit(FILE, severity="info") == FILE.replace("'high'", "info")


def test_ctx_42_a_key_is_removed_with_its_line():
    assert edit(FILE, severity=None) == FILE.replace("severity: 'high'   # not critical\n", "")
    assert edit(FILE, context=None) == FILE.replace(
        "context: |      # long\n  One.\n\n  Two.\n", ""
    )


def test_ctx_42_items_that_stay_keep_their_lines():
    assert edit(FILE, triggers=["src/**", "lib/**"]) == FILE.replace(
        "  - '!src/gen/**'\n", '  - "lib/**"\n'
    )
    assert edit(FILE, triggers=["a", "src/**", "!src/gen/**"]) == FILE.replace(
        "  - src/**", '  - "a"\n  - src/**'
    )
    assert edit(FILE, triggers=["!src/gen/**"]) == FILE.replace("  - src/**      # all\n", "")


def test_ctx_42_a_flow_list_and_a_block_text():
    assert edit(FILE, tags=["c"]) == FILE.replace("[a,  b]", '["c"]')
    assert edit(FILE, context="New.\nLines.\n") == FILE.replace(
        "|      # long\n  One.\n\n  Two.\n", "|\n  New.\n  Lines.\n"
    )


def test_ctx_42_line_ends_and_byte_order_mark_stay():
    text = "\ufefftriggers: [a]\r\ncontext: c\r\n"
    assert edit(text, active=False) == text + "active: false\r\n"


@pytest.mark.parametrize(
    ("text", "changes", "after"),
    [
        (
            "triggers: [a]\ncontext: c",
            {"active": False},
            "triggers: [a]\ncontext: c\nactive: false\n",
        ),
        (
            '{"triggers": ["a"], "context": "c"}',
            {"active": False},
            '{"triggers": ["a"], "context": "c", active: false}\n',
        ),
        (
            "{triggers: [a], context: c, active: true,}\n",
            {"active": None, "context": "d"},
            "{triggers: [a], context: d,}\n",
        ),
        (
            "triggers: [a]\ncontext: |+\n  c\n\n\n",
            {"active": False},
            "triggers: [a]\ncontext: |+\n  c\n\n\nactive: false\n",
        ),
        ("triggers:\n- a\ncontext: c\n", {"triggers": ["b"]}, 'triggers:\n- "b"\ncontext: c\n'),
        (
            "---\ntriggers: [a]\ncontext: c\n...\n",
            {"active": False},
            "---\ntriggers: [a]\ncontext: c\nactive: false\n...\n",
        ),
        ("triggers: [a]\ncontext:\n  c\n", {"context": "d"}, "triggers: [a]\ncontext:\n  d\n"),
        (
            "context: c # n\ntriggers: [a]\n",
            {"context": "d\ne"},
            'context: "d\\ne" # n\ntriggers: [a]\n',
        ),
    ],
)
def test_layouts(text, changes, after):
    assert edit(text, **changes) == after
    assert parse_tripwire(after.encode(), "a.yml")[0] is not None


def test_ctx_41_order_and_form_of_a_new_file():
    values = {
        "repeat": "changed",
        "depends_on": ["b"],
        "match_content": {"regex": ["^a"], "mode": "all"},
        "expires": "2026-09-13",
        "tags": ["x"],
        "learned_from": "PR 5: no",
        "created_by": "agent:mcp",
        "severity": "high",
        "context": "One.\nTwo.\n",
        "triggers": ["src/**", "!src/gen/**"],
    }
    assert (
        new_text(values)
        == """\
triggers:
  - "src/**"
  - "!src/gen/**"
context: |
  One.
  Two.
severity: high
created_by: agent:mcp
learned_from: "PR 5: no"
tags: ["x"]
expires: 2026-09-13
depends_on: ["b"]
match_content: {regex: ["^a"], mode: all}
repeat: changed
"""
    )


nasty = st.text(
    alphabet=st.characters(exclude_categories=["Cs"])
    | st.sampled_from("\n\r\t #:-|>'\"\\{}[]&*!%@`,?\u0085\u2028\ufeff\x00\x7f"),
    max_size=40,
)
filled = nasty.map(lambda text: f"x{text}")


@given(context=filled | nasty.map(lambda text: f"{text}x"), learned=nasty, trigger=filled)
def test_whatever_is_written_is_read_back(context, learned, trigger):
    values = {"triggers": [trigger], "context": context, "learned_from": learned}
    found, problems = parse_tripwire(new_text(values).encode(), "a.yml")
    if any(problem.code == "TW035" for problem in problems):
        return
    assert found is not None, problems
    assert (found.triggers, found.context, found.learned_from) == ((trigger,), context, learned)


BASES = (
    FILE,
    FILE.replace("\n", "\r\n"),
    'triggers: ["src/**"]\ncontext: c\n',
    'triggers: ["src/**"]\ncontext: c # x\ntags:\n- a\n-  b\n',
    '{"triggers": ["src/**"], "context": "c"}',
    "triggers: [src/**]\ncontext: >-\n  a\n  b\n\n",
    "context: |+\n  a\n\n\ntriggers:\n    - src/**\n",
)
lists = st.lists(filled.filter(lambda text: "{" not in text), min_size=1, max_size=3)


@given(
    st.sampled_from(BASES),
    st.fixed_dictionaries(
        {},
        optional={
            "triggers": lists,
            "context": filled,
            "learned_from": nasty | st.none(),
            "tags": lists | st.just([]) | st.none(),
            "severity": st.sampled_from(["info", "critical"]) | st.none(),
            "active": st.booleans() | st.none(),
        },
    ),
)
def test_an_edit_says_what_it_should_and_nothing_else(base, changes):
    before, _ = parse_tripwire(base.encode(), "a.yml")
    after, problems = parse_tripwire(edited(base.encode(), changes), "a.yml")
    assert after is not None, problems
    defaults = {"learned_from": "", "tags": (), "severity": "warning", "active": True}
    for key in ("triggers", "context", "learned_from", "tags", "severity", "active", "created_by"):
        meant = changes.get(key, getattr(before, key)) if key in changes else getattr(before, key)
        if key in changes and changes[key] is None:
            meant = defaults[key]
        found = getattr(after, key)
        assert (list(found) if isinstance(found, tuple) else found) == (
            list(meant) if isinstance(meant, tuple) else meant
        ), key
