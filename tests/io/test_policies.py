"""The policy of each project: read again when it changes, kept when it breaks."""

from dataclasses import replace

import pytest

from tripwire.errors import PolicyError, PolicyErrors
from tripwire.io.policies import Policies
from tripwire.model.policy import Policy


@pytest.fixture
def shelf(tmp_path):
    file = tmp_path / "tripwire.yaml"
    read = []

    def load(project):
        read.append(project)
        text = file.read_text() if file.exists() else "default"
        if "bad" in text:
            raise PolicyErrors((PolicyError("bad word", where=f"{file}:1"),))
        return replace(Policy(), digest=text)

    return Policies(lambda _: (file,), load), file, read


def test_a_policy_is_read_once_until_its_file_changes(shelf):
    policies, file, read = shelf
    assert policies.of("/p").digest == policies.of("/p").digest == "default"
    assert len(read) == 1
    file.write_text("strict")
    assert policies.changed("/p", replace(Policy(), digest="default"))
    assert policies.of("/p").digest == "strict"
    assert len(read) == 2
    file.unlink()
    assert policies.of("/p").digest == "default"


def test_a_first_broken_policy_raises_and_is_tried_again(shelf):
    policies, file, _ = shelf
    file.write_text("bad")
    for _ in range(2):
        with pytest.raises(PolicyErrors, match=r"tripwire\.yaml:1"):
            policies.of("/p")
    file.write_text("good")
    assert policies.of("/p").digest == "good"


def test_a_later_broken_one_keeps_the_last_and_says_so(shelf):
    policies, file, _ = shelf
    file.write_text("good")
    good = policies.of("/p")
    file.write_text("bad")
    assert policies.of("/p") is good
    assert not policies.changed("/p", good)
    assert "bad word" in policies.status()[0]["problem"]
    file.write_text("better")
    assert policies.of("/p").digest == "better"
    assert policies.status()[0]["problem"] == ""


def test_projects_do_not_share(shelf):
    policies, _, read = shelf
    policies.of("/p")
    policies.of("/q")
    assert [str(path) for path in read] == ["/p", "/q"]
