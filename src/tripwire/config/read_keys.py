"""Every key of `.tripwirerc.yml`, which `read:` of tripwire.yaml may hold instead (read.md §2.2).

`docs/reference/config.md` is generated from them; `read_schema.py` reads them.
"""

# ruff: noqa: E501  # one key per line is easier to compare than wrapped ones

from __future__ import annotations

from collections.abc import Mapping

from tripwire.config.keys import Key

READ: Mapping[str, Key] = {
    "inject_mode": Key("prepend \\| metadata", "prepend", "Whether `read_file` puts what is known before the text, or into a block of its own."),
    "separator": Key("text", r"`\n<<<TRIPWIRE_FILE_CONTENT>>>\n`", "What stands between the two with `prepend`."),
    "max_context_length": Key("whole number", "0", "Code points that one read may be told; 0 is unlimited."),
    "allow_agent_create": Key("true \\| false", "true", "Whether agents may create, edit and switch off tripwires."),
    "require_learned_from": Key("true \\| false", "true", "Whether an agent must say what taught it a tripwire."),
    "auto_expire_days": Key("whole number", "90", "How long an agent's tripwire lives; 0 is for ever."),
    "enforcement_mode": Key("inject \\| strict \\| advisory", "inject", "What the hooks do when a tripwire fires."),
    "exclude_paths": Key("list of patterns", "[node_modules/**, dist/**, .git/**]", "Paths where nothing fires."),
    "tripwires_dir": Key("path", ".tripwires", "Where tripwires are, relative to the project and inside it."),
    "max_dependency_depth": Key("1 to 10", "5", "How far `depends_on` is followed."),
    "match_case": Key("true \\| false", "true", "Whether `A` and `a` are different letters in patterns."),
    "on_broken": Key("inform \\| block", "inform", "What a file or key that does not load does to the paths it may be about."),
    "agent_max_severity": Key("info \\| warning \\| high \\| critical", "high", "The highest severity that an agent may write or change."),
    "protect_tripwires": Key("true \\| false", "true", "Whether an agent's own edit of tripwires and of this file asks."),
    "repeat": Key("always \\| session \\| changed", "–", "How often a tripwire is shown; unset: always by `read_file`, once a session by hooks."),
    "max_file_bytes": Key("whole number, at least 1", "10485760", "Bytes of a file that `read_file` returns whole."),
    "stale_commits": Key("whole number, at least 1", "20", "Commits to matched files after which a tripwire is stale."),
    "stale_ratio": Key("0 to 1", "0.5", "Share of changed lines from which it is stale."),
}  # fmt: skip
