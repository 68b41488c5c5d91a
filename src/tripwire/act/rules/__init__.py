"""The rules of ACT, one file each, listed below; nothing is discovered."""

from __future__ import annotations

from tripwire.act.rules import (
    access_after_untrusted,
    amount,
    consensus,
    flow,
    intent,
    known_secret,
    not_scanned,
    off_purpose,
    off_purpose_payload,
    own_state,
    pin,
    planted_link,
    policy,
    repeat,
    secret_shape,
    sensitive_params,
    state_tampered,
    unmatched_tool,
    unnamed_object,
)
from tripwire.rule import Rule

RULES: tuple[Rule, ...] = (
    own_state.RULE,
    pin.RULE,
    known_secret.RULE,
    secret_shape.RULE,
    not_scanned.RULE,
    flow.RULE,
    off_purpose.RULE,
    access_after_untrusted.RULE,
    unnamed_object.RULE,
    planted_link.RULE,
    off_purpose_payload.RULE,
    amount.RULE,
    policy.RULE,
    intent.RULE,
    sensitive_params.RULE,
    consensus.RULE,
    repeat.RULE,
    unmatched_tool.RULE,
    state_tampered.RULE,
)
