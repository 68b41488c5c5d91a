"""Money back to the customer."""

from dataclasses import dataclass


@dataclass
class Refund:
    order: int
    cents: int
    reason: str = ""
