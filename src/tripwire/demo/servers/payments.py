"""The demo's payment rail: what it accepts is money gone. It writes a ledger file."""

from __future__ import annotations

import json
import os
from pathlib import Path

from mcp.server import MCPServer

server = MCPServer("payments", version="1.0.0", log_level="ERROR")


@server.tool()
def send_payment(recipient: str, amount: float, currency: str, reference: str) -> dict[str, str]:
    """Send money to an account. This cannot be undone."""
    ledger = Path(os.environ["DEMO_LEDGER"])
    paid = json.loads(ledger.read_text("utf-8")) if ledger.exists() else []
    paid.append(
        {"recipient": recipient, "amount": amount, "currency": currency, "reference": reference}
    )
    ledger.write_text(json.dumps(paid), "utf-8")
    return {"status": "submitted", "transaction": f"tx-{len(paid):04d}"}


if __name__ == "__main__":
    server.run("stdio")
