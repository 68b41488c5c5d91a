"""The `tripwire` command: finds the verb, runs it, turns what goes wrong into an exit code.

How a verb plugs in (one file per verb, `cli/<verb with underscores>.py`):

* It holds one function of the verb's name, fully typed, that returns the exit code::

      def verify_log(
          directory: Path,
          /,
          *,
          pub: Path | None = None,
          json: Annotated[bool, Parameter(negative="")] = False,
      ) -> int:
          \"\"\"Check a session's receipts and audit chain.

          (then the section that describes each parameter, Google style)

          \"\"\"

  Positional parameters before `/`, options after `*`. The docstring is the help text.
  A verb with sub-verbs takes `action: Literal["start", "stop", "status"]` first.
* It has a line in `VERBS` below: module, function, one sentence for `tripwire --help`.
* Exit codes (README of the specs, rule 9): 0 good, 1 a finding or a negative verdict, 2 usage,
  configuration or input error; `verify-log` adds 3. A `TripwireError` may simply be raised: it
  is printed as `tripwire: where: what; fix` on stderr and exits 2 (with `--json`, also as
  `{"ok": false, "error": {"what", "where", "fix"}}` on stdout).
* stdout is the result, stderr is messages. `--json` prints exactly one object on stdout, through
  `cli/show.py`: `show.data(value)`; text goes through `show.line`, messages through `show.say`.
* `hook` is dispatched before anything else is imported: `cli/hook.py` has
  `hook(argv: list[str]) -> int`, and nothing on its way imports cyclopts or rich.

Imports here are lazy on purpose: `tripwire hook` must not pay for cyclopts (libraries.md §12).
"""

from __future__ import annotations

import sys

VERBS: dict[str, tuple[str, str, str]] = {
    "init": ("tripwire.cli.init", "init", "Set up Tripwire here, by plain questions or flags."),
    "check": ("tripwire.cli.check", "check", "Is the configuration sound, do the servers start?"),
    "serve": (
        "tripwire.cli.file_server",
        "file_server",
        "Serve the project's files with what the team knows (MCP).",
    ),
    "lsp": ("tripwire.cli.lsp", "lsp", "Show an editor what the team knows about a file (LSP)."),
    "list": ("tripwire.cli.list", "list_", "The project's tripwires."),
    "lint": ("tripwire.cli.lint", "lint", "What is wrong with the project's tripwires?"),
    "doctor": ("tripwire.cli.doctor", "doctor", "Does it all reach the agents? Proved by running."),
    "stats": ("tripwire.cli.stats", "stats", "How many tripwires there are, and which fire."),
    "stale": ("tripwire.cli.stale", "stale", "Which tripwires have the files moved away from?"),
    "suggest": (
        "tripwire.cli.suggest",
        "suggest",
        "Drafts of tripwires out of the history.",
    ),
    "draft-policy": (
        "tripwire.cli.draft_policy",
        "draft",
        "Draft a server's roles from what its tools say.",
    ),
    "scan": ("tripwire.cli.scan", "scan", "Which clients and servers here does nothing guard?"),
    "inspect": (
        "tripwire.cli.inspect_",
        "inspect_",
        "A server's tools: their roles, and orders hidden in their words.",
    ),
    "replay": ("tripwire.cli.replay", "replay", "A recorded session through a policy."),
    "import": ("tripwire.cli.import_", "import_", "Rule files of other clients as tripwires."),
    "run": ("tripwire.cli.run", "run", "Serve the gateway in front of your MCP servers."),
    "install": ("tripwire.cli.install", "install", "Put the hooks into an agent client."),
    "uninstall": ("tripwire.cli.uninstall", "uninstall", "Take the hooks out of a client again."),
    "daemon": ("tripwire.cli.daemon", "daemon", "Start, stop or look at the resident process."),
    "say": ("tripwire.cli.say", "say", "Try the rules for what a model says, on a text."),
    "logs": ("tripwire.cli.logs", "logs", "What happened in a session, one line per call."),
    "verify-log": ("tripwire.cli.verify_log", "verify_log", "Was a session's evidence changed?"),
    "explain": ("tripwire.cli.explain", "explain", "Why did a recorded decision fall as it did?"),
    "approvals": ("tripwire.cli.approve", "approvals", "The calls that wait for a person."),
    "approve": ("tripwire.cli.approve", "approve", "Let a held call through (people only)."),
    "deny": ("tripwire.cli.approve", "deny", "Refuse a held call."),
    "revoke": ("tripwire.cli.approve", "revoke", "End an approval at once."),
    "keys": ("tripwire.cli.keys", "keys", "The public key of checkpoints, and replacing it."),
    "pins": ("tripwire.cli.pins", "pins", "Tools as first seen, and accepting what changed."),
    "token": ("tripwire.cli.token", "token", "Make, list and revoke tokens."),
    "demo": (
        "tripwire.cli.demo",
        "demo",
        "Watch a poisoned invoice fail, without network or keys.",
    ),
}
"""Verb → module, function, one sentence. `hook` is dispatched by hand."""


def main(argv: list[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    words = sys.argv[1:] if argv is None else argv
    if words[:1] == ["hook"]:
        from tripwire.cli.hook import hook

        return hook(words[1:])
    from tripwire.cli import dispatch

    return dispatch.run(words, VERBS)


if __name__ == "__main__":
    sys.exit(main())
