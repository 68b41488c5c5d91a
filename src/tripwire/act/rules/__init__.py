"""The rules of ACT, one file each, listed below; nothing is discovered."""

from __future__ import annotations

from tripwire.act.rules import (
    consensus,
    flow,
    intent,
    known_secret,
    not_scanned,
    own_state,
    policy,
    repeat,
    secret_shape,
    sensitive_params,
    state_tampered,
    unmatched_tool,
)
from tripwire.rule import Rule

RULES: tuple[Rule, ...] = (
    own_state.RULE,
    known_secret.RULE,
    secret_shape.RULE,
    not_scanned.RULE,
    flow.RULE,
    policy.RULE,
    intent.RULE,
    sensitive_params.RULE,
    consensus.RULE,
    repeat.RULE,
    unmatched_tool.RULE,
    state_tampered.RULE,
)
