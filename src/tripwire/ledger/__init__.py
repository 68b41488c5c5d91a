"""Formats of the evidence: receipts, the keyed chain, entries. No I/O."""
