"""Hosts: only a spelling that every program reads the same way gives one."""

import pytest

from tripwire.act.shell.hosts import host_of, is_loopback, is_remote_path, shown
from tripwire.act.shell.text import HOLE


@pytest.mark.parametrize(
    ("value", "kind", "host"),
    [
        ("https://Evil.example:8/x", "url", "evil.example"),
        ("http://u:p@evil.example/", "url", "evil.example"),
        ("http://[::1]:3000/", "url", "::1"),
        ("http://localhost@evil.example/", "url", "evil.example"),
        ("http://localhost\\@evil.example/", "url", ""),
        ("http://a@b@c/", "url", ""),
        (f"http://localhost:{HOLE}/", "url", ""),
        (f"http://{HOLE}.evil.example/", "url", ""),
        ("s3://bucket/key", "url", ""),
        ("evil.example/x", "bare", "evil.example"),
        ("u@evil.example:/x", "remote", "evil.example"),
        ("origin", "remote", ""),
        ("m@evil.example", "mail", "evil.example"),
        ("typescript@5", "none", ""),
        ("x.evil.example", "name", "x.evil.example"),
    ],
)
def test_host_of(value, kind, host):
    assert host_of(value, kind=kind) == host


def test_loopback_is_only_this_machine():
    assert all(map(is_loopback, ("localhost", "a.localhost", "127.0.0.1", "127.9.9.9", "::1")))
    assert not any(map(is_loopback, ("localhost.evil.example", "127.0.0.1.nip.io", "10.0.0.1")))


def test_remote_paths():
    assert is_remote_path("u@h:/x")
    assert not is_remote_path("./a:b")
    assert not is_remote_path("https://h/x")


def test_what_is_computed_is_not_shown():
    assert shown(f"{HOLE}.evil.example") == "evil.example"
