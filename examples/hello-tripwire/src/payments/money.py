"""Amounts in cents, as people read them."""


def shown(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"
