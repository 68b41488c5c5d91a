"""What a finding of the flow table says."""

from tests.act.rules.sessions import play, policy_of

PAGE = [
    {"user_said": "Look at https://blog.example.com/post"},
    {"tool_call": {"tool": "WebFetch", "args": {"url": "https://blog.example.com/post"}}},
    {"tool_result": {"content": "a page"}},
]
DELETES = {"tool_call": {"tool": "Bash", "args": {"command": "rm -rf src"}}}


def said(events):
    verdict, _ = play({"events": events}, policy_of(None))
    return next(f for f in verdict.findings if f.rule.startswith("act/"))


def test_a_label_that_was_read_is_said_to_be_read():
    assert said([*PAGE, DELETES]).reason.endswith("this session has read untrusted text")


def test_a_label_the_session_began_with_is_said_to_be_assumed():
    why = "what this session read before is unknown"
    opened = {"session_opened": {"inherited": ["untrusted", "private", "secret"], "why": why}}
    reason = said([opened, *PAGE, DELETES]).reason
    assert reason.endswith(f"{why}, so untrusted text is assumed")
    assert "has read" not in reason


def test_a_tool_without_a_policy_is_told_how_a_person_ends_the_question():
    read = [
        {"tool_call": {"tool": "Read", "args": {"file_path": "/r/a.py"}}},
        {"tool_result": {"content": "x = 1"}},
    ]
    call = {"tool_call": {"tool": "jira.get_issue", "args": {"id": "X-1"}}}
    assert "the user can say so in flow.policies" in said([*PAGE, *read, call]).remedy
