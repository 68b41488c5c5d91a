"""Start a rule: module, page and three cases. `make new-rule ID=my-rule`.

Prints the line to add to the tuple in `act/rules/__init__.py`: adding it is left to you.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

MODULE = '''"""act/{id} — say in one sentence what it finds.

Does not catch: say what it misses.
"""

from __future__ import annotations

from collections.abc import Iterator

from tripwire.act.facts import call_facts
from tripwire.model.event import ToolCall
from tripwire.model.verdict import Action, Finding
from tripwire.rule import Case, Rule

ID = "act/{id}"


def check(event: ToolCall, case: Case) -> Iterator[Finding]:
    """The findings of one call."""
    facts = call_facts(event, case)
    if facts.leaves and not facts.known:
        yield Finding(ID, Action.ASK, "say why, for people", remedy="say what the agent can do now")


RULE = Rule(ID, ToolCall, check)
'''
PAGE = """# act/{id}

## What it finds

## Why

## What to do

## What it does not catch
"""
EVENTS = 'events:\n  - tool_call: {{tool: claude-code.Bash, args: {{command: "true"}}}}\n'
CASES = {
    "attack.yaml": EVENTS + "expect: ASK act/{id}\n",
    "look-alike.yaml": EVENTS + "expect: ALLOW\n",
    "miss.yaml": "note: say why this gets through\n" + EVENTS + "expect: ALLOW\n",
}


def main() -> int:
    """Write the files that do not exist yet."""
    if len(sys.argv) != 2 or not re.fullmatch(r"[a-z][a-z-]*", sys.argv[1]):
        print("usage: make new-rule ID=my-rule   (lower-case words joined by hyphens)")
        return 2
    rule = sys.argv[1]
    module = rule.replace("-", "_")
    files = {
        ROOT / "src/tripwire/act/rules" / f"{module}.py": MODULE,
        ROOT / "docs/reference/rules/act" / f"{rule}.md": PAGE,
    }
    cases = ROOT / "tests/act/rules/cases" / rule
    files |= {cases / name: text for name, text in CASES.items()}
    for path, text in files.items():
        if path.exists():
            print(f"kept   {path.relative_to(ROOT)}")
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(id=rule), "utf-8")
        print(f"wrote  {path.relative_to(ROOT)}")
    print(f"now add `{module}.RULE` to RULES in src/tripwire/act/rules/__init__.py")
    return 0


if __name__ == "__main__":
    sys.exit(main())
