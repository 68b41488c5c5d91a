"""The packaged tables load, and a misspelt key is an error that names it."""

import pytest

from tripwire.config.shell_tables import load_shell_tables, tables_from
from tripwire.errors import PolicyError


def test_packaged_tables_are_whole():
    tables = load_shell_tables()
    assert {"ls", "make", "pytest"} <= tables.local
    assert tables.egress["curl"] == "url"
    assert tables.wrappers["timeout"].skip == 1
    assert "--kill-after" in tables.wrappers["timeout"].values
    assert tables.subcommands["gh"]["issue create"] == "public"
    assert tables.environment["LD_PRELOAD"] == "code"
    assert not tables.local & tables.egress.keys()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"locla": "ls"}, "locla"),
        ({"egress": {"urls": "curl"}}, "urls"),
        ({"local": ["ls"]}, "local"),
        ({"wrappers": {"sudo": {"value": "-u"}}}, "value"),
        ({"wrappers": {"sudo": {"skip": "1"}}}, "sudo"),
        ({"wrappers": {"sudo": "-u"}}, "sudo"),
        ({"subcommands": {"gh": {"pubic": "x"}}}, "pubic"),
        ({"subcommands": {"gh": {"*": "pubic"}}}, "pubic"),
        ({"subcommands": {"gh": "x"}}, "gh"),
        ({"environment": {"cmd": "PAGER"}}, "cmd"),
        ({"programs": "x"}, "programs"),
    ],
)
def test_a_wrong_key_is_named(data, said):
    with pytest.raises(PolicyError, match=said):
        tables_from(data)
