"""The packaged policies, one YAML file each, and a Policy without a file of one's own.

* `<client or server>.yaml`: `tools:` → tool name or glob → a role, or a list of roles
  (keys: `config/flow_keys.py` ROLE).
* `flow.yaml`, `paths.yaml`: keys of the `flow:` section (`rules:` with `id`, `needs`, `classes`,
  `action`, `skip`, `remedy`; `secret_paths:` …; `index_hosts:` …).
* `shell.yaml`: tables of programs, read by `config/shell_tables.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tripwire.config.load import mapping_policy
from tripwire.model.policy import Policy


def builtin_policy() -> Policy:
    """What holds with no configuration: the Claude Code preset and the shipped flow table."""
    return mapping_policy({})


def policy_from_mapping(mapping: Mapping[str, Any], *, base: Path | None = None) -> Policy:
    """The Policy of a mapping in `tripwire.yaml` form; raises PolicyErrors with every fault.

    `base` is the directory that relative paths are taken from.
    """
    return mapping_policy(mapping, base=base)


def policy_from_preset(name: str) -> Policy:
    """The built-in policy with the packaged roles of that name; raises PolicyErrors if unknown."""
    return mapping_policy({"flow": {"policies": {name: name}}})
