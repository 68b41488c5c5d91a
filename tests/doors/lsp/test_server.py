"""`tripwire lsp` as an editor meets it, driven by a real client library."""

import asyncio

from lsprotocol import types
from tests.doors.lsp.editor import applied, editor

ORDERS = """\
triggers: ["src/**", "!src/**/*_test.py"]
context: "Orders are never deleted. ![x](https://mallory.example/x) ```"
severity: high
created_by: human
depends_on: [vault]
"""
VAULT = 'triggers: ["lib/vault.py"]\ncontext: Keys live in the vault.\ncreated_by: human\n'


def project(root, **tripwires):
    (root / ".tripwires").mkdir(parents=True)
    (root / "src").mkdir()
    for name, text in (tripwires or {"orders": ORDERS, "vault": VAULT}).items():
        (root / ".tripwires" / f"{name}.yml").write_text(text, "utf-8")
    (root / "src" / "a.py").write_text("one\ntwo\n")
    return root


def text_of(hover):
    return hover.contents.value


def test_the_real_process_shows_a_matching_file_and_a_broken_tripwire(tmp_path):
    root = project(tmp_path / "p", orders=ORDERS, vault="triggers: a\ncontext: x\n")

    async def session():
        async with editor(root, process=True) as ed:
            broken = ed.uri(".tripwires/vault.yml")
            (fault,) = await ed.codes(broken, "TW003")
            assert (fault.range.start.line, fault.severity) == (0, types.DiagnosticSeverity.Error)
            ed.open(".tripwires/vault.yml")
            ed.change(broken, VAULT)
            await ed.codes(broken)
            uri = ed.open("src/a.py")
            lenses = await ed.lenses(uri)
            assert [lens.command.title for lens in lenses] == ["1 tripwire", "high orders"]
            assert {lens.range.start.line for lens in lenses} == {0}
            text = text_of(await ed.hover(uri))
            assert "matched `src/**`" in text
            assert "needed by orders" in text
            assert '<<<TRIPWIRE severity="high" name="orders">>>' in text
            # what a tripwire says is inside a fence that it cannot end
            assert text.index("````text") < text.index("![x](") < text.rindex("````")
            assert await ed.hover(uri, line=1) is None
            (told,) = await ed.codes(uri, "read/tripwire")
            assert told.severity is types.DiagnosticSeverity.Information
            assert (told.range.start.line, told.range.end.character) == (0, 3)
            assert told.message == "1 tripwire: high orders"
            said = await ed.run("tripwire.explain", uri)
            assert "matched: src/**" in said
            assert "Orders are never deleted" in said
            (message,) = ed.messages
            assert said.startswith(message.splitlines()[0])
            assert "Orders are" not in message
            target = ed.uri(".tripwires/orders.yml")
            assert await ed.run("tripwire.open", uri, "orders") == target
            assert await ed.run("tripwire.open", uri, "../../etc/passwd") is None
            assert ed.shown == [target]
            (root / "src" / "a_test.py").write_text("x")
            other = ed.open("src/a_test.py")
            assert await ed.lenses(other) == []
            assert await ed.hover(other) is None
            return ed

    ed = asyncio.run(session())
    assert ed.answer.server_info.name == "tripwire"
    assert [r.method for r in ed.registered] == ["workspace/didChangeWatchedFiles"]
    assert "Orders" not in ed.stderr


def test_a_broken_tripwire_is_told_where_it_is_and_no_longer_once_it_is_mended(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("tripwire.doors.lsp.server.POLL", 0.1)
    root = project(tmp_path / "p")
    (root / ".tripwires" / "orders.yml").write_text('context: "é𝄞" x\ntriggers: [a]\n', "utf-8")

    async def session():
        async with editor(root) as ed:
            uri = ed.uri(".tripwires/orders.yml")
            (fault,) = await ed.codes(uri, "TW002")  # of a file that nobody opened
            assert fault.severity is types.DiagnosticSeverity.Error
            assert fault.range.start == types.Position(0, 15)  # `𝄞` is two units
            ed.open(".tripwires/orders.yml")
            ed.change(uri, ORDERS)
            await ed.codes(uri)
            file = ed.open("src/a.py")
            assert len(await ed.lenses(file)) == 2  # not saved, and counts
            ed.change(uri, ORDERS.replace("severity: high", "severity: hihg"), 3)
            (fault,) = await ed.codes(uri, "TW003")
            assert fault.range.start == types.Position(2, 10)
            assert await ed.lenses(file) == []
            assert "could not be loaded" in text_of(await ed.hover(file))
            ed.close(uri)
            (fault,) = await ed.codes(uri, "TW002")  # the disk counts again
            (root / ".tripwires" / "orders.yml").write_text(ORDERS)
            await ed.codes(uri)  # seen without a word from the client
            assert len(await ed.lenses(file)) == 2
            assert ed.refreshed >= 2

    asyncio.run(session())


def test_quick_fixes_make_text_that_lint_accepts(tmp_path):
    broken = {
        "keys": "triggers: [src/é.py]\ncontext: x\nseverty: high\r\ntags: [Ünsafe Tag, good]\n",
        "stars": "triggers:\n  - !**/*.test.ts\n  - src/**\ncontext: x\ncreated_by: human\n",
        "by": "# who?\ntriggers: [a]\ncontext: |\n  é𝄞\ndepends_on: [stras]\n",
    }
    root = project(tmp_path / "p", **broken)
    (root / ".tripwires" / "Odd.yaml").write_text(VAULT)
    (root / ".tripwirerc.yml").write_text("# ours\nmax_contxt_length: 5\n")

    async def mended(ed, file, code, title):
        uri = ed.open(file)
        found = await ed.told(uri, lambda told: any(d.code == code for d in told))
        line = next(d.range.start.line for d in found if d.code == code)
        actions = await ed.fixes(uri, line)
        action = next(a for a in actions if a.title == title)
        assert [d.code for d in action.diagnostics] == [code]
        (edit,) = action.edit.changes[uri]
        new = applied((root / file).read_bytes().decode(), edit)
        ed.change(uri, new)
        await ed.told(uri, lambda told: all(d.code != code for d in told))
        (root / file).write_bytes(new.encode())
        ed.close(uri)
        return new

    async def session():
        async with editor(root) as ed:
            keys = ".tripwires/keys.yml"
            assert "severity: high" in await mended(ed, keys, "TW007", "Rename the key to severity")
            assert "nsafe-tag" in await mended(ed, keys, "TW013", 'Write the tag as "nsafe-tag"')
            stars = await mended(ed, ".tripwires/stars.yml", "TW032", "Put the pattern in quotes")
            assert '- "!**/*.test.ts"\n  - src/**\n' in stars
            by = ".tripwires/by.yml"
            text = await mended(ed, by, "TW010", "Add created_by: human")
            assert text.startswith("# who?\n")
            assert "created_by: human\n" in text
            assert "stars" in await mended(ed, by, "TW016", 'Depend on "stars" instead')
            title = "Rename the key to max_context_length"
            text = await mended(ed, ".tripwirerc.yml", "TW042", title)
            assert text == "# ours\nmax_context_length: 5\n"
            uri = ed.open(".tripwires/Odd.yaml")
            (action,) = await ed.fixes(uri)
            (rename,) = action.edit.document_changes
            assert rename.new_uri == ed.uri(".tripwires/odd.yml")
            assert await ed.fixes(uri, only=[types.CodeActionKind.Refactor]) == []

    asyncio.run(session())
    loaded = {path.name: path.read_bytes() for path in (root / ".tripwires").iterdir()}
    assert b"\r\n" in loaded["keys.yml"]


def test_names_with_blanks_percents_and_letters_and_several_folders(tmp_path):
    one = project(tmp_path / "ein 100% Ordner é")
    two = project(tmp_path / "zwei", all='triggers: ["**"]\ncontext: x\ncreated_by: human\n')
    (one / "src" / "ü %41 #?.py").write_text("x")
    (tmp_path / "outside.py").write_text("x")
    (one / "src" / "way-out.py").symlink_to(tmp_path / "outside.py")

    async def session():
        async with editor(one, two) as ed:
            odd = ed.open("src/ü %41 #?.py")
            assert "%2541" in odd
            assert [lens.command.title for lens in await ed.lenses(odd)][1:] == ["high orders"]
            # as VS Code writes it
            again = odd.replace("#", "%23").replace("?", "%3f").replace("%20", "%20")
            assert len(await ed.lenses(again)) == 2
            inner = (two / "src" / "a.py").as_uri()
            ed.open("src/a.py", "x", uri=inner)
            assert [lens.command.title for lens in await ed.lenses(inner)][1:] == ["warning all"]
            outside = (tmp_path / "outside.py").as_uri()
            ed.open("../outside.py", "x", uri=outside)
            for uri in (outside, "untitled:Untitled-1", "file://host/src/a.py", "file:///a%00b"):
                assert await ed.lenses(uri) == []
                assert await ed.hover(uri) is None
                assert await ed.fixes(uri) == []
            ed.workspace_did_change_workspace_folders(
                types.DidChangeWorkspaceFoldersParams(
                    types.WorkspaceFoldersChangeEvent(
                        [], [types.WorkspaceFolder(two.as_uri(), two.name)]
                    )
                )
            )
            assert await ed.lenses(inner) == []

    asyncio.run(session())


def test_garbage_documents_leave_the_server_standing(tmp_path):
    root = project(tmp_path / "p")
    (root / ".tripwires" / "bytes.yml").write_bytes(b"\xff\xfe\0\r\r\n" * 50)
    garbage = (
        "",
        "\0",
        "\ud800",
        "[" * 5_000,
        "a: &a [*a, *a]\n" * 200,
        "\r\u2028\x85: x",
        "x" * 300_000,
    )

    async def session():
        async with editor(root) as ed:
            uri = ed.open(".tripwires/orders.yml")
            config = ed.open(".tripwirerc.yml", "")
            policy = ed.open("tripwire.yaml", "read: {")
            file = ed.open("src/a.py")
            await ed.told(ed.uri(".tripwires/bytes.yml"), bool)
            for number, text in enumerate(garbage, 2):
                for each in (uri, config, policy, file):
                    ed.change(each, text, number)
                await asyncio.gather(
                    ed.lenses(file),
                    ed.hover(file),
                    ed.fixes(uri),
                    ed.fixes(config),
                    ed.fixes(policy),
                )
            await ed.told(uri, lambda told: any("256 KiB" in d.message for d in told))
            ed.change("file:///nobody/opened.py", "x")  # the library has no such document
            ed.change(uri, ORDERS, 90)
            ed.change(config, "", 90)
            ed.change(policy, "", 90)
            ed.change(file, "one", 90)
            await ed.codes(uri)
            assert len(await ed.lenses(file)) == 2
            return ed

    asyncio.run(session())


def test_read_keys_of_both_configurations_are_told_and_columns_are_as_agreed(tmp_path):
    root = project(tmp_path / "p")
    (root / "tripwire.yaml").write_text("# é\nread:\n  repeat: sometimes\n")

    async def session():
        async with editor(root, encodings=[types.PositionEncodingKind.Utf8], markdown=False) as ed:
            (fault,) = await ed.codes(ed.uri("tripwire.yaml"), "TW041")
            assert fault.range.start == types.Position(2, 10)
            config = ed.open(".tripwirerc.yml", '{"é": 1, exclude_paths: ["src/**"]}')
            (fault,) = await ed.codes(config, "TW042")
            assert fault.range.start == types.Position(0, 1)
            file = ed.open("src/a.py")
            assert await ed.lenses(file) == []  # excluded by what is not saved yet
            ed.close(config)
            assert len(await ed.lenses(file)) == 2
            assert text_of(await ed.hover(file)).startswith("src/a.py\n")

    asyncio.run(session())
