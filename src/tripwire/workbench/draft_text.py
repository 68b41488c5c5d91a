"""A draft as a policy file that a person reviews: one line a tool, with the reasons beside it."""

from __future__ import annotations

import json

from tripwire.workbench.draft import Draft


def as_yaml(draft: Draft) -> str:
    """The draft as YAML text (JSON values are YAML); "" if no tool could be described."""
    if not draft.roles:
        return ""
    lines = [
        "# A draft: review every line before you use it. A tool may not be what it says.",
        "flow:",
        "  policies:",
        f"    {json.dumps(draft.source)}:",
        "      tools:",
    ]
    for drafted in draft.roles:
        lines.append(f"        # {'; '.join(_line(why) for why in drafted.why)}")
        lines.append(f"        {json.dumps(drafted.tool)}: {json.dumps(drafted.entry)}")
    for tool, why in draft.omitted:
        lines.append(
            f"        # left out, so untrusted and of unknown effect: {_line(tool)} ({why})"
        )
    return "\n".join(lines) + "\n"


def _line(words: str) -> str:
    """A comment must stay on its line, whatever a server calls its tools."""
    return "".join(c if c.isprintable() else "?" for c in words)
