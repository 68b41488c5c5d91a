"""The demo's trusted vendor registry: a system of record that only the buyer's staff can edit."""

from __future__ import annotations

from mcp.server import MCPServer

VENDORS = {
    "lumen-paper": {
        "id": "V-2041",
        "name": "Lumen Paper",
        "iban": "DE44500105175407324931",
        "currency": "EUR",
        "status": "active",
    },
    "harbour-ink": {
        "id": "V-2044",
        "name": "Harbour Ink",
        "iban": "NL91ABNA0417164300",
        "currency": "EUR",
        "status": "active",
    },
}

server = MCPServer("vendors", version="1.0.0", log_level="ERROR")


@server.tool()
def get_vendor(vendor: str) -> dict[str, str]:
    """Look one vendor up by its key, for example "lumen-paper"."""
    try:
        return VENDORS[vendor]
    except KeyError:
        raise ValueError(f"no vendor {vendor!r}; known: {', '.join(VENDORS)}") from None


if __name__ == "__main__":
    server.run("stdio")
