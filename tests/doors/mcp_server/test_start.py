"""How the file server starts: under which policy, and what it tells the person."""

import os

from tripwire.doors.mcp_server.start import file_server
from tripwire.io.acceptance import MARKS, accept_written


def test_an_unaccepted_policy_loosens_nothing_and_is_named(tmp_path, monkeypatch, capsys):
    for name in (*MARKS, "TRIPWIRE_SESSION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TRIPWIRE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    file = project / "tripwire.yaml"
    file.write_text("flow: {mode: monitor}")
    for mode, said in (("enforce", 1), ("monitor", 0)):
        server = file_server(str(project), os.environ)
        assert server.session.engine.policy.flow.mode == mode
        assert capsys.readouterr().err.count("tripwire check --accept") == said
        server.session.close()
        assert accept_written(file)
