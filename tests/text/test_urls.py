import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripwire.text import urls

HOSTILE = (
    "http://good.example\\@evil.example/",
    "https://good.example@evil.example/",
    "http://good%2eexample/",
)


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("https://Docs.Example.com/A?b", "docs.example.com"),
        ("http://0x7f.1/", "127.0.0.1"),
        ("http://[::1]:3000/ready", "::1"),
        ("git@github.com:acme/site.git", "github.com"),
        ("postgres://u@localhost/db", "localhost"),
    ],
)
def test_host(text, host):
    assert urls.parse(text).host == host


def test_parsers_that_disagree_are_not_believed():
    assert not urls.parse(HOSTILE[0]).agreed
    assert not urls.parse("http://0x7f.1/").agreed
    assert urls.parse(HOSTILE[1]).host == "evil.example"
    assert urls.parse(HOSTILE[1]).userinfo


def test_not_a_url():
    assert urls.parse("app.py") is None
    assert urls.parse("C:\\x") is None
    assert urls.parse("") is None
    assert not urls.parse("http://[broken").agreed


@given(
    st.from_regex(
        r"https?://[aB9.\-]{1,9}\.(com|io)(/[aZ09._~!$&()*+,;=:@/\-]{0,12})?(\?[a9=&/@]{1,8})?",
        fullmatch=True,
    )
)
def test_the_short_way_reads_what_two_parsers_read(text):
    assert urls.parse(text) == urls._parse(text)


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "127.8.8.8", "::1", "a.localhost", "redis", "0.0.0.0"]
)
def test_internal_hosts(host):
    assert urls.is_internal_host(host)


@pytest.mark.parametrize(
    "host", ["example.com", "10.0.0.1", "169.254.169.254", "localhost.evil.example", ""]
)
def test_outside_hosts(host):
    assert not urls.is_internal_host(host)


def test_metadata_is_not_internal():
    assert urls.is_metadata_host("169.254.169.254")
    assert urls.is_metadata_host("[fd00:ec2::254]")


@pytest.mark.parametrize(
    ("pattern", "url", "expected"),
    [
        ("https://docs.python.org/*", "https://docs.python.org/x", True),
        ("https://docs.python.org/*", "https://docs.python.org/x/y", False),
        ("https://docs.python.org/**", "https://docs.python.org/x/y", True),
        ("https://*.corp.example/*", "https://evil.example/x.corp.example/?d=1", False),
        ("https://*.corp.example/*", "https://a.corp.example/x", True),
        ("https://*.corp.example/*", "https://a.b.corp.example/x", False),
        ("docs.example", "http://docs.example/any/thing", True),
        ("docs.example", "http://docs.example@evil.example/", False),
        ("docs.example/*", "http://docs.example/a\\@evil", False),
        ("https://docs.example/**", "http://docs.example/x", False),
    ],
)
def test_patterns(pattern, url, expected):
    assert urls.matches(pattern, urls.parse(url)) is expected


@pytest.mark.parametrize("host", ["аррӏе.com", "pаypal.com", "xn--80ak6aa92e.com", "gοοgle.com"])
def test_hosts_that_look_like_others(host):
    assert urls.suspicious_host(host)


@pytest.mark.parametrize("host", ["müller.de", "example.com", "例え.jp", "пример.рф"])
def test_honest_hosts(host):
    assert not urls.suspicious_host(host)


@given(st.text(max_size=60))
def test_no_text_breaks_it(text):
    urls.parse(text)
    urls.host_of(text)
    urls.suspicious_host(text)
