"""Every key of the `flow:` section, of a policy and of a role (flow.md §2.3, §2.4)."""

# ruff: noqa: E501  # one key per line is easier to compare than wrapped ones

from __future__ import annotations

from collections.abc import Mapping

from tripwire.config.keys import Key, Under

_BOOL = "true \\| false"
_ADDS = "glob list"


def _adds(meaning: str) -> Key:
    return Key(_ADDS, "shipped list", f"{meaning} Adds to the shipped list.", Under.UNION)


def _eases(meaning: str, default: str) -> Key:
    return Key(_ADDS, default, meaning, Under.SUBSET)


def _stricter(meaning: str) -> Key:
    return Key(_BOOL, "false", meaning, Under.RANKED, ("false", "true"))


FLOW: Mapping[str, Key] = {
    "mode": Key("enforce \\| monitor", "enforce", "`monitor` records what would have happened and stops nothing.", Under.RANKED, ("monitor", "enforce")),
    "policies": Key("mapping from tool source", "the client's preset", "Preset name, path or roles, for the client's own tools, a server or a library source.", Under.ENTRIES),
    "rules": Key("list of rows", "shipped table", "Replaces the flow table.", Under.KEEP),
    "+rules": Key("list of rows", "[]", "Adds rows to the flow table.", Under.UNION),
    "trusted_urls": Key("list of URL patterns", "[]", "Places that data may go to.", Under.SUBSET),
    "internal_hosts": Key("list of URL patterns", "loopback and single-label", "Hosts of your own network.", Under.SUBSET),
    "index_hosts": Key("list of URL patterns", "shipped list", "Package indexes. Replaces the shipped list.", Under.SUBSET),
    "secret_paths": _adds("Files that hold secrets."),
    "exec_paths": _adds("Files that change what runs next."),
    "build_paths": _adds("Build files, which count as exec when outsiders' words go in."),
    "untrusted_paths": _adds("Files that outsiders wrote."),
    "shared_paths": _adds("Files that others can read."),
    "own_state_paths": _adds("What an agent must never change: Tripwire's own files and hook settings."),
    "public_paths": _eases("Files that anyone may read.", "[]"),
    "scratch_paths": _eases("Files that may be deleted. Replaces the shipped list.", "shipped list"),
    "fixture_paths": _eases("Test data, where credential shapes are no credentials. Replaces the shipped list.", "shipped list"),
    "build_outputs": Key("list of directory names", "shipped list", "Directories of the project that a build makes anew and that may be deleted. Replaces the shipped list.", Under.SUBSET),
    "source_directories": Key("list of directory names", "shipped list", "Directories beneath which a name of `build_outputs` says nothing. Adds to the shipped list.", Under.UNION),
    "strict_destinations": _stricter("An unseen destination asks even before the first untrusted read."),
    "strict_links": _stricter("A link seen in outsiders' text is never opened unasked."),
    "level": Key("default \\| cautious \\| strict", "default", "How much is asked; cautious also sets own_only and strict_links.", Under.RANKED, ("default", "cautious", "strict")),
    "me": Key("list", "[]", "Your own addresses and accounts.", Under.SUBSET),
    "own_domains": Key("list", "[]", "Mail domains whose senders are members.", Under.SUBSET),
    "own_only": _stricter("Only your own records vouch for a recipient."),
    "purpose": Key("on \\| off", "on", "Whether calls are compared with what was asked for.", Under.RANKED, ("off", "on")),
    "hiding": Key("off", "off", "Replace outsiders' text by handles.", later="hiding", later_values=("on",)),
    "prompt_pastes": Key("trusted \\| untrusted", "trusted", "Whose words a pasted block in a prompt is.", Under.RANKED, ("trusted", "untrusted")),
    "remember": Key("session", "session", "How long an approval holds.", later="approvals that outlive a session", later_values=("project", "never")),
    "approval_ttl": Key("duration", "8h", "Life of an approval; at most 90d.", Under.SMALLER),
    "ask_fallback": Key("block \\| unsafe_allow", "block", "What a question that nobody can answer does.", Under.RANKED, ("unsafe_allow", "block")),
    "deadline_ms": Key("whole number", "8000", "Longest time for one hook decision; below the client's own timeout of 10 s."),
    "dlp": Key("mapping", "{}", "Bounds of the secret scan.", Under.SECTION),
    "labels": Key("mapping", "{}", "Labels of your own.", later="custom labels"),
}  # fmt: skip

DLP: Mapping[str, Key] = {
    "depth": Key("whole number, 0–4", "3", "Layers of encoding that are undone.", Under.LARGER),
    "max_kb": Key("whole number", "1024", "Text scanned per call, in KiB.", Under.LARGER),
    "shapes": Key("on \\| off", "on", "Look for credential shapes.", Under.RANKED, ("off", "on")),
    "fragments": Key("on \\| off", "on", "Add up pieces sent to one place.", Under.RANKED, ("off", "on")),
}  # fmt: skip

ROW: Mapping[str, Key] = {
    "id": Key("text", "required", "Rule id, `act/…`."),
    "needs": Key("list of labels", "[]", "Labels the session must hold."),
    "classes": Key("list of write classes", "required", "A call that writes one of these."),
    "action": Key("INFORM \\| VERIFY \\| ASK \\| BLOCK", "required", "What then happens."),
    "skip": Key("list of conditions", "[]", "What clears the row."),
    "remedy": Key("text", "–", "What the agent is told to do instead."),
}

POLICY: Mapping[str, Key] = {
    "preset": Key("text", "–", "A packaged policy that lies under `tools`."),
    "tools": Key("mapping from tool name or glob", "{}", "A role, or a list of which the first that fits counts."),
    "own_only": Key(_BOOL, "false", "As `flow.own_only`, for the records of this source; the presets `mail` and `calendar` set it."),
}  # fmt: skip

ROLE: Mapping[str, Key] = {
    "when": Key("mapping from argument or template", "{}", "All must fit for the variant to count; globs of one key are alternatives."),
    "unless": Key("mapping from argument or template", "{}", "None may fit."),
    "reads": Key("list of labels", "[]", "What its result is."),
    "writes": Key("list of write classes", "[]", "Where what it is given goes."),
    "destination": Key("argument paths", "[]", "Who or what receives it."),
    "carries_data": Key(_BOOL, "false", "The destination itself can carry data (a URL, a DNS name)."),
    "object": Key("argument paths", "[]", "The thing that is changed or deleted."),
    "amount": Key("argument paths", "[]", "The sum."),
    "source": Key("platform \\| member \\| world", "world if it reads untrusted, else platform", "Who can author its text."),
    "records": Key(_BOOL, "false", "The result is structured records."),
    "kind": Key("text", "–", "Type of the records or of the object."),
    "authority": Key("argument paths", "[]", "Arguments that set a password, role, key or limit."),
    "payload": Key("argument paths", "all others", "What leaves."),
    "fields": Key("mapping from result path to contact, platform, id, text", "{}", "Who wrote a field of the result."),
    "effects": Key("list", "by name", "Families for purpose binding."),
    "classifier": Key("shell \\| notebook \\| url \\| path", "–", "Labels and classes follow from an argument."),
    "path": Key("argument paths", "[]", "Arguments that are file paths."),
    "access": Key("read \\| write", "–", "What `classifier: path` does with them."),
    "harmless": Key(_BOOL, "false", "Reads nothing, writes nothing."),
    "user_words": Key(_BOOL, "false", "The result is the user's own words."),
    "delegates": Key(_BOOL, "false", "The arguments instruct another agent."),
}  # fmt: skip
