"""Writes config.md, cli.md and lint-codes.md in docs/reference from the schema, verbs and codes.

python tools/generate_docs.py           write the pages
python tools/generate_docs.py --check   exit 1 if a page is not current
"""

# ruff: noqa: E402, E501, ISC004
# (one table row per line is easier to compare than wrapped ones)

import contextlib
import io
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from tripwire.cli import dispatch
from tripwire.cli.main import VERBS
from tripwire.config import flow_keys, keys, read_keys
from tripwire.config.keys import Key, Under
from tripwire.read.lint_codes import CODES

NOTE = "<!-- Written by tools/generate_docs.py; change the source, then run it. -->\n"

CONFIG_INTRO = """\
# Configuration

{note}
One file, `tripwire.yaml`, at the project root or named with `--config`; JSON is read as well.
A user-level `tripwire.yaml` in the configuration directory of the operating system lies under it: a project may tighten what that file says and never loosen it.
Loosening keys are reported and ignored; what the user-level file does not set, a project may set freely, so put there what every project must keep.

* Every unknown key, double key and wrong value is an error with file, line, column and the nearest known word; all are reported at once, and the exit code is 2.
* `${{VAR}}` and `${{VAR:-default}}` stand for environment variables in every text value, `$$` is a plain `$`.
* Relative paths start at the file they are written in.
* Words are those of YAML 1.2: `no`, `on` and `0123` are text. Anchors, aliases and tags are refused.
* Keys of features that this version does not have are refused, because accepting them would silently not protect.

"""

CONFIG_SECTIONS: tuple[tuple[str, str, Mapping[str, Key]], ...] = (
    ("Top level", "", keys.ROOT),
    ("defaults", "", keys.DEFAULTS),
    (
        "upstreams[]",
        "Exactly one of `command` and `url` is needed; this version has `command`.",
        keys.UPSTREAM,
    ),
    ("upstreams[].tools", "", keys.TOOLS),
    ("upstreams[].tool_options", "An exact name counts before a glob.", keys.TOOL_OPTIONS),
    (
        "rules[]",
        "A rule that has no effect, or that an earlier one shadows, is an error. "
        "With `defaults.on_unmatched: block`, a rule with only `match` lets its calls pass.",
        keys.RULE,
    ),
    (
        "rules[].match",
        "At least one key; all must fit. Absent annotations have MCP's defaults.",
        keys.MATCH,
    ),
    (
        "rules[].sensitive_params",
        "A bare name is found at any depth; `$.name` is the top level only; "
        '`*`, `**`, `[*]` and `["a.b"]` work; case does not matter.',
        keys.GUARD,
    ),
    (
        "rules[].verify",
        "`fail_mode: open` is an error where an amount or a destination is guarded.",
        keys.VERIFY,
    ),
    ("intent", "", keys.INTENT),
    ("approvals", "", keys.APPROVALS),
    ("pins", "", keys.PINS),
    ("audit", "", keys.AUDIT),
    ("audit.anchors[]", "", keys.ANCHOR),
    ("verifiers", "", keys.VERIFIER),
    ("limits", "", keys.LIMITS),
    ("telemetry", "", keys.TELEMETRY),
    ("flow", "In a path list, a glob with `!` in front takes paths out again.", flow_keys.FLOW),
    ("flow.dlp", "", flow_keys.DLP),
    (
        "flow.rules[] and flow.+rules[]",
        "Rows only add findings: the strictest one counts.",
        flow_keys.ROW,
    ),
    (
        "flow.policies",
        "A preset's name, a path to a file of this form, this form itself, or directly tool → role. "
        "An exact name counts before a glob, a longer literal prefix before a shorter one.",
        flow_keys.POLICY,
    ),
    (
        "A role",
        "A role that says nothing is an error; write `harmless: true` if you mean it.",
        flow_keys.ROLE,
    ),
    (
        "read",
        "The same keys, without `read:`, may stand in `.tripwirerc.yml` in the project root; "
        "a key that both set is an error. "
        "A value that cannot be used takes its default, and every affected read says so. "
        "Variables are not replaced here.",
        read_keys.READ,
    ),
)


def config_page() -> str:
    """docs/reference/config.md."""
    parts = [CONFIG_INTRO.format(note=NOTE)]
    for title, words, table in CONFIG_SECTIONS:
        parts.append(f"## {title}\n\n")
        if words:
            parts.append("".join(f"{line}.\n" for line in words.rstrip(".").split(". ")) + "\n")
        parts.append(
            "| key | type | default | meaning | under a user-level file |\n|---|---|---|---|---|\n"
        )
        parts += [_row(name, key) for name, key in table.items()]
        parts.append("\n")
    return "".join(parts).rstrip("\n") + "\n"


def _row(name: str, key: Key) -> str:
    meaning = key.meaning
    if key.later and key.later_values:
        meaning += f" Not available yet: {', '.join(key.later_values)} ({key.later})."
    elif key.later:
        meaning += f" Not available yet ({key.later})."
    under = "" if key.under is Under.FREE else key.under.value
    return f"| `{name}` | {key.type} | {key.default} | {meaning} | {under} |\n"


def cli_page() -> str:
    """docs/reference/cli.md."""
    parts = ["# Command line\n\n", NOTE, "\n```text\n", dispatch.overview(VERBS), "```\n"]
    for verb in VERBS:
        parts += [f"\n## tripwire {verb}\n\n```text\n", _help(verb), "```\n"]
    return "".join(parts)


LINT_INTRO = """\
# Lint codes

{note}
What `tripwire lint` reports, in text, JSON and SARIF; a code is never reused.
An error ends with exit code 1; `--strict` shows the rows marked so as well, and a warning ends with 1 then.
TW050 needs `--stale`; TW301 to TW311 are about the rule files and hooks of other clients.

| code | level | only with `--strict` | meaning |
|---|---|---|---|
"""


def lint_page() -> str:
    """docs/reference/lint-codes.md."""
    rows = (
        f"| {code.id} | {code.level} | {'yes' if code.strict else ''} | {code.title} |\n"
        for code in CODES.values()
    )
    return LINT_INTRO.format(note=NOTE) + "".join(rows)


def _help(verb: str) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        dispatch.call(verb, ["--help"], VERBS)
    return "\n".join(line.rstrip() for line in printed.getvalue().strip().splitlines()) + "\n"


def main() -> int:
    """Write the pages, or compare them."""
    pages = {"config.md": config_page(), "cli.md": cli_page(), "lint-codes.md": lint_page()}
    stale = []
    for name, text in pages.items():
        file = ROOT / "docs" / "reference" / name
        current = file.read_text("utf-8") if file.exists() else ""
        if current == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv:
            file.write_text(text, "utf-8")
    for name in stale:
        print(f"docs/reference/{name}: {'not current' if '--check' in sys.argv else 'written'}")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
