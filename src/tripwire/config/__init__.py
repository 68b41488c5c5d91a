"""YAML to Policy: every fault with file:line and the fix."""
