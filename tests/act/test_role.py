from tests.act.rules.sessions import policy_of

from tripwire.act.role import is_judged, role_of
from tripwire.model.label import WriteClass

POLICY = policy_of(
    {
        "upstreams": [{"name": "pay", "command": ["true"]}],
        "flow": {
            "policies": {
                "hub": {
                    "tools": {
                        "*": {"writes": ["unknown"]},
                        "create_*": {"writes": ["public"]},
                        "create_repo*": [
                            {"when": {"private": ["true"]}, "writes": ["internal"]},
                            {"unless": {"{owner}/{repo}": ["acme/*"]}, "writes": ["privileged"]},
                        ],
                        "create_issue": {"writes": ["external"]},
                    }
                }
            }
        },
    }
)


def writes(tool, **args):
    role = role_of(POLICY, "hub", tool, args)
    return role and role.writes


def test_exact_beats_glob_and_longer_prefix_beats_shorter():
    assert writes("create_issue") == {WriteClass.EXTERNAL}
    assert writes("create_gist") == {WriteClass.PUBLIC}
    assert writes("delete_all") == {WriteClass.UNKNOWN}


def test_first_variant_that_fits():
    assert writes("create_repository", private=True) is not None
    assert writes("create_repository", private="true") == {WriteClass.INTERNAL}
    assert writes("create_repository", owner="evil", repo="x") == {WriteClass.PRIVILEGED}


def test_no_variant_fits_is_no_role():
    assert writes("create_repository", owner="acme", repo="x") is None
    assert role_of(POLICY, "mystery", "x", {}) is None


def test_gateway_upstreams_are_judged_only_if_named():
    assert not is_judged(POLICY, "pay")
    assert is_judged(POLICY, "hub")
    assert is_judged(POLICY, "claude-code")
    assert is_judged(POLICY, "some-server-of-the-client")
