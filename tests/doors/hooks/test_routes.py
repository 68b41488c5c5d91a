"""READ at the hook door: every route of CTX-33, through real sessions and real files.

Each route is tried for a nested file, a file at the root and one behind a link, by the main agent
and by a subagent: the tripwire's text has to arrive, once for each of the two.
"""

import json
from pathlib import Path

import pytest
from tests.doors.hooks.test_door import Client
from tests.sim.tripwires import PlainFolder
from tests.vectors.hooks import action_of

from tripwire.doors.hooks.door import HookDoor
from tripwire.doors.hooks.projects import Projects
from tripwire.io import live
from tripwire.io.home import session_name
from tripwire.model.verdict import Action

ADVICE = "Keys are never literals in this module."


class Project(Client):
    """A client in a real project with one tripwire on `src/**`, `top.ts` and no other file."""

    def __init__(self, tmp: Path, client: str = "claude-code", config: str = "") -> None:
        self.home, self.project, self.name_of = tmp / "home", tmp / "project", client
        self.home.mkdir()
        for folder in ("src", ".tripwires", "other"):
            (self.project / folder).mkdir(parents=True)
        for name in ("src/a.ts", "src/b.ts", "top.ts", "other/x.ts"):
            (self.project / name).write_text(f"text of {name}\n")
        (self.project / "alias.ts").symlink_to("src/a.ts")
        self.rule("keys", "[src/**, top.ts]", ADVICE)
        if config:
            (self.project / ".tripwirerc.yml").write_text(config)
        super().__init__(tmp / "state")

    def opened(self):
        projects = Projects(PlainFolder)
        return HookDoor(self.root, self.policies, lambda: self.now, projects=projects)

    def rule(self, name, triggers, context, more=""):
        text = f"triggers: {triggers}\ncontext: {context}\ncreated_by: human\n{more}"
        (self.project / ".tripwires" / f"{name}.yml").write_text(text)

    def send(self, name, **fields):
        body = {"hook_event_name": name, "session_id": self.session, **fields}
        body.setdefault("cwd", str(self.project))
        return self.raw(
            json.dumps(body).encode(),
            client=self.name_of,
            project=str(self.project),
            home=str(self.home),
        )

    @property
    def name(self):
        return session_name(self.name_of, self.session)

    def fired(self):
        return [e["data"] for e in self.entries() if e["type"] == "read.fired"]


@pytest.fixture
def project(tmp_path):
    made = Project(tmp_path)
    made.start()
    yield made
    made.door.close()


@pytest.fixture
def configured(tmp_path):
    made = []

    def make(config, client="claude-code"):
        made.append(Project(tmp_path, client, config))
        made[0].start()
        return made[0]

    yield make
    made[0].door.close()


def told(answer):
    """The context of an answer that stops nothing."""
    assert answer.code == 0, answer.err
    specific = json.loads(answer.out or "{}").get("hookSpecificOutput", {})
    assert "permissionDecision" not in specific, specific
    return specific.get("additionalContext", "")


BEFORE = {
    "read": ("Read", {"file_path": "{abs}"}),
    "read relative": ("Read", {"file_path": "{rel}"}),
    "edit": ("Edit", {"file_path": "{abs}", "old_string": "a", "new_string": "b"}),
    "write existing": ("Write", {"file_path": "{abs}", "content": "x"}),
    "notebook": ("NotebookEdit", {"notebook_path": "{abs}", "new_source": "x"}),
    "grep a file": ("Grep", {"pattern": "x", "path": "{abs}"}),
    "shell cat": ("Bash", {"command": "cat {rel}"}),
    "shell sed": ("Bash", {"command": "sed -n 1,3p {rel} | head -2"}),
    "shell grep": ("Bash", {"command": "grep -n text {rel}"}),
    "shell nested": ("Bash", {"command": "env A=1 bash -c 'bash -c \"cat {rel}\"'"}),
    "shell redirect": ("Bash", {"command": "echo x >> {rel}"}),
    "shell in place": ("Bash", {"command": "sed -i s/a/b/ {rel}"}),
    "shell unresolved": ("Bash", {"command": "cat $(echo {rel})"}),
    "shell broken": ("Bash", {"command": "if true; then cat {rel}"}),
    "powershell": ("PowerShell", {"command": "Get-Content '{rel}' | Select -First 3"}),
    "mcp read": ("mcp__filesystem__read_text_file", {"path": "{abs}"}),
    "mcp list": ("mcp__filesystem__read_multiple_files", {"paths": ["{abs}"]}),
    "mcp uri": ("mcp__ide__open", {"uri": "file://{abs}"}),
    "mcp nested": ("mcp__fs__edit", {"edits": [{"filePath": "{rel}"}]}),
}


def filled(value, path, project):
    absolute = str(project / path)
    text = json.dumps(value).replace("{abs}", absolute).replace("{rel}", path)
    return json.loads(text)


@pytest.mark.parametrize("path", ["src/a.ts", "top.ts", "alias.ts"])
@pytest.mark.parametrize("route", BEFORE)
def test_every_route_tells_the_main_agent_and_the_subagent_once(project, route, path):
    tool, args = BEFORE[route]
    args = filled(args, path, project.project)
    for agent in ({}, {"agent_id": "a7"}):
        seen = []
        for number in (1, 2):
            call = {"tool_use_id": f"{agent}{number}", "tool_name": tool, "tool_input": args}
            seen.append(context_of(project.send("PreToolUse", **call, **agent)))
        assert ADVICE in seen[0], route
        assert ADVICE not in seen[1], route


def context_of(answer):
    """The context, also of an answer that asks (ACT knows no PowerShell)."""
    return json.loads(answer.out or "{}").get("hookSpecificOutput", {}).get("additionalContext", "")


@pytest.mark.parametrize("route", BEFORE)
def test_another_file_says_nothing(project, route):
    tool, args = BEFORE[route]
    args = filled(args, "other/x.ts", project.project)
    call = {"tool_use_id": "t", "tool_name": tool, "tool_input": args}
    assert ADVICE not in context_of(project.send("PreToolUse", **call))
    assert project.fired() == []


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("Write", {"file_path": "src/new.ts", "content": "x"}),
        ("Bash", {"command": "echo x > src/new.ts"}),
        ("Bash", {"command": "touch src/new.ts"}),
        ("Bash", {"command": "cp other/x.ts src/"}),
        ("Bash", {"command": "cd src && tee new.ts"}),
        ("Bash", {"command": "install -m 644 other/x.ts src/new.ts"}),
        ("Bash", {"command": "git show HEAD~2:src/gone.ts"}),
        ("mcp__fs__write_file", {"path": "src/new.ts", "content": "x"}),
    ],
)
def test_a_file_that_is_not_there_yet_counts(project, tool, args):
    assert ADVICE in context_of(project.before(tool, **args))


@pytest.mark.parametrize(
    "command",
    [
        "cat src/*.ts",
        "cat s*/?.ts",
        "for f in src/*.ts; do cat $f; done",
        "cd src; cat a.ts",
        'F=src/a.ts; cat "$F"',
        "cat < src/a.ts",
        "python3 -c \"print(open('src/a.ts').read())\"",
        "grep -rn text src",
        "ls src",
        "find src -name '*.ts'",
        "mytool --config=src/a.ts",
        "rm -rf src",
        "mv src elsewhere",
        "cat $(git rev-parse --show-toplevel)/src/a.ts",
        "cat $REPO/src/a.ts",
        "cat ${REPO}/src/a.ts",
        "cat ${X:-src/a.ts}",
        "git diff src",
        "git log -p src",
        "cp -r src /tmp/copy-of-it",
        "tar cf all.tar src",
    ],
)
def test_shell_commands_that_touch_it(project, command):
    assert ADVICE in context_of(project.before("Bash", command=command))


@pytest.mark.parametrize(
    "command",
    [
        "cd src && make",
        "git status",
        "echo src is nice",
        "cat other/x.ts",
        "cat /etc/hostname",
        "cat src/no.ts",
    ],
)
def test_shell_commands_that_do_not(project, command):
    assert ADVICE not in context_of(project.before("Bash", command=command))


@pytest.mark.parametrize(
    ("tool", "args", "response"),
    [
        ("Grep", {"pattern": "text"}, {"mode": "files_with_matches", "filenames": ["src/a.ts"]}),
        ("Glob", {"pattern": "**/*.ts"}, {"filenames": ["{root}/src/a.ts"]}),
        ("Grep", {"pattern": "x", "output_mode": "content"}, {"content": "src/a.ts:3:text"}),
        ("Bash", {"command": "grep -rn text ."}, {"stdout": "./src/a.ts:1:text of"}),
        ("Bash", {"command": "rg -l text"}, {"stdout": "other/x.ts\nsrc/a.ts\n"}),
        ("Bash", {"command": "rg text --color=always"}, {"stdout": "\x1b[35msrc/a.ts\x1b[0m:1:text"}),
        ("Bash", {"command": "cd src && grep -rn text ."}, {"stdout": "a.ts:1:text"}),
        ("Bash", {"command": "find . -newer x"}, {"stdout": "./src/a.ts"}),
        ("Bash", {"command": "git grep text"}, {"stdout": "src/a.ts:text"}),
        ("Bash", {"command": "git diff --name-status"}, {"stdout": "M\tsrc/a.ts"}),
        ("Bash", {"command": "git status --short"}, {"stdout": " M src/a.ts"}),
        ("Bash", {"command": "git diff"}, {"stdout": "diff --git a/src/a.ts b/src/a.ts\nindex 1"}),
        ("Bash", {"command": "cd src && git diff"}, {"stdout": "--- a/src/a.ts\n+++ b/src/a.ts"}),
        ("Bash", {"command": "git show"}, {"stdout": "--- /dev/null\n+++ b/src/a.ts\n"}),
        ("Bash", {"command": "git diff --stat"}, {"stdout": " src/a.ts | 2 +-\n"}),
        ("Bash", {"command": "find . -name a.ts | xargs head"}, {"stdout": "==> ./src/a.ts <==\nx"}),
    ],
)  # fmt: skip
def test_hits_of_a_search_are_told_after_it(tmp_path, tool, args, response):
    project = Project(tmp_path)
    project.start()
    project.rule("keys", "[src/a.ts]", ADVICE)  # so that the directory is no match before
    response = filled(response, "", project.project)
    text = json.dumps(response).replace("{root}", str(project.project))
    project.before(tool, call_id="c", **args)
    assert ADVICE in told(project.after(tool, json.loads(text), call_id="c", **args))
    assert project.fired()[-1]["route"] in ("search", "shell")
    project.door.close()


def test_output_that_is_no_search_is_not_looked_through(project):
    answer = project.after("Bash", {"stdout": "src/a.ts"}, command="echo src/*.txt")
    assert told(answer) == ""


@pytest.mark.parametrize(
    "prompt",
    [
        "look at @src/a.ts please",
        'see @"src/a.ts"',
        "fix @src/a.ts#L10-20",
        "(@src/a.ts).",
        "@top.ts @src/a.ts",
    ],
)
def test_a_mention_tells_with_the_prompt(project, prompt):
    assert told(project.say(prompt)).count(ADVICE) == 1
    assert project.fired()[0]["route"] == "mention"


@pytest.mark.parametrize(
    "prompt", ["see @src/none.ts", "mail me@src/a.ts", "src/a.ts", "@other/x.ts"]
)
def test_no_mention_no_context(project, prompt):
    assert told(project.say(prompt)) == ""


def test_several_mentions_make_one_plan(project):
    project.rule("other", "[other/**]", "Other advice.", "severity: critical\n")
    text = told(project.say("compare @src/a.ts with @other/x.ts and @src/b.ts"))
    assert text.count(ADVICE) == text.count("Other advice.") == 1
    assert text.index("Other advice.") < text.index(ADVICE)
    assert text.count("Tripwire: project knowledge for") == 1


# ── repeat ───────────────────────────────────────────────────────────────────────────────────


def read(project, path="src/a.ts", **more):
    return told(project.before("Read", file_path=str(project.project / path), **more))


def test_a_changed_tripwire_is_seen_at_once_and_shown_again_only_if_so_configured(configured):
    project = configured("repeat: changed\n")
    assert ADVICE in read(project)
    assert read(project) == ""
    project.rule("keys", "[src/**]", "Newer advice.")
    assert "Newer advice." in read(project)


def test_a_new_tripwire_a_deleted_one_and_a_swapped_directory_are_seen(project):
    project.rule("new", "[src/**]", "New advice.")
    assert "New advice." in read(project)
    (project.project / ".tripwires").rename(project.project / "gone")
    (project.project / ".tripwires").mkdir()
    project.rule("third", "[src/**]", "Third advice.")
    text = read(project)
    assert "Third advice." in text
    assert ADVICE not in text


@pytest.mark.parametrize("name", ["PostCompact", "SessionStart compact", "SessionStart clear"])
def test_what_the_agent_forgot_is_shown_again(project, name):
    assert ADVICE in read(project)
    assert read(project) == ""
    event, _, source = name.partition(" ")
    project.send(event, **({"source": source} if source else {"trigger": "auto"}))
    assert ADVICE in read(project)


def test_a_resumed_session_remembers_what_was_shown(project):
    assert ADVICE in read(project)
    project.restart()
    project.send("SessionStart", source="resume")
    assert read(project) == ""


def test_a_subagents_compaction_is_its_own(project):
    assert ADVICE in read(project)
    project.send("PostCompact", agent_id="a7")
    assert read(project) == ""


def test_without_a_session_every_call_is_told(project):
    body = {
        "cwd": str(project.project),
        "tool_name": "Read",
        "tool_input": {"file_path": "src/a.ts"},
    }
    for _ in range(2):
        answer = project.raw(
            json.dumps(body).encode(), project=str(project.project), home=str(project.home)
        )
        assert ADVICE in told(answer)


def test_two_hooks_for_one_call_show_a_block_once(configured):
    project = configured("repeat: always\n")
    path = str(project.project / "src/a.ts")
    first = project.before("Read", call_id="one", file_path=path)
    second = project.before("Read", call_id="one", file_path=path)
    assert ADVICE in told(first)
    assert told(second) == ""
    assert ADVICE in told(project.before("Read", call_id="two", file_path=path))


def test_a_read_through_tripwire_itself_counts_as_shown(project):
    args = {"path": "src/a.ts"}
    assert told(project.before("mcp__tripwire__read_file", call_id="r", **args)) == ""
    assert told(project.after("mcp__tripwire__read_file", "text", call_id="r", **args)) == ""
    assert read(project) == ""
    assert [f["observed"] for f in project.fired() if f.get("observed")] == [True]


def test_a_failed_read_through_tripwire_shows_nothing(project):
    args = {"tool_name": "mcp__tripwire__read_file", "tool_input": {"path": "src/a.ts"}}
    project.send("PostToolUseFailure", tool_use_id="r", error="no", **args)
    assert ADVICE in read(project)


# ── modes ────────────────────────────────────────────────────────────────────────────────────


def serve(project, command="/bin/sh"):
    entry = {"mcpServers": {"tripwire": {"command": command, "args": ["serve"]}}}
    (project.project / ".mcp.json").write_text(json.dumps(entry))


def denial(answer):
    assert answer.code == 0
    specific = json.loads(answer.out)["hookSpecificOutput"]
    assert specific["permissionDecision"] == "deny"
    return specific["permissionDecisionReason"]


def test_strict_denies_a_raw_read_with_tool_and_arguments_then_gives_way(configured):
    project = configured("enforcement_mode: strict\n")
    serve(project)
    path = str(project.project / "src/a.ts")
    for _ in range(2):
        why = denial(project.before("Read", file_path=path, offset=3, limit=9))
        assert "mcp__tripwire__read_file" in why
        assert json.dumps({"path": path, "offset": 3, "limit": 9}) in why
        assert "run: tripwire doctor" in why
    assert ADVICE in read(project)
    assert read(project) == ""


def test_strict_retry_through_tripwire_then_reads_pass(configured):
    project = configured("enforcement_mode: strict\n")
    serve(project)
    denial(project.before("Read", file_path=str(project.project / "src/a.ts")))
    project.after("mcp__tripwire__read_file", "text", path="src/a.ts")
    assert read(project) == ""


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("Read", {"file_path": "other/x.ts"}),
        ("Read", {"file_path": "src"}),
        ("Read", {"file_path": "src/none.ts"}),
        ("Edit", {"file_path": "src/a.ts", "new_string": "x"}),
        ("Bash", {"command": "cat src/a.ts"}),
        ("mcp__fs__write_file", {"path": "src/a.ts"}),
        ("mcp__fs__get_file_info", {"path": "src/a.ts"}),
        ("mcp__fs__list_directory", {"path": "src"}),
    ],
)
def test_strict_denies_nothing_else(configured, tool, args):
    project = configured("enforcement_mode: strict\n")
    serve(project)
    assert action_of(project.before(tool, **args)) < Action.ASK


def test_strict_denies_a_raw_read_of_a_foreign_server(configured):
    project = configured("enforcement_mode: strict\n")
    serve(project)
    denial(project.before("mcp__filesystem__read_file", path=str(project.project / "src/a.ts")))


@pytest.mark.parametrize("command", ["/no/such/program", "", "no-such-program-7"])
def test_strict_without_a_server_that_starts_injects(configured, command):
    project = configured("enforcement_mode: strict\n")
    serve(project, command)
    assert ADVICE in read(project)


def test_advisory_names_the_tool(configured):
    project = configured("enforcement_mode: advisory\n")
    assert "mcp__tripwire__read_file" in read(project)


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("Write", {"file_path": ".tripwires/x.yml", "content": "x"}),
        ("Edit", {"file_path": ".tripwires/keys.yml", "new_string": "x"}),
        ("Write", {"file_path": ".tripwirerc.yml", "content": "x"}),
        ("Bash", {"command": "echo x > .tripwires/x.yml"}),
        ("Bash", {"command": "rm -rf .tripwires"}),
        ("Bash", {"command": "rm .trip*/keys.yml"}),
        ("Bash", {"command": "mv .tripwires /tmp/elsewhere"}),
        ("Bash", {"command": "cd src && rm -r ../.tripwires"}),
        ("Bash", {"command": "git checkout HEAD~9 -- .tripwires"}),
        ("Bash", {"command": "cp other/x.ts .tripwires/"}),
        ("Bash", {"command": "echo x > $HERE/.tripwires/x.yml"}),
        ("Bash", {"command": "cd $HERE; rm -r .tripwires"}),
        ("Bash", {"command": "chmod -R 0 .tripwires"}),
        ("Bash", {"command": "tripwire import --write"}),
        ("Bash", {"command": ".venv/bin/tripwire import --from cursor --update"}),
        ("Bash", {"command": "python3 -m tripwire lint --prune --delete"}),
        ("Bash", {"command": "cd src && env A=1 tripwire lint --prune"}),
        ("mcp__fs__write_file", {"path": ".tripwires/x.yml", "content": "x"}),
        ("mcp__fs__move_file", {"source": ".tripwires/keys.yml", "destination": "z"}),
    ],
)
def test_an_agent_does_not_change_tripwires_past_their_tool(project, tool, args):
    answer = project.before(tool, **args)
    assert action_of(answer) >= Action.ASK
    assert "read/authority" in answer.out


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("Read", {"file_path": "{tree}/src/a.ts"}),
        ("Bash", {"command": "cat src/a.ts"}),
        ("Write", {"file_path": "{tree}/src/new.ts", "content": "x"}),
    ],
)
def test_another_work_tree_of_the_repository_is_known_too(project, inside, tool, args):
    """An agent in a checkout of its own was told nothing: its paths matched no pattern."""
    tree = (project.project if inside else project.home) / "trees" / "w"
    (tree / "src").mkdir(parents=True)
    (tree / "src" / "a.ts").write_text("a copy\n")
    (project.project / ".git" / "worktrees" / "w").mkdir(parents=True)
    (tree / ".git").write_text(f"gitdir: {project.project}/.git/worktrees/w\n")
    args = {key: value.replace("{tree}", str(tree)) for key, value in args.items()}
    answer = project.send(
        "PreToolUse", tool_name=tool, tool_input=args, cwd=str(tree), tool_use_id="t"
    )
    assert ADVICE in context_of(answer)


@pytest.mark.parametrize("text", ["gitdir: /elsewhere/.git/worktrees/w", "gitdir: \0", "", "x"])
def test_a_work_tree_of_another_repository_is_not(project, text):
    (project.home / "strange").mkdir()
    (project.home / "strange" / ".git").write_text(text)
    (project.home / "strange" / "top.ts").write_text("x")
    path = str(project.home / "strange" / "top.ts")
    assert ADVICE not in context_of(project.before("Read", file_path=path))


def test_reading_tripwires_and_moving_into_a_parent_is_no_change(project):
    for command in (
        "cat .tripwires/keys.yml",
        "cat .tripwires/keys.yml > $OUT",
        "ls .tripwires",
        "tripwire lint --strict",
        "tripwire import",
        "tripwire list",
        "cp src/a.ts .",
        "touch x",
    ):
        assert action_of(project.before("Bash", command=command)) < Action.ASK, command


def test_a_broken_tripwire_is_said_once(project):
    (project.project / ".tripwires" / "bad.yml").write_text("triggers: [a\n")
    text = read(project)
    assert ".tripwires/bad.yml" in text
    assert ".tripwires/bad.yml" not in read(project, "top.ts")


def test_a_broken_tripwire_blocks_if_so_configured(configured):
    project = configured("on_broken: block\n")
    (project.project / ".tripwires" / "bad.yml").write_text("triggers: [a\n")
    assert ".tripwires/bad.yml" in denial(project.before("Read", file_path="other/x.ts"))
    assert action_of(project.before("Read", file_path=".tripwires/bad.yml")) < Action.ASK


def test_a_firing_is_recorded_with_its_route_client_and_path(project):
    project.before("Read", call_id="c", file_path=str(project.project / "alias.ts"))
    (fired,) = project.fired()
    assert fired["client"] == "hooks/claude-code"
    assert (fired["route"], fired["path"], fired["real_path"]) == ("read", "alias.ts", "src/a.ts")
    assert [t["name"] for t in fired["tripwires"]] == ["keys"]
    project.before("Bash", command="cat ${X}src/a.ts")
    assert project.fired()[-1]["opaque"] is True


def test_the_context_stays_under_the_clients_limit_and_names_what_is_left_out(project):
    for number in range(30):
        project.rule(f"long-{number}", "[src/**]", f"{number} " + "x" * 900)
    text = read(project)
    assert len(text.encode("utf-16-le")) <= 2 * 9_500
    assert 'reason="client_limit"' in text


def test_a_file_outside_the_project_says_nothing(project):
    (project.home / "src").mkdir()
    (project.home / "src" / "a.ts").write_text("x")
    assert read(project, "../home/src/a.ts") == ""
    assert told(project.before("Read", file_path="/etc/hostname")) == ""


@pytest.mark.parametrize(
    "path", ["", "\0", "x" * 5000, "src/\0a.ts", "\udcff", "~", "-", "//", "a" * 300]
)
def test_no_path_breaks_the_door(project, path):
    for tool, args in (
        ("Read", {"file_path": path}),
        ("Bash", {"command": f"cat '{path}'"}),
        ("mcp__fs__read", {"path": path}),
        ("Grep", {"path": path}),
    ):
        assert project.before(tool, **args).code == 0
    assert project.say(f'see @{path} and @"{path}"').code == 0


@pytest.mark.parametrize("value", [None, 7, ["src/a.ts", 3], {"a": "src/a.ts"}])
def test_arguments_of_another_type_break_nothing(project, value):
    assert project.before("Read", file_path=value).code == 0
    assert project.before("Bash", command="ls").code == 0


# ── other clients ────────────────────────────────────────────────────────────────────────────


def test_codex_reads_through_its_shell_and_its_patches(configured):
    project = configured("", "codex")
    assert ADVICE in told(project.before("Bash", command="cat src/a.ts"))
    project.send("PostCompact")
    patch = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** End Patch"
    assert ADVICE in told(project.before("apply_patch", command=patch))


def test_gemini_is_told_after_the_call(configured):
    project = configured("", "gemini")
    call = {"tool_name": "read_file", "tool_input": {"file_path": "src/a.ts"}}
    assert project.send("BeforeTool", **call).out == ""
    after = {**call, "tool_response": {"llmContent": "text"}}
    assert ADVICE in told(project.send("AfterTool", **after))
    assert [f["tripwires"][0]["outcome"] for f in project.fired()] == ["shown"]
    shell = {"tool_name": "run_shell_command", "tool_input": {"command": "cat src/b.ts"}}
    assert told(project.send("AfterTool", **shell, tool_response={"llmContent": "x"})) == ""
    project.send("PreCompress", trigger="auto")
    assert ADVICE in told(project.send("AfterTool", **shell, tool_response={"llmContent": "y"}))


def test_gemini_strict_denies_before(configured):
    project = configured("enforcement_mode: strict\n", "gemini")
    entry = {"mcpServers": {"tripwire": {"command": "/bin/sh"}}}
    (project.project / ".gemini").mkdir()
    (project.project / ".gemini" / "settings.json").write_text(json.dumps(entry))
    call = {"tool_name": "read_file", "tool_input": {"file_path": "src/a.ts"}}
    said = json.loads(project.send("BeforeTool", **call).out)
    assert said["decision"] == "deny"
    assert "mcp__tripwire__read_file" in said["reason"]
    assert project.fired()[-1]["tripwires"][0]["outcome"] == "denied"


def cursor(project, name, client="cursor", **fields):
    body = {
        "hook_event_name": name,
        "conversation_id": "c",
        "generation_id": "g",
        "workspace_roots": [str(project.project)],
        "cursor_version": "3",
        **fields,
    }
    raw = json.dumps(body).encode()
    return project.raw(raw, client=client, project="", home=str(project.home))


def test_cursor_and_the_claude_hook_it_also_runs_show_a_block_once(tmp_path):
    project = Project(tmp_path, config="repeat: always\n")
    cursor(project, "sessionStart")
    call = {"tool_name": "Read", "tool_input": {"file_path": "src/a.ts"}, "tool_use_id": "u"}
    assert json.loads(cursor(project, "preToolUse", **call).out) == {}
    assert cursor(project, "PreToolUse", "claude-code", **call).out == ""
    after = {**call, "tool_output": json.dumps("text")}
    first = json.loads(cursor(project, "postToolUse", **after).out)
    assert ADVICE in first["additional_context"]
    second = cursor(project, "PostToolUse", "claude-code", **after)
    assert second.out == ""
    project.door.close()


def test_cursors_second_event_for_a_read_is_the_same_read(tmp_path):
    project = Project(tmp_path, config="enforcement_mode: strict\n")
    (project.project / ".cursor").mkdir()
    entry = {"mcpServers": {"tripwire": {"command": "/bin/sh"}}}
    (project.project / ".cursor" / "mcp.json").write_text(json.dumps(entry))
    cursor(project, "sessionStart")
    path = str(project.project / "src/a.ts")
    call = {"tool_name": "Read", "tool_input": {"file_path": path}, "tool_use_id": "u"}
    assert json.loads(cursor(project, "preToolUse", **call).out)["permission"] == "deny"
    again = json.loads(cursor(project, "beforeReadFile", file_path=path, content="x").out)
    assert again["permission"] == "deny"
    assert len([f for f in fired_of(project) if f.get("denied_by")]) == 1
    project.door.close()


def fired_of(project):
    found = []
    for audit in project.root.glob("sessions/*/audit.jsonl"):
        lines = map(json.loads, audit.read_text().splitlines())
        found += [line["data"] for line in lines if line["type"] == "read.fired"]
    return found


def test_vs_code_and_the_claude_hook_it_also_runs_are_one_session(tmp_path):
    project = Project(tmp_path)
    body = {
        "hookEventName": "PreToolUse",
        "sessionId": "v",
        "cwd": str(project.project),
        "tool_name": "readFile",
        "tool_input": {"filePath": "src/a.ts"},
        "tool_use_id": "u",
    }
    raw = json.dumps(body).encode()
    more = {"project": str(project.project), "home": str(project.home)}
    assert ADVICE in told(project.raw(raw, client="vscode", **more))
    assert told(project.raw(raw, client="claude-code", **more)) == ""
    project.door.close()


def test_a_call_for_our_gateway_is_left_to_it(project, monkeypatch):
    monkeypatch.setattr(live, "gateway_runs", lambda *_: True)
    assert project.before("mcp__tripwire-gateway__fs__read", path="src/a.ts").out == ""
