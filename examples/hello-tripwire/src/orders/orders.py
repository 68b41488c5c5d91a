"""Orders of the shop."""

from dataclasses import dataclass


@dataclass
class Order:
    number: int
    total: int
    archived: bool = False


def archive(order: Order) -> None:
    """Take an order out of the shop; it stays on record."""
    order.archived = True
