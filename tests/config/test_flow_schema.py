"""The `flow:` section: lists of directory names."""

import pytest

from tripwire.config.load import mapping_policy
from tripwire.errors import PolicyErrors


def test_names_of_directories_replace_and_add():
    found = mapping_policy({"flow": {"build_outputs": ["out"], "source_directories": "app"}})
    assert found.flow.paths.build_outputs == ("out",)
    assert found.flow.paths.sources[-1] == "app"
    assert "src" in found.flow.paths.sources


@pytest.mark.parametrize("name", ["build/x", "*", "..", "!dist", "a\\b"])
def test_a_path_or_glob_is_no_name(name):
    with pytest.raises(PolicyErrors, match="is no name of a directory"):
        mapping_policy({"flow": {"build_outputs": [name]}})
